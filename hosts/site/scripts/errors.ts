// Error messages in the page's language, shown at the field that they concern.
import { APIError, NetworkError } from './api.ts';
import { h } from './dom.ts';
import { questionOf, questionText } from './taxquestion.ts';
import { price, say } from './words.ts';

type Control = HTMLInputElement | HTMLSelectElement;

// Message IDs by field name. Errors of other fields get a message by error code.
const fields: readonly (readonly [RegExp, string])[] = [
  [/^email$/, 'wrong_email'],
  [/\.quantity$/, 'wrong_quantity'],
  [/mount$/, 'wrong_amount'],
  [/^items\[\d+\]/, 'wrong_gone'],
  [/^items$/, 'wrong_minimum'],
  [/^tip(Percent|Cents)$/, 'wrong_tip'],
  [/^shippingOption$/, 'wrong_option'],
  [/^campaignSlug$/, 'wrong_campaign'],
  [/^manageToken$/, 'wrong_together'],
  [/^shippingAddress\.country$/, 'wrong_country'],
  [/Address\.state$/, 'wrong_state'],
  [/Address\.phone$/, 'wrong_phone'],
  [/^shippingAddress/, 'wrong_address'],
  [/^billingAddress/, 'wrong_tax_address'],
];

// Error codes for which retrying does not help. They have their own messages.
const permanent = new Set(['conflict', 'forbidden', 'gone', 'not_found', 'unauthorized']);

/**
 * Returns the message for an error in the page's language. `country` is the country whose names for
 * the parts of an address are used. An error that is neither an APIError nor a NetworkError is
 * rethrown.
 */
export function errorText(error: unknown, country = ''): string {
  if (error instanceof NetworkError) return say('offline');
  if (!(error instanceof APIError)) throw error;
  const { code, field = '', remaining = 0, details } = error.problem;
  const question = /^(shipping|billing)Address/.test(field) ? questionOf(details) : undefined;
  if (question) return questionText(question, country);
  switch (code) {
    case 'sold_out':
      return remaining > 0 ? say('wrong_left', { count: remaining }) : say('wrong_sold_out');
    case 'busy':
      return say('wrong_share', { count: remaining });
    case 'too_many':
      return say('wrong_often');
    case 'unavailable':
    case 'internal':
      return say('wrong_unavailable');
  }
  return say(
    fields.find(([pattern]) => pattern.test(field))?.[1] ??
      (permanent.has(code) ? `refused_${code}` : 'refused_invalid'),
  );
}

/** Returns an alert for an error. It takes the focus unless `focus` is false. */
export function notice(error: unknown, focus = true): HTMLElement {
  const element = h('p', { class: 'note bad', role: 'alert', tabindex: -1 }, errorText(error));
  if (focus) queueMicrotask(() => element.focus());
  return element;
}

/**
 * Marks the field that an API error names, such as "shippingAddress.line1" or "items[0].quantity",
 * and focuses it if `focus` is set. Returns false if the error names no field on the page.
 */
export function markField(form: HTMLFormElement, error: unknown, focus = true): boolean {
  clearErrors(form);
  if (!(error instanceof APIError) || !error.problem.field) return false;
  const element = elementOf(form, error.problem.field);
  if (!element) return false;
  showFieldError(element, errorText(error, countryOf(form, error.problem.field)));
  if (focus) focusIn(element);
  return true;
}

/** Returns the chosen country of the address that a field belongs to, or ''. */
const countryOf = (form: HTMLFormElement, field: string): string =>
  controls(form).find((e) => e.name === `${field.split('.')[0]}.country`)?.value ?? '';

/** Returns the control with a name, or the closest group that contains it. */
function elementOf(form: HTMLFormElement, field: string): HTMLElement | undefined {
  const exact = controls(form).find((e) => e.name === field);
  const around = [...form.querySelectorAll<HTMLElement>('[data-field]')].filter((e) =>
    field.startsWith(e.dataset.field ?? ' '),
  );
  const closest = around.sort((a, b) => (b.dataset.field ?? '').length - (a.dataset.field ?? '').length)[0];
  return exact ?? controls(form).find((e) => e.name !== '' && field.startsWith(e.name)) ?? closest;
}

/**
 * Shows a message at a field, unless the field has the focus or an error. Returns a function that
 * removes the message.
 */
export function showRemark(form: HTMLFormElement, field: string, text: string): () => void {
  const element = elementOf(form, field);
  return element && element !== document.activeElement && !element.hasAttribute('aria-invalid')
    ? showFieldError(element, text)
    : () => undefined;
}

/**
 * Shows an error at a field, or below a group of fields, until its value changes or the form is
 * validated again. Returns a function that removes the error.
 */
function showFieldError(element: HTMLElement, text: string): () => void {
  const line = element.closest('.chosen')?.querySelector('.lasting'); // the existing message of a cart line
  if (line) {
    element.setAttribute('aria-invalid', 'true');
    return () => element.removeAttribute('aria-invalid');
  }
  const item = element.closest<HTMLElement>('[data-pick]')?.dataset.pick; // a page has several forms for items
  const id = ['wrong', element.getAttribute('name') ?? element.dataset.field ?? '', ...(item ? [item] : [])].join('-');
  const message = h('p', { class: 'wrong', id }, text);
  if (isControl(element)) {
    element.setAttribute('aria-invalid', 'true');
    element.setAttribute('aria-describedby', id);
    (element.closest('label') ?? element).after(message);
  } else element.append(message);
  const over = (): void => {
    message.remove();
    element.removeAttribute('aria-invalid');
    element.removeAttribute('aria-describedby');
  };
  element.addEventListener('input', over, { once: true });
  return over;
}

/** Focuses a field, or the first field of a group. */
export function focusIn(element: HTMLElement): void {
  (isControl(element) ? element : element.querySelector<HTMLElement>('input, select, button'))?.focus();
}

const isControl = (e: Element): e is Control => e instanceof HTMLInputElement || e instanceof HTMLSelectElement;

const controls = (form: HTMLFormElement): Control[] => [...form.elements].filter(isControl);

function clearErrors(form: HTMLFormElement): void {
  for (const text of form.querySelectorAll('.wrong:not(.lasting)')) text.remove();
  for (const input of form.querySelectorAll('[aria-invalid]')) {
    input.removeAttribute('aria-invalid');
    input.removeAttribute('aria-describedby');
  }
}

/** Validates a form in the browser, marks all errors and focuses the first. Reports whether it is valid. */
export function validateForm(form: HTMLFormElement): boolean {
  clearErrors(form);
  const wrong = controls(form).filter((e) => !e.validity.valid);
  for (const e of wrong) showFieldError(e, validityMessage(e));
  if (wrong[0]) focusIn(wrong[0]);
  return wrong.length === 0;
}

/** Runs a task whenever a form is submitted with valid fields. Returns the form. */
export function onValidSubmit(form: HTMLFormElement, task: () => Promise<void>): HTMLFormElement {
  form.noValidate = true;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (validateForm(form)) void task();
  });
  return form;
}

function validityMessage(e: Control): string {
  if (e.name === 'tipCents') return say('wrong_tip');
  if (e.validity.valueMissing) return say('wrong_empty');
  if (e.type === 'email') return say('wrong_email');
  if (e.type === 'tel') return say('wrong_phone');
  if (!(e instanceof HTMLInputElement)) return say('wrong_empty');
  if (e.name.endsWith('amount') || 'amount' in e.dataset)
    return e.max
      ? say('wrong_between', { least: price(Number(e.min) * 100), most: price(Number(e.max) * 100) })
      : say('wrong_least', { least: price(Number(e.min) * 100) });
  return e.max ? say('wrong_at_most', { least: e.min, most: e.max }) : say('wrong_quantity');
}
