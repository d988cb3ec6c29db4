// Suggests a correction if an email's domain looks mistyped, such as gmail.con. The address is used
// as entered unless the supporter accepts the suggestion.
import { POPULAR_DOMAINS, run } from '@zootools/email-spell-checker';
import { h } from './dom.ts';
import { say } from './words.ts';

// The list of known domains includes providers that the library would mistake for typos of others.
const domains = [...POPULAR_DOMAINS, 'email.cz', 'fastmail.fm', 'libero.it', 'mac.com'];

/** Returns the corrected address, or undefined if it does not look mistyped. */
export function correctedEmail(email: string): string | undefined {
  const at = email.lastIndexOf('@');
  const domain = at > 0 ? run({ email: email.toLowerCase(), domains })?.domain : undefined;
  return domain && `${email.slice(0, at)}@${domain}`;
}

/** Returns the element that shows the suggestion below an email field. */
export function emailSuggestion(input: HTMLInputElement): HTMLElement {
  // The element is in the page before its text, because screen readers announce only changes.
  const container = h('div', { role: 'status' });
  const ask = (): void => {
    const better = correctedEmail(input.value.trim());
    container.replaceChildren(...(better ? [suggestion(input, better)] : []));
  };
  input.addEventListener('change', ask);
  input.addEventListener('input', () => container.replaceChildren());
  return container;
}

function suggestion(input: HTMLInputElement, email: string): HTMLElement {
  const button = h('button', { type: 'button', class: 'link' }, say('email_meant', { email }));
  button.addEventListener('click', () => {
    input.value = email;
    input.focus();
    input.dispatchEvent(new Event('input', { bubbles: true }));
  });
  return button;
}
