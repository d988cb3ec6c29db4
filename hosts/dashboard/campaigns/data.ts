// Reads that a campaign's overview combines: its analytics, public stock and file.
import { useEffect, useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { mergeReports } from '../analytics/merge.ts';
import { query, useResource } from '../resources.ts';
import { hasPermission } from '../session.ts';
import type { Summary } from './summary.ts';

type Report = Schema['Analytics'];

const pageSize = 5000; // pledges

/** Reads the analytics of a campaign page by page, if the operator may see money. The component is keyed by the campaign. */
export function useAnalytics({ campaignSlug, pledgeCount }: Summary): Report | undefined {
  const [parts, setParts] = useState<ReadonlyMap<number, Report>>(new Map());
  const [cursor, setCursor] = useState(0);
  const { value } = useResource<Report>(
    hasPermission('money') && pledgeCount > 0
      ? query(`/admin/analytics/${campaignSlug}`, { limit: pageSize, cursor: cursor || undefined })
      : '',
    60,
  );
  useEffect(() => {
    if (!value) return;
    setParts((read) => new Map(read).set(cursor, value));
    if (value.next) setCursor(value.next);
  }, [value]);
  return mergeReports([...parts.values()]);
}

/** Reads what supporters have claimed of a campaign's rewards, if the operator may edit it. */
export const useClaims = ({ campaignSlug, archived }: Summary): Schema['Claims'] | undefined =>
  useResource<Schema['Claims']>(
    hasPermission('content') && !archived ? `/admin/campaigns/claims/${campaignSlug}` : '',
    60,
  ).value;

export interface Goal {
  readonly title: string;
  /** Cents. */
  readonly amount: number;
}

/** Reads a campaign's file, if the operator may edit it. */
export const useFields = ({ campaignSlug, archived }: Summary): Readonly<Record<string, unknown>> | undefined =>
  useResource<Schema['ContentFile']>(
    hasPermission('content') && !archived ? query('/admin/content', { campaignSlug }) : '',
  ).value?.fields;

/**
 * Returns the price of each reward in a campaign's file in cents, by its ID, or by its name if the
 * file contains no ID.
 */
export const pricesOf = (fields: Readonly<Record<string, unknown>>): ReadonlyMap<string, number> =>
  new Map(entries(fields.tiers).map((t) => [String(t.id ?? t.name ?? ''), centsOf(t.price)]));

/** Returns the stretch goals in a campaign's file, sorted by amount. */
export const stretchGoalsOf = (fields: Readonly<Record<string, unknown>>): readonly Goal[] =>
  entries(fields.stretch_goals)
    .map((g) => ({ title: String(g.title ?? g.name ?? ''), amount: centsOf(g.threshold ?? g.amount) }))
    .filter((g) => g.amount > 0)
    .toSorted((a, b) => a.amount - b.amount);

type Entry = Readonly<Record<string, unknown>>;

const entries = (list: unknown): readonly Entry[] =>
  Array.isArray(list) ? list.filter((e): e is Entry => typeof e === 'object' && e !== null) : [];

/** Converts an amount in a campaign's file to cents: 25, "25.00" or "$1,250". */
function centsOf(amount: unknown): number {
  const dollars = typeof amount === 'number' ? amount : Number(String(amount ?? '').replace(/[$,\s]/g, ''));
  return Number.isFinite(dollars) ? Math.round(dollars * 100) : 0;
}
