// Formats and parses the numbers in fields. Text that is not a number is kept as typed, so that it
// is stored in the draft and reported by the server, too.
import { lang } from '../words.ts';

interface Notation {
  readonly locale: string;
  readonly group: string;
  readonly point: string;
  readonly number: RegExp;
}

const english: Notation = {
  locale: 'en-US',
  group: ',',
  point: '.',
  number: /^-?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)?$/,
};
const spanish: Notation = {
  locale: 'es-ES',
  group: '.',
  point: ',',
  number: /^-?(?:\d{1,3}(?:\.\d{3})+|\d+)?(?:,\d+)?$/,
};
const notation = lang === 'es' ? spanish : english;

/**
 * Parses a typed number with optional grouping: 1,250.5, in Spanish 1.250,5. In Spanish 25.50 is a
 * number, too, because a group has three digits. Returns NaN if the text is not a number.
 */
export const parseNumber = (typed: string): number => read(typed, notation);

function read(typed: string, notation: Notation): number {
  const plain = typed.trim();
  if (!/\d/.test(plain)) return Number.NaN;
  if (notation.number.test(plain)) return Number(plain.replaceAll(notation.group, '').replace(notation.point, '.'));
  return notation === spanish && /^-?\d*\.\d{1,2}$/.test(plain) ? Number(plain) : Number.NaN;
}

/**
 * Parses typed dollars into cents. Other text is returned as typed, and empty text as undefined.
 * More than two decimals are not accepted, because in Spanish 6,500 may have been meant as 6500.
 */
export const parseCents = (typed: string): number | string | undefined => readCents(typed, notation);

function readCents(typed: string, notation: Notation): number | string | undefined {
  const plain = typed
    .trim()
    .replace(/^\$|US\$$/, '')
    .trim();
  if (!plain) return undefined;
  const decimals = plain.split(notation.point)[1] ?? '';
  const cents = Math.round(read(plain, notation) * 100);
  return Number.isNaN(cents) || decimals.length > 2 ? typed : cents;
}

const grouped = new Intl.NumberFormat(notation.locale, {
  useGrouping: 'always' as never,
  maximumFractionDigits: 6,
});
const withCents = new Intl.NumberFormat(notation.locale, {
  useGrouping: 'always' as never,
  minimumFractionDigits: 2,
});

/** Formats cents as dollars with grouping: 4,800 or 4,800.50, in Spanish 4.800 or 4.800,50. */
export const formatCents = (cents: number | string | undefined): string =>
  typeof cents === 'number' ? (cents % 100 ? withCents : grouped).format(cents / 100) : (cents ?? '');

/** Formats a number with grouping. */
export const formatNumber = (n: number | string | undefined): string =>
  typeof n === 'number' ? grouped.format(n) : (n ?? '');

/**
 * Converts the dollars in a file, such as 25 or "$6,500" in every language, to cents; undefined if
 * there are none.
 */
export function centsOfDollars(dollars: unknown): number | string | undefined {
  if (dollars === undefined || dollars === null || dollars === '') return undefined;
  const cents = Number(dollars) * 100;
  return Math.abs(cents - Math.round(cents)) > 1e-6 || Number.isNaN(cents)
    ? readCents(String(dollars), english)
    : Math.round(cents);
}

/** Converts cents to the dollars in a file. Text that is not an amount is returned unchanged. */
export const dollarsOfCents = (cents: number | string | undefined): number | string | undefined =>
  typeof cents === 'number' ? cents / 100 : cents;

/** Converts a fraction in a file, such as 0.07875, to percent without rounding errors: 7.875. */
export const percentOfFraction = (fraction: unknown): number | string | undefined =>
  typeof fraction === 'number'
    ? Number((fraction * 100).toPrecision(12))
    : fraction === undefined || fraction === null
      ? undefined
      : String(fraction);

/** Converts percent to a fraction. Text that is not a number is returned unchanged. */
export const fractionOfPercent = (percent: number | string | undefined): number | string | undefined =>
  typeof percent === 'number' ? Number((percent / 100).toPrecision(12)) : percent;

/** Returns the lines of a text without empty ones. */
export const linesOf = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

const noCountries = 'none';

/** Returns the countries of a setting, which are separated by commas. */
export function parseCountries(text: string | undefined): readonly string[] | string | undefined {
  if (text === undefined || text === 'everywhere') return text;
  return text === noCountries ? [] : text.split(/[\s,]+/).filter(Boolean);
}

/**
 * Formats the countries of a setting, or returns undefined for the default. An empty list is
 * written as the word none, unless it is the default.
 */
export function formatCountries(picked: readonly string[] | string, fallback: string | undefined): string | undefined {
  const text = typeof picked === 'string' ? picked : picked.join(',');
  const usual = [...(parseCountries(fallback) ?? [])].toSorted().join(',');
  if ((typeof picked === 'string' ? text : picked.toSorted().join(',')) === usual) return undefined;
  return text || noCountries;
}
