// Asks whether an address was meant otherwise when its domain looks mistyped, such as
// gmail.con. The address is taken as it is unless the supporter picks the suggestion.
import { POPULAR_DOMAINS, run } from '@zootools/email-spell-checker';
import { h } from './dom.ts';
import { say } from './words.ts';

// Mail providers that the library would take for a slip of another one.
const domains = [...POPULAR_DOMAINS, 'email.cz', 'fastmail.fm', 'libero.it', 'mac.com'];

/** The address that was probably meant, undefined where nothing looks mistyped. */
export function meant(email: string): string | undefined {
  const at = email.lastIndexOf('@');
  const domain = at > 0 ? run({ email: email.toLowerCase(), domains })?.domain : undefined;
  return domain && `${email.slice(0, at)}@${domain}`;
}

/** The place below an email field where the question appears once the field is left. */
export function typo(input: HTMLInputElement): HTMLElement {
  const place = h('div', { role: 'status' }); // there before its text, so that it is read out
  const ask = (): void => {
    const better = meant(input.value.trim());
    place.replaceChildren(...(better ? [question(input, better)] : []));
  };
  input.addEventListener('change', ask);
  input.addEventListener('input', () => place.replaceChildren());
  return place;
}

function question(input: HTMLInputElement, email: string): HTMLElement {
  const button = h('button', { type: 'button', class: 'link' }, say('email_meant', { email }));
  button.addEventListener('click', () => {
    input.value = email;
    input.focus();
    input.dispatchEvent(new Event('input', { bubbles: true }));
  });
  return button;
}
