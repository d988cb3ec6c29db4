// What went wrong, said where it is and in the supporter's words.
import { Refused, Silent } from './api.ts';
import { h } from './dom.ts';
import { say } from './words.ts';

/** The sentence for an error; what is said by the service is in its own words. */
export function sentence(error: unknown): string {
  if (error instanceof Refused) return error.problem.error;
  if (error instanceof Silent) return say('offline');
  throw error;
}

/** A notice that is read out at once and gets the focus. */
export function notice(error: unknown): HTMLElement {
  const element = h('p', { class: 'note bad', role: 'alert', tabindex: -1 }, sentence(error));
  queueMicrotask(() => element.focus());
  return element;
}

/**
 * Marks the field that the service names, such as "shippingAddress.line1" or
 * "items[0].quantity", and leads to it. It returns false where no field is named.
 */
export function mark(form: HTMLFormElement, error: unknown): boolean {
  clear(form);
  if (!(error instanceof Refused) || !error.problem.field) return false;
  const field = error.problem.field;
  const named = [...form.elements].filter((e): e is HTMLInputElement => e instanceof HTMLInputElement || e instanceof HTMLSelectElement);
  const input = named.find((e) => e.name === field) ?? named.find((e) => e.name !== '' && field.startsWith(e.name));
  if (!input) return false;
  const id = `wrong-${input.name}`;
  input.setAttribute('aria-invalid', 'true');
  input.setAttribute('aria-describedby', id);
  (input.closest('label') ?? input).after(h('p', { class: 'wrong', id }, error.problem.error));
  input.focus();
  return true;
}

function clear(form: HTMLFormElement): void {
  for (const text of form.querySelectorAll('.wrong')) text.remove();
  for (const input of form.querySelectorAll('[aria-invalid]')) {
    input.removeAttribute('aria-invalid');
    input.removeAttribute('aria-describedby');
  }
}
