// The audience of a message: all supporters of a campaign, or those whose pledge has certain
// rewards, statuses, countries or languages.
import type { Schema } from '../../site/scripts/api.ts';
import { countryName } from '../words.ts';
import { say } from './words.ts';

export type Reach = Schema['NewsAudience'];

export const kinds = ['rewards', 'statuses', 'countries', 'languages'] as const;
export type Kind = (typeof kinds)[number];

/**
 * The values of which a pledge must have one, by kind. A kind without values does not restrict the
 * audience.
 */
export type Audience = { readonly [K in Kind]?: readonly string[] };

export const everyone: Audience = {};

type Requested = NonNullable<Schema['NewsRequest']['audience']>;

/** Returns an audience for a request. The server rejects values that no pledge can have. */
export const asRequested = (audience: Audience): Requested => audience as Requested;

export const isEveryone = (audience: Audience): boolean => kinds.every((k) => !audience[k]?.length);

const keyOf = (audience: Audience): string => JSON.stringify(kinds.map((k) => (audience[k] ?? []).toSorted()));

export const isSameAudience = (a: Audience, b: Audience): boolean => keyOf(a) === keyOf(b);

/** Returns the audience with one kind's values replaced. Kinds without values are left out. */
export function withValues(audience: Audience, kind: Kind, values: readonly string[]): Audience {
  const { [kind]: _, ...others } = audience;
  return values.length ? { ...others, [kind]: values } : others;
}

const statusNames = {
  active: 'status_active',
  payment_failed: 'status_payment_failed',
  charged: 'status_charged',
} as const;
const languageNames = { en: 'language_en', es: 'language_es' } as const;

/** Returns the name of a value, such as "Canada". A value that no supporter has is named by its code. */
export function valueName(kind: Kind, value: string, rewardNames: Reach['rewardNames'] = {}): string {
  switch (kind) {
    case 'rewards':
      return rewardNames[value] || value;
    case 'countries':
      return countryName(value);
    case 'statuses':
      return value in statusNames ? say(statusNames[value as keyof typeof statusNames]) : value;
    case 'languages':
      return value in languageNames ? say(languageNames[value as keyof typeof languageNames]) : value;
  }
}

/** Returns the audience's values with their names, in the order of kinds. */
export const valuesOf = (audience: Audience, rewardNames?: Reach['rewardNames']) =>
  kinds.flatMap((kind) =>
    (audience[kind] ?? []).map((value) => ({ kind, value, name: valueName(kind, value, rewardNames) })),
  );
