// Joins page visits to the rows of an analytics report.
import type { Schema } from '../../site/scripts/api.ts';

export type Visits = Schema['Visits'];
type Row = Schema['Analytics']['total'];
export type VisitedRow = Row & { readonly visits: number };

const visitDimensions = [
  'days',
  'links',
  'referrals',
  'utmSources',
  'utmMediums',
  'utmCampaigns',
  'utmContents',
] as const;
type VisitDimension = (typeof visitDimensions)[number];

/** Reports whether visits are also counted by this dimension. */
export const hasVisits = (by: string): by is VisitDimension => visitDimensions.some((d) => d === by);

/** Returns the rows with their visits, plus a row for each link that had visits but no pledges. */
export function withVisits(rows: readonly Row[], visits: Visits['days']): readonly VisitedRow[] {
  const counted = new Map(visits.map((v) => [v.name, v.visits]));
  const existing = new Set(rows.map((r) => r.name));
  const without = visits
    .filter((v) => !existing.has(v.name))
    .map(
      (v): VisitedRow => ({
        name: v.name,
        visits: v.visits,
        pledges: 0,
        pledged: 0,
        total: 0,
        charged: 0,
        refunded: 0,
        fees: 0,
        net: 0,
        expectedFees: 0,
        expectedNet: 0,
        basis: '',
      }),
    );
  return [...rows.map((r): VisitedRow => ({ ...r, visits: counted.get(r.name) ?? 0 })), ...without];
}

/** Returns the number of visits on the days of a period. */
export const visitsIn = (days: Visits['days'], from: string, to: string): number =>
  days.filter((d) => from <= d.name && d.name <= to).reduce((n, d) => n + d.visits, 0);
