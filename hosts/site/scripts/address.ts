// Address forms. The fields, their order and their labels follow the country's address format.
// Input is kept when the country changes.
import type { Schema } from './api.ts';
import { h } from './dom.ts';
import { type Format, formatOf, formCountries, type Letter, regionsOf } from './formats.ts';
import { lang, say } from './words.ts';

export type Address = Schema['Address'];
export type Prefix = 'shippingAddress' | 'billingAddress';
export type Part = 'name' | 'line1' | 'line2' | 'city' | 'state' | 'postalCode' | 'phone';
type Control = HTMLInputElement | HTMLSelectElement;

const parts: Readonly<Record<Letter, readonly Part[]>> = {
  A: ['line1', 'line2'],
  C: ['city'],
  S: ['state'],
  Z: ['postalCode'],
};
const autocomplete: Readonly<Record<Part, string>> = {
  name: 'name',
  line1: 'address-line1',
  line2: 'address-line2',
  city: 'address-level2',
  state: 'address-level1',
  postalCode: 'postal-code',
  phone: 'tel',
};
const letterOf: Partial<Record<Part, Letter>> = { line1: 'A', city: 'C', state: 'S', postalCode: 'Z' };

const defaultLabels: Partial<Record<Letter, string>> = { S: 'province' };

/**
 * Returns a fieldset for a shipping address, or for a billing address with only the parts that
 * tax depends on: country, state, postal code and the parts in `others`.
 */
export function addressFields(prefix: Prefix, value: Address = {}, others: readonly Part[] = []): HTMLFieldSetElement {
  const sent = prefix === 'shippingAddress';
  const control = controls(prefix, value);
  const rows = h('div');
  const select = selectField(
    `${prefix}.country`,
    `${sent ? 'shipping' : 'billing'} country`,
    countryOptions(sent, value.country),
    value.country ?? 'US',
  );
  const arrange = (): void => {
    const f = formatOf(select.value);
    const field = (part: Part): HTMLElement => labelledControl(control(part, select.value), part, f, sent);
    const wanted = f.rows.map((row) =>
      row
        .flatMap((letter) => parts[letter])
        .filter((part) => sent || part === 'state' || part === 'postalCode' || others.includes(part)),
    );
    rows.replaceChildren(
      ...(sent ? [field('name')] : []),
      ...wanted.flatMap((row) => groupLine(row.map(field), row)),
      ...(sent ? [phoneField(control('phone', select.value), select.value)] : []),
    );
  };
  // Registered on the select, the listener runs before the input listener of the form.
  select.addEventListener('input', arrange);
  arrange();
  return h(
    'fieldset',
    { 'data-address': prefix, 'data-field': prefix },
    h('legend', {}, say(sent ? 'address_send' : 'address_where')),
    sent ? null : h('p', { class: 'small' }, say('address_why')),
    h('label', {}, say('address_country'), select),
    rows,
  );
}

/** Puts city, state and postal code next to each other if the country writes them on one line. */
function groupLine(fields: HTMLElement[], row: readonly Part[]): HTMLElement[] {
  const street = fields.filter((_, i) => row[i]?.startsWith('line'));
  const rest = fields.slice(street.length);
  return rest.length > 1 ? [...street, h('div', { class: 'pair' }, ...rest)] : fields;
}

/**
 * Returns a function that returns the control of a part. It creates each control once, and that of
 * the state once per country, so that input is not lost when the country changes.
 */
function controls(prefix: Prefix, value: Address): (part: Part, country: string) => Control {
  const created = new Map<string, Control>();
  return (part, country) => {
    const key = part === 'state' ? `state ${country}` : part;
    const regions = part === 'state' ? regionsOf(country) : [];
    const given = part === 'state' && country !== (value.country ?? 'US') ? '' : (value[part] ?? '');
    const name = `${prefix}.${part}`;
    const auto = `${prefix === 'shippingAddress' ? 'shipping' : 'billing'} ${autocomplete[part]}`;
    const existing =
      created.get(key) ??
      (regions.length
        ? selectField(name, auto, [['', ''], ...regions], given)
        : part === 'phone'
          ? phoneInput(name, auto, given)
          : h('input', { name, autocomplete: auto, maxlength: 120, value: given }));
    created.set(key, existing);
    return existing;
  };
}

function phoneInput(name: string, auto: string, value: string): HTMLInputElement {
  const input = h('input', { type: 'tel', name, autocomplete: auto, maxlength: 30, value });
  const check = (): void => input.setCustomValidity(input.value.trim() === '' || isPhone(input.value) ? '' : name);
  input.addEventListener('input', check);
  check();
  return input;
}

/** Reports whether a text can be a phone number. The server applies the same rule in pledge.Address. */
export function isPhone(text: string): boolean {
  const digits = text.replace(/\D/g, '').length;
  return /^[0-9+\-()\s./]{5,30}$/.test(text.trim()) && digits >= 5 && digits <= 15 && text.split('+').length <= 2;
}

/** Returns the phone field. Its hint differs for parcels that cross a border, for which carriers need the number. */
function phoneField(control: Control, country: string): HTMLElement {
  const abroad = country !== document.body.dataset.origin;
  return h(
    'label',
    {},
    say('address_phone'),
    h('span', { class: 'hint' }, say(abroad ? 'address_phone_abroad' : 'address_phone_why')),
    control,
  );
}

function labelledControl(control: Control, part: Part, f: Format, sent: boolean): HTMLElement {
  const letter = letterOf[part];
  const name = partLabel(part, f);
  const needed = part === 'name' || (letter !== undefined && f.required.includes(letter));
  control.required = sent && needed;
  return h('label', {}, sent && !needed ? say('address_optional', { name }) : name, control);
}

function partLabel(part: Part | 'country', f: Format): string {
  const letter = part === 'country' ? undefined : letterOf[part];
  const called = letter && (f.labels[letter] ?? defaultLabels[letter]);
  return called ? say(`part_${called}`) : say(`address_${part}`);
}

/** Returns the name of a part of an address, as the address form for the country labels it. */
export const partName = (part: string, country: string): string => partLabel(part as Part, formatOf(country));

/** Returns a select. A chosen value that is not among the options is added to them. */
function selectField(
  name: string,
  auto: string,
  options: readonly (readonly [string, string])[],
  chosen: string,
): HTMLSelectElement {
  const all = options.some(([value]) => value === chosen) ? options : [...options, [chosen, chosen] as const];
  return h(
    'select',
    { name, autocomplete: auto },
    ...all.map(([value, text]) => h('option', { value, selected: value === chosen }, text)),
  );
}

const names = new Intl.DisplayNames([lang], { type: 'region' });
const nameOf = (country: string): string => names.of(country) ?? country;

/**
 * Returns the countries to choose from as [code, name]. For a shipping address (`sent`) the excluded
 * countries are left out. A country that is already chosen is always in the list; the service reports
 * an error if it is excluded.
 */
function countryOptions(sent: boolean, chosen = ''): (readonly [string, string])[] {
  const excluded = sent ? (document.body.dataset.excluded ?? '').split(' ') : [];
  return formCountries
    .filter((code) => !excluded.includes(code))
    .concat(chosen && (excluded.includes(chosen) || !formCountries.includes(chosen)) ? [chosen] : [])
    .map((code) => [code, nameOf(code)] as const)
    .sort((a, b) => a[1].localeCompare(b[1], lang));
}

/**
 * Formats an address on one line: the name, the parts in the order of the country's format, parts
 * that this format does not contain, the country and the phone number.
 */
export function addressLine(a: Address): string {
  const { rows } = formatOf(a.country ?? '');
  const unusual = (Object.keys(parts) as Letter[]).filter((letter) => !rows.flat().includes(letter));
  const lines = [...rows, unusual].map((row) =>
    row
      .flatMap((letter) => parts[letter].map((part) => a[part]))
      .filter(Boolean)
      .join(' '),
  );
  return [a.name, ...lines, a.country && nameOf(a.country), a.phone].filter(Boolean).join(', ');
}

/** Reads an address from a form. Returns undefined if the form has no such fields. */
export function readAddress(form: HTMLFormElement, prefix: Prefix): Address | undefined {
  if (!form.querySelector(`[data-address=${prefix}]`)) return undefined;
  const data = new FormData(form);
  const address: Record<string, string> = {};
  for (const name of ['name', 'line1', 'line2', 'city', 'state', 'postalCode', 'country', 'phone']) {
    const value = String(data.get(`${prefix}.${name}`) ?? '').trim();
    if (value) address[name] = value;
  }
  return address;
}
