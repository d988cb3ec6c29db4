// How often a campaign's page was opened, beside what it brought.
import type { Schema } from '../../site/scripts/api.ts';

export type Visits = Schema['Visits'];
type Row = Schema['Analytics']['total'];
export type Visited = Row & { readonly visits: number };

const divisions = ['days', 'referrals', 'utmSources', 'utmMediums', 'utmCampaigns', 'utmContents'] as const;
type Division = (typeof divisions)[number];

/** Whether visits are divided in a way too. */
export const isVisited = (by: string): by is Division => divisions.some((d) => d === by);

/** The rows of a division with their visits. A link that led to no pledge has a row of its own. */
export function visited(rows: readonly Row[], visits: Visits['days']): readonly Visited[] {
  const counted = new Map(visits.map((v) => [v.name, v.visits]));
  const known = new Set(rows.map((r) => r.name));
  const without = visits.filter((v) => !known.has(v.name)).map((v): Visited => ({ name: v.name, visits: v.visits, pledges: 0, pledged: 0, charged: 0, fees: 0, net: 0, basis: '' }));
  return [...rows.map((r): Visited => ({ ...r, visits: counted.get(r.name) ?? 0 })), ...without];
}
