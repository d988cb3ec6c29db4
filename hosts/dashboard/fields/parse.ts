// The texts of numbers in fields, and the values of typed texts. A text that is not a number stays
// as typed, so that it is kept in the draft and the server reports it too.

const amount = /^-?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)?$/;

/** Parses a typed number with optional grouping commas. Returns NaN if it is not one. */
export function parseNumber(typed: string): number {
  const plain = typed.trim();
  return plain && amount.test(plain) && /\d/.test(plain) ? Number(plain.replaceAll(',', '')) : Number.NaN;
}

/** Parses typed dollars into cents. Anything else is returned as typed; nothing as undefined. */
export function parseCents(typed: string): number | string | undefined {
  const plain = typed.trim().replace(/^\$/, '').trim();
  if (!plain) return undefined;
  const cents = parseNumber(plain) * 100;
  return Number.isNaN(cents) || Math.abs(cents - Math.round(cents)) > 1e-6 ? typed : Math.round(cents);
}

const grouped = new Intl.NumberFormat('en-US', { useGrouping: 'always' as never, maximumFractionDigits: 6 });
const withCents = new Intl.NumberFormat('en-US', { useGrouping: 'always' as never, minimumFractionDigits: 2 });

/** Formats cents as dollars with grouping: 4,800 or 4,800.50. */
export const formatCents = (cents: number | string | undefined): string =>
  typeof cents === 'number' ? (cents % 100 ? withCents : grouped).format(cents / 100) : (cents ?? '');

/** Formats a number with grouping. */
export const formatNumber = (n: number | string | undefined): string =>
  typeof n === 'number' ? grouped.format(n) : (n ?? '');

/** Converts the dollars of a file, such as 25 or "25.50", to cents; undefined if it has none. */
export function centsOfDollars(dollars: unknown): number | string | undefined {
  if (dollars === undefined || dollars === null || dollars === '') return undefined;
  return parseCents(String(dollars));
}

/** Converts cents to the dollars of a file. A text that is not an amount stays. */
export const dollarsOfCents = (cents: number | string | undefined): number | string | undefined =>
  typeof cents === 'number' ? cents / 100 : cents;

/** Converts a fraction of a file, such as 0.07875, to percent without rounding errors: 7.875. */
export const percentOfFraction = (fraction: unknown): number | string | undefined =>
  typeof fraction === 'number'
    ? Number((fraction * 100).toPrecision(12))
    : fraction === undefined || fraction === null
      ? undefined
      : String(fraction);

/** Converts percent to a fraction. A text that is not a number stays. */
export const fractionOfPercent = (percent: number | string | undefined): number | string | undefined =>
  typeof percent === 'number' ? Number((percent / 100).toPrecision(12)) : percent;
