// Suggests a correction if an email's domain looks mistyped, such as gmail.con. The address is used
// as entered unless the supporter accepts the suggestion.
import { POPULAR_DOMAINS, run } from '@zootools/email-spell-checker';
import { h } from './dom.ts';
import { say } from './words.ts';

// Mail providers that the library would mistake for a typo of another provider.
const domains = [...POPULAR_DOMAINS, 'email.cz', 'fastmail.fm', 'libero.it', 'mac.com'];

/** Returns the corrected address, or undefined if it does not look mistyped. */
export function correctedEmail(email: string): string | undefined {
  const at = email.lastIndexOf('@');
  const domain = at > 0 ? run({ email: email.toLowerCase(), domains })?.domain : undefined;
  return domain && `${email.slice(0, at)}@${domain}`;
}

/** Returns the element that shows the suggestion below an email field. */
export function emailSuggestion(input: HTMLInputElement): HTMLElement {
  const container = h('div', { role: 'status' }); // in the page before its text, so that screen readers announce the text
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
