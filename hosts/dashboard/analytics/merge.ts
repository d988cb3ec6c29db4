// Merges the pages of an analytics report.
import type { Schema } from '../../site/scripts/api.ts';

type Report = Schema['Analytics'];
type Row = Report['total'];

/** Merges partial reports into one, or returns undefined if there are none. */
export function mergeReports(parts: readonly Report[]): Report | undefined {
  const [first, ...rest] = parts;
  return first && rest.reduce(mergeTwo, first);
}

function mergeTwo(a: Report, b: Report): Report {
  const rows = (name: Dimension): Row[] => [...mergeRows(a[name], b[name])];
  return {
    ...b,
    total: sum(a.total, b.total),
    active: a.active + b.active,
    paymentFailed: a.paymentFailed + b.paymentFailed,
    cancelled: a.cancelled + b.cancelled,
    dropped: a.dropped + b.dropped,
    charged: a.charged + b.charged,
    first: a.first + b.first,
    ...(a.ledger ? { ledger: a.ledger } : {}),
    ...(a.before && b.before ? { before: sumBefore(a.before, b.before) } : {}),
    categories: rows('categories'),
    referrals: rows('referrals'),
    utmSources: rows('utmSources'),
    utmMediums: rows('utmMediums'),
    utmCampaigns: rows('utmCampaigns'),
    utmContents: rows('utmContents'),
    links: rows('links'),
    fulfillmentTypes: rows('fulfillmentTypes'),
    languages: rows('languages'),
    tiers: rows('tiers'),
    countries: rows('countries'),
    days: rows('days'),
    progress: byDay([...a.progress, ...b.progress]),
  };
}

type Before = NonNullable<Report['before']>;

const sumBefore = (a: Before, b: Before): Before => ({
  ...a,
  pledges: a.pledges + b.pledges,
  pledged: a.pledged + b.pledged,
  first: a.first + b.first,
});

function byDay(all: Report['progress']): Report['progress'] {
  const days = new Map<string, Report['progress'][number]>();
  for (const { day, counted, returning } of all) {
    const sum = days.get(day) ?? { day, counted: 0, returning: 0 };
    days.set(day, { day, counted: sum.counted + counted, returning: sum.returning + returning });
  }
  return [...days.values()];
}

type Dimension =
  | 'categories'
  | 'referrals'
  | 'utmSources'
  | 'utmMediums'
  | 'utmCampaigns'
  | 'utmContents'
  | 'links'
  | 'fulfillmentTypes'
  | 'languages'
  | 'tiers'
  | 'countries'
  | 'days';

function mergeRows(a: readonly Row[], b: readonly Row[]): Iterable<Row> {
  const all = new Map(a.map((r) => [r.name, r]));
  for (const r of b) {
    const existing = all.get(r.name);
    all.set(r.name, existing ? sum(existing, r) : r);
  }
  return all.values();
}

const sum = (a: Row, b: Row): Row => ({
  name: a.name,
  pledges: a.pledges + b.pledges,
  pledged: a.pledged + b.pledged,
  total: a.total + b.total,
  charged: a.charged + b.charged,
  refunded: a.refunded + b.refunded,
  fees: a.fees + b.fees,
  net: a.net + b.net,
  expectedFees: a.expectedFees + b.expectedFees,
  expectedNet: a.expectedNet + b.expectedNet,
  basis: a.basis === b.basis || !b.basis ? a.basis : a.basis ? 'mixed' : b.basis,
});
