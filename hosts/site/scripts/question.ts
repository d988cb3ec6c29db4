// What the tax depends on, in the page's words: the part of an address that is missing or
// contradicts another.
import type { Schema } from './api.ts';
import { regionsOf } from './formats.ts';
import { lang, say } from './words.ts';

export type Question = Schema['TaxQuestion'];

const names = new Map([...regionsOf('CA'), ...regionsOf('US')]);
const list = new Intl.ListFormat(lang, { type: 'conjunction' });

/** The question as a sentence. */
export function asked({ field, reason, postalCode = '', states = [] }: Question): string {
  if (reason === 'missing') return say('tax_missing', { fields: say(`address_${field}`) });
  return say(`tax_${reason}`, { code: postalCode, states: list.format(states.map((code) => names.get(code) ?? code)) });
}

/** The question that an error's details are, if they are one. */
export function questionOf(details: unknown): Question | undefined {
  const reason: unknown = details && typeof details === 'object' && 'reason' in details && 'field' in details ? details.reason : undefined;
  return typeof reason === 'string' ? (details as Question) : undefined;
}
