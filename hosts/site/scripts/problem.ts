// What went wrong, said where it is and in the page's words.
import { Refused, Silent } from './api.ts';
import { h } from './dom.ts';
import { asked, questionOf } from './question.ts';
import { money, say } from './words.ts';

type Control = HTMLInputElement | HTMLSelectElement;

// What a refused field is told, by the end of its name; else its code decides.
const fields: readonly (readonly [RegExp, string])[] = [
  [/^email$/, 'wrong_email'],
  [/\.quantity$/, 'wrong_quantity'],
  [/mount$/, 'wrong_amount'],
  [/^items\[\d+\]/, 'wrong_gone'],
  [/^items$/, 'wrong_minimum'],
  [/^tipPercent$/, 'wrong_tip'],
  [/^shippingOption$/, 'wrong_option'],
  [/^campaignSlug$/, 'wrong_campaign'],
  [/^manageToken$/, 'wrong_together'],
  [/^shippingAddress\.country$/, 'wrong_country'],
  [/Address\.state$/, 'wrong_state'],
  [/^shippingAddress/, 'wrong_address'],
  [/^billingAddress/, 'wrong_tax_address'],
];

// Refusals that asking again does not end, where no field is named.
const lasting = new Set(['conflict', 'forbidden', 'gone', 'not_found', 'unauthorized']);

/** The sentence for an error, in the page's language. */
export function sentence(error: unknown): string {
  if (error instanceof Silent) return say('offline');
  if (!(error instanceof Refused)) throw error;
  const { code, field = '', remaining = 0, details } = error.problem;
  const question = /^(shipping|billing)Address/.test(field) ? questionOf(details) : undefined;
  if (question) return asked(question);
  switch (code) {
    case 'sold_out':
      return remaining > 0 ? say('wrong_left', { count: remaining }) : say('sold_out');
    case 'busy':
      return say('wrong_share', { count: remaining });
    case 'too_many':
      return say('wrong_often');
    case 'unavailable':
    case 'internal':
      return say('wrong_unavailable');
  }
  return say(fields.find(([pattern]) => pattern.test(field))?.[1] ?? (lasting.has(code) ? `refused_${code}` : 'refused_invalid'));
}

/** A notice that is read out at once. After something that the supporter did it gets the focus. */
export function notice(error: unknown, lead = true): HTMLElement {
  const element = h('p', { class: 'note bad', role: 'alert', tabindex: -1 }, sentence(error));
  if (lead) queueMicrotask(() => element.focus());
  return element;
}

/**
 * Marks the field that the service names, such as "shippingAddress.line1" or
 * "items[0].quantity", and leads to it where the supporter asked. It returns false where
 * no field is named.
 */
export function mark(form: HTMLFormElement, error: unknown, lead = true): boolean {
  clear(form);
  if (!(error instanceof Refused) || !error.problem.field) return false;
  const place = placeOf(form, error.problem.field);
  if (!place) return false;
  point(place, sentence(error));
  if (lead) focusIn(place);
  return true;
}

/** The field of a name, or the closest thing around it. */
function placeOf(form: HTMLFormElement, field: string): HTMLElement | undefined {
  const exact = controls(form).find((e) => e.name === field);
  const around = [...form.querySelectorAll<HTMLElement>('[data-field]')].filter((e) => field.startsWith(e.dataset.field ?? ' '));
  const closest = around.sort((a, b) => (b.dataset.field ?? '').length - (a.dataset.field ?? '').length)[0];
  return exact ?? controls(form).find((e) => e.name !== '' && field.startsWith(e.name)) ?? closest;
}

/** Says at a field what the tax depends on, unless it is being typed. It returns what takes that back. */
export function remark(form: HTMLFormElement, field: string, text: string): () => void {
  const place = placeOf(form, field);
  return place && place !== document.activeElement && !place.hasAttribute('aria-invalid') ? point(place, text) : () => undefined;
}

/** Says what is wrong at a field, or below a group of fields, until that is changed or all is looked at again. */
function point(place: HTMLElement, text: string): () => void {
  const id = `wrong-${place.getAttribute('name') ?? place.dataset.field ?? ''}`;
  const message = h('p', { class: 'wrong', id }, text);
  if (isControl(place)) {
    place.setAttribute('aria-invalid', 'true');
    place.setAttribute('aria-describedby', id);
    (place.closest('label') ?? place).after(message);
  } else place.append(message);
  const over = (): void => {
    message.remove();
    place.removeAttribute('aria-invalid');
    place.removeAttribute('aria-describedby');
  };
  place.addEventListener('input', over, { once: true });
  return over;
}

/** Leads to a field, or to the first of a group. */
export function focusIn(place: HTMLElement): void {
  (isControl(place) ? place : place.querySelector<HTMLElement>('input, select, button'))?.focus();
}

const isControl = (e: Element): e is Control => e instanceof HTMLInputElement || e instanceof HTMLSelectElement;

const controls = (form: HTMLFormElement): Control[] => [...form.elements].filter(isControl);

function clear(form: HTMLFormElement): void {
  for (const text of form.querySelectorAll('.wrong:not(.lasting)')) text.remove();
  for (const input of form.querySelectorAll('[aria-invalid]')) {
    input.removeAttribute('aria-invalid');
    input.removeAttribute('aria-describedby');
  }
}

/** Looks at what the page can judge by itself, says what is wrong, and leads to the first of it. */
export function complete(form: HTMLFormElement): boolean {
  clear(form);
  const wrong = controls(form).filter((e) => !e.validity.valid);
  for (const e of wrong) point(e, judged(e));
  if (wrong[0]) focusIn(wrong[0]);
  return wrong.length === 0;
}

function judged(e: Control): string {
  if (e.validity.valueMissing) return say('wrong_empty');
  if (e.type === 'email') return say('wrong_email');
  if (!(e instanceof HTMLInputElement)) return say('wrong_empty');
  if (e.name.endsWith('amount') || 'amount' in e.dataset) return e.max ? say('wrong_between', { least: money(Number(e.min) * 100), most: money(Number(e.max) * 100) }) : say('wrong_amount');
  return e.max ? say('wrong_at_most', { least: e.min, most: e.max }) : say('wrong_quantity');
}
