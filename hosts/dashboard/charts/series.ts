// Daily sums as the points of a chart, and the estimate of the total at a deadline.

export interface Day {
  readonly day: string; // such as 2026-11-03
  readonly sum: number; // cents of that day
  readonly returning?: number; // cents of it from supporters who had pledged before
}

export interface Point extends Day {
  readonly total: number; // cents up to and including the day
}

/** The range in which a total is expected to be, in cents. */
export interface Estimate {
  readonly low: number;
  readonly high: number;
}

const dayLength = 86_400_000; // milliseconds

/** Returns the number of days from one date to another. */
export const daysBetween = (from: string, to: string): number =>
  Math.round((Date.parse(to) - Date.parse(from)) / dayLength);

/** Returns the date some days after a date. */
export const addDays = (day: string, n: number): string =>
  new Date(Date.parse(day) + n * dayLength).toISOString().slice(0, 10);

/**
 * Returns a point with the running total for each day of a period. Sums before the period are part
 * of its first total.
 */
export function runningTotals(days: readonly Day[], from: string, to: string): readonly Point[] {
  const sums = new Map<string, number>();
  const returning = new Map<string, number>();
  let total = 0;
  for (const { day, sum, returning: part = 0 } of days) {
    if (day < from) total += sum;
    else sums.set(day, (sums.get(day) ?? 0) + sum);
    if (part) returning.set(day, (returning.get(day) ?? 0) + part);
  }
  return Array.from({ length: Math.max(0, daysBetween(from, to) + 1) }, (_, i) => {
    const day = addDays(from, i);
    const sum = sums.get(day) ?? 0;
    total += sum;
    const part = returning.get(day);
    return { day, sum, total, ...(part ? { returning: part } : {}) };
  });
}

const observed = 10; // days
const averaged = 5; // days

/**
 * Estimates the total at the last day from the ten days before the current one. The range is given
 * by the slowest and the fastest five consecutive days. Returns undefined before the fifth day, and
 * if these days have no pledges.
 */
export function estimateTotal(points: readonly Point[], last: string): Estimate | undefined {
  const today = points.at(-1);
  if (!today || points.length < averaged) return undefined;
  const recent = points.slice(-observed - 1, -1).map((p) => p.sum);
  const length = Math.min(averaged, recent.length);
  const rates = recent.slice(length - 1).map((_, i) => recent.slice(i, i + length).reduce((a, b) => a + b, 0) / length);
  if (!Math.max(...rates)) return undefined;
  const left = Math.max(0, daysBetween(today.day, last));
  const at = (rate: number): number => Math.round(today.total + rate * left);
  return { low: at(Math.min(...rates)), high: at(Math.max(...rates)) };
}

/**
 * Returns the day on which a total is reached at the pace of the last ten days; "" if it does not
 * grow.
 */
export function dayReached(points: readonly Point[], amount: number): string {
  const today = points.at(-1);
  const recent = points.slice(-observed - 1, -1);
  const rate = recent.reduce((sum, p) => sum + p.sum, 0) / (recent.length || 1);
  if (!today || points.length < averaged || rate <= 0) return '';
  return addDays(today.day, Math.max(0, Math.ceil((amount - today.total) / rate)));
}
