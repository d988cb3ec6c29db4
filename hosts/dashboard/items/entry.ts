// The values of list entries, and how much supporters have claimed of them.
import type { Schema } from '../../site/scripts/api.ts';
import { equal, type Values } from '../editor/draft.ts';
import { centsOfDollars } from '../fields/parse.ts';
import { useResource } from '../resources.ts';
import { keyOf } from '../ui/order.ts';
import { say } from './words.ts';

/** Returns an entry's ID, or '' for an entry that was just added. */
export const idOf = (entry: Values): string => String(entry['#'] ?? entry.id ?? '');

/** Returns a key that identifies an entry while it is edited. */
export const entryKey = (entry: Values): string => (typeof entry['#'] === 'string' ? `#${entry['#']}` : keyOf(entry));

export const textOf = (value: unknown): string => (value === undefined || value === null ? '' : String(value));

/** Returns an amount in cents; 0 if the value is not an amount. */
export const cents = (value: unknown): number => {
  const amount = centsOfDollars(value);
  return typeof amount === 'number' ? amount : 0;
};

/** Returns a whole number, or undefined if the value is not one. */
export const wholeNumber = (value: unknown): number | undefined =>
  /^\d+$/.test(textOf(value)) ? Number(value) : undefined;

export const isPhysical = (entry: Values): boolean => entry.category === 'physical';

/** Returns how an entry differs from the published ones. */
export function changeOf(entry: Values, published: readonly Values[]): 'new' | 'edited' | '' {
  const before = published.find((e) => e['#'] !== undefined && e['#'] === entry['#']);
  if (!before) return 'new';
  return equal(before, entry) ? '' : 'edited';
}

/** Returns the indexes of entries in the order of their amounts. */
export const byAmount = (entries: readonly Values[], field: string): readonly number[] =>
  entries.map((_, i) => i).sort((a, b) => cents(entries[a]?.[field]) - cents(entries[b]?.[field]) || a - b);

/**
 * Returns the indexes of entries in the order of their dates, newest first. Entries without a date
 * come first.
 */
export const byDate = (entries: readonly Values[], field: string): readonly number[] =>
  entries
    .map((_, i) => i)
    .sort((a, b) => {
      const [x, y] = [textOf(entries[a]?.[field]), textOf(entries[b]?.[field])];
      if (!x || !y) return Number(Boolean(x)) - Number(Boolean(y)) || b - a;
      return y.localeCompare(x) || b - a;
    });

type Read = Schema['Claims'];
type Claim = Read['addOns'][number];

/** What supporters have claimed of a campaign's offers, or of the platform's. */
export interface Claims {
  readonly supporters: number;
  readonly pledged: number; // cents
  readonly sumOfTiers: number; // cents
  readonly tier: (id: string) => Omit<Claim, 'variants'> | undefined;
  readonly addOn: (id: string) => Claim | undefined;
  readonly ofSupportItem: (id: string) => number; // cents
}

const noClaims: Read = {
  tiers: [],
  addOns: [],
  supportItems: [],
  custom: 0,
  pledged: 0,
  pledges: 0,
  rewards: 0,
  supporters: 0,
};

/** Reads what supporters have claimed of a campaign's offers, or of the platform's. */
export function useClaims(slug: string | undefined): Claims {
  const path = slug ? `/admin/campaigns/claims/${slug}` : '/admin/add-ons/claims';
  const read = useResource<Read>(path, 60).value ?? noClaims;
  return {
    supporters: read.supporters,
    pledged: read.pledged,
    sumOfTiers: read.tiers.reduce((sum, t) => sum + t.sum, 0),
    tier: (id) => read.tiers.find((t) => t.id === id),
    addOn: (id) => read.addOns.find((a) => a.id === id),
    ofSupportItem: (id) => read.supportItems.find((s) => s.id === id)?.pledged ?? 0,
  };
}

/** Returns the text for the countries that an entry without its own inherits from the campaign. */
export function countriesOf(values: Values): Readonly<Record<string, string>> {
  const list = Array.isArray(values.ships_to) ? values.ships_to.join(', ') : '';
  return { ships_to: list ? say('same_as_campaign', { value: list }) : say('as_campaign') };
}
