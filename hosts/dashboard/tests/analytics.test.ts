import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Schema } from '../../site/scripts/api.ts';
import { mergeReports } from '../analytics/merge.ts';
import { shares } from '../analytics/shares.ts';
import { hasVisits, visitsIn, withVisits } from '../analytics/visits.ts';

type Report = Schema['Analytics'];
type Row = Report['total'];

const row = (name: string, pledges: number, basis: Row['basis'] = ''): Row => ({
  name,
  pledges,
  pledged: pledges * 2500,
  total: pledges * 2700,
  charged: pledges * 100,
  refunded: pledges * 5,
  fees: pledges * 10,
  net: pledges * 90,
  expectedFees: pledges * 20,
  expectedNet: pledges * 2680,
  basis,
});

const report = (more: Partial<Report>): Report =>
  ({
    total: row('', 0),
    active: 0,
    paymentFailed: 0,
    cancelled: 0,
    dropped: 0,
    charged: 0,
    first: 0,
    categories: [],
    referrals: [],
    utmSources: [],
    utmMediums: [],
    utmCampaigns: [],
    utmContents: [],
    links: [],
    fulfillmentTypes: [],
    languages: [],
    tiers: [],
    countries: [],
    days: [],
    progress: [],
    ...more,
  }) as Report;

describe('mergeReports', () => {
  test('of none is undefined', () => assert.equal(mergeReports([]), undefined));
  test('of one is the report', () => {
    const one = report({ active: 3 });
    assert.equal(mergeReports([one]), one);
  });
  test('adds totals and states', () => {
    const sum = mergeReports([
      report({ total: row('', 1), active: 1, cancelled: 2 }),
      report({ total: row('', 2), active: 4, dropped: 1 }),
      report({ total: row('', 4), charged: 5, paymentFailed: 6 }),
    ]);
    assert.deepEqual(sum?.total, row('', 7));
    assert.deepEqual([sum?.active, sum?.cancelled, sum?.dropped, sum?.charged, sum?.paymentFailed], [5, 2, 1, 5, 6]);
  });
  test('keeps the ledger of the first part', () => {
    const ledger = { collected: 9, refunded: 2, owed: 0, disputed: 0, lost: 0, fees: 1, unexplained: 0, net: 6 };
    assert.deepEqual(mergeReports([report({ ledger }), report({}), report({})])?.ledger, ledger);
    assert.equal(mergeReports([report({}), report({})])?.ledger, undefined);
  });
  test('adds rows of the same name and keeps the others', () =>
    assert.deepEqual(
      mergeReports([
        report({ referrals: [row('ada', 1), row('bo', 2)] }),
        report({ referrals: [row('cy', 4), row('ada', 8)] }),
      ])?.referrals,
      [row('ada', 9), row('bo', 2), row('cy', 4)],
    ));
  test('adds the progress by day', () =>
    assert.deepEqual(
      mergeReports([
        report({ progress: [{ day: '2026-01-01', counted: 5, returning: 2 }] }),
        report({
          progress: [
            { day: '2026-01-01', counted: 7, returning: 3 },
            { day: '2026-01-02', counted: 1, returning: 0 },
          ],
        }),
      ])?.progress,
      [
        { day: '2026-01-01', counted: 12, returning: 5 },
        { day: '2026-01-02', counted: 1, returning: 0 },
      ],
    ));
  test('adds the period before', () => {
    const before = { from: '2026-01-01', to: '2026-01-02', pledges: 1, pledged: 20, first: 1 };
    assert.deepEqual(mergeReports([report({ first: 2, before }), report({ first: 3, before })])?.before, {
      ...before,
      pledges: 2,
      pledged: 40,
      first: 2,
    });
    assert.equal(mergeReports([report({ first: 2 }), report({ first: 3 })])?.first, 5);
  });
  for (const [a, b, want] of [
    ['actual', 'actual', 'actual'],
    ['actual', '', 'actual'],
    ['', 'estimated', 'estimated'],
    ['actual', 'estimated', 'mixed'],
  ] as [Row['basis'], Row['basis'], Row['basis']][])
    test(`basis ${a || 'none'} and ${b || 'none'}`, () =>
      assert.equal(
        mergeReports([report({ total: row('', 1, a) }), report({ total: row('', 1, b) })])?.total.basis,
        want,
      ));
});

describe('withVisits', () => {
  test('joins visits and adds links without pledges', () => {
    const rows = withVisits(
      [row('ada', 2), row('bo', 1)],
      [
        { name: 'ada', visits: 10 },
        { name: 'cy', visits: 3 },
      ],
    );
    assert.deepEqual(rows, [
      { ...row('ada', 2), visits: 10 },
      { ...row('bo', 1), visits: 0 },
      { ...row('cy', 0), visits: 3 },
    ]);
  });
});

describe('visitsIn', () => {
  const days = [
    { name: '2026-01-01', visits: 1 },
    { name: '2026-01-02', visits: 20 },
    { name: '2026-01-03', visits: 300 },
  ];
  test('sums the days of a period', () => assert.equal(visitsIn(days, '2026-01-02', '2026-01-03'), 320));
  test('of a single day', () => assert.equal(visitsIn(days, '2026-01-01', '2026-01-01'), 1));
});

test('hasVisits: by dimension', () => {
  assert.equal(hasVisits('referrals'), true);
  assert.equal(hasVisits('categories'), false);
});

describe('shares', () => {
  for (const [name, amounts, want] of [
    ['add up to 100', [86, 2, 6, 4, 2.1], [86, 2, 6, 4, 2]],
    ['three thirds', [1, 1, 1], [34, 33, 33]],
    ['the largest remainder gets the rest', [166, 167, 667], [16, 17, 67]],
    ['a single amount', [5, 0], [100, 0]],
    ['no amount', [0, 0], [0, 0]],
    ['no rows', [], []],
  ] as const) {
    test(name, () => {
      assert.deepEqual(shares(amounts), want);
    });
  }
});
