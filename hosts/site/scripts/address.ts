// The fields of an address. Which there are, their order and their names are those of its
// country; what was typed stays when the country changes.
import type { Schema } from './api.ts';
import { h } from './dom.ts';
import { countries, format, regionsOf, type Format, type Letter } from './formats.ts';
import { lang, say } from './words.ts';

export type Address = Schema['Address'];
export type Prefix = 'shippingAddress' | 'billingAddress';
export type Part = 'name' | 'line1' | 'line2' | 'city' | 'state' | 'postalCode';
type Control = HTMLInputElement | HTMLSelectElement;

const parts: Readonly<Record<Letter, readonly Part[]>> = { A: ['line1', 'line2'], C: ['city'], S: ['state'], Z: ['postalCode'] };
const autocomplete: Readonly<Record<Part, string>> = { name: 'name', line1: 'address-line1', line2: 'address-line2', city: 'address-level2', state: 'address-level1', postalCode: 'postal-code' };
const letters: Partial<Record<Part, Letter>> = { line1: 'A', city: 'C', state: 'S', postalCode: 'Z' };

const usual: Partial<Record<Letter, string>> = { S: 'province' };

/** The fields of where something is sent, or only of where the supporter lives, with the other parts that tax depends on. */
export function addressFields(prefix: Prefix, value: Address = {}, others: readonly Part[] = []): HTMLFieldSetElement {
  const sent = prefix === 'shippingAddress';
  const control = controls(prefix, value);
  const rows = h('div');
  const select = choice(`${prefix}.country`, `${sent ? 'shipping' : 'billing'} country`, named(), value.country ?? 'US');
  const arrange = (): void => {
    const f = format(select.value);
    const field = (part: Part): HTMLElement => labelled(control(part, select.value), part, f, sent);
    const wanted = f.rows.map((row) => row.flatMap((letter) => parts[letter]).filter((part) => sent || part === 'state' || part === 'postalCode' || others.includes(part)));
    rows.replaceChildren(...(sent ? [field('name')] : []), ...wanted.flatMap((row) => line(row.map(field), row)));
  };
  select.addEventListener('input', arrange); // before the form hears of it
  arrange();
  return h('fieldset', { 'data-address': prefix, 'data-field': prefix }, h('legend', {}, say(sent ? 'address_send' : 'address_where')),
    sent ? null : h('p', { class: 'small' }, say('address_why')), h('label', {}, say('address_country'), select), rows);
}

/** City, state and postal code stand beside each other where the country writes them so. */
function line(fields: HTMLElement[], row: readonly Part[]): HTMLElement[] {
  const street = fields.filter((_, i) => row[i]?.startsWith('line'));
  const rest = fields.slice(street.length);
  return rest.length > 1 ? [...street, h('div', { class: 'pair' }, ...rest)] : fields;
}

/** Makes each field once, and the state's once for each country, so that nothing typed is lost. */
function controls(prefix: Prefix, value: Address): (part: Part, country: string) => Control {
  const made = new Map<string, Control>();
  return (part, country) => {
    const key = part === 'state' ? `state ${country}` : part;
    const regions = part === 'state' ? regionsOf(country) : [];
    const given = part === 'state' && country !== (value.country ?? 'US') ? '' : (value[part] ?? '');
    const name = `${prefix}.${part}`;
    const auto = `${prefix === 'shippingAddress' ? 'shipping' : 'billing'} ${autocomplete[part]}`;
    const known = made.get(key) ?? (regions.length ? choice(name, auto, [['', ''], ...regions], given) : h('input', { name, autocomplete: auto, maxlength: 120, value: given }));
    made.set(key, known);
    return known;
  };
}

function labelled(control: Control, part: Part, f: Format, sent: boolean): HTMLElement {
  const letter = letters[part];
  const called = letter && (f.called[letter] ?? usual[letter]);
  const name = called ? say(`part_${called}`) : say(`address_${part}`);
  const needed = part === 'name' || (letter !== undefined && f.needed.includes(letter));
  control.required = sent && needed;
  return h('label', {}, sent && !needed ? say('address_optional', { name }) : name, control);
}

/** A list to choose from; what is chosen already is in it, whatever it is. */
function choice(name: string, auto: string, options: readonly (readonly [string, string])[], chosen: string): HTMLSelectElement {
  const all = options.some(([value]) => value === chosen) ? options : [...options, [chosen, chosen] as const];
  return h('select', { name, autocomplete: auto }, ...all.map(([value, text]) => h('option', { value, selected: value === chosen }, text)));
}

const names = new Intl.DisplayNames([lang], { type: 'region' });
const nameOf = (country: string): string => names.of(country) ?? country;

function named(): (readonly [string, string])[] {
  return countries.map((code) => [code, nameOf(code)] as const).sort((a, b) => a[1].localeCompare(b[1], lang));
}

/** An address in one line, in the order in which its country writes it, and with all that it has. */
export function addressLine(a: Address): string {
  const { rows } = format(a.country ?? '');
  const unusual = (Object.keys(parts) as Letter[]).filter((letter) => !rows.flat().includes(letter));
  const lines = [...rows, unusual].map((row) => row.flatMap((letter) => parts[letter].map((part) => a[part])).filter(Boolean).join(' '));
  return [a.name, ...lines, a.country && nameOf(a.country)].filter(Boolean).join(', ');
}

/** Reads the fields back; undefined where they are not on the page. */
export function readAddress(form: HTMLFormElement, prefix: Prefix): Address | undefined {
  if (!form.querySelector(`[data-address=${prefix}]`)) return undefined;
  const data = new FormData(form);
  const address: Record<string, string> = {};
  for (const name of ['name', 'line1', 'line2', 'city', 'state', 'postalCode', 'country']) {
    const value = String(data.get(`${prefix}.${name}`) ?? '').trim();
    if (value) address[name] = value;
  }
  return address;
}
