// Questions that the tax calculation has about an address: which part is missing or contradicts another.
import { partName } from './address.ts';
import type { Schema } from './api.ts';
import { regionsOf } from './formats.ts';
import { lang, say } from './words.ts';

export type Question = Schema['TaxQuestion'];

const names = new Map([...regionsOf('CA'), ...regionsOf('US')]);
const list = new Intl.ListFormat(lang, { type: 'conjunction' });

/** Returns the question as a sentence. A missing part is named as in the address form for the country. */
export function questionText({ field, reason, postalCode = '', states = [] }: Question, country = ''): string {
  if (reason === 'missing')
    return say('tax_missing', { fields: country ? partName(field, country) : say(`address_${field}`) });
  const id = reason === 'other_state' && !/^\d/.test(postalCode) ? 'other_province' : reason;
  return say(`tax_${id}`, { code: postalCode, states: list.format(states.map((code) => names.get(code) ?? code)) });
}

/** Returns the question in an error's details, if there is one. */
export function questionOf(details: unknown): Question | undefined {
  const reason: unknown =
    details && typeof details === 'object' && 'reason' in details && 'field' in details ? details.reason : undefined;
  return typeof reason === 'string' ? (details as Question) : undefined;
}
