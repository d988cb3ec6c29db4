import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { addDays, dayReached, daysBetween, estimateTotal, runningTotals } from '../charts/series.ts';

describe('runningTotals', () => {
  test('fills days without amounts', () =>
    assert.deepEqual(
      runningTotals(
        [
          { day: '2026-11-04', sum: 300 },
          { day: '2026-11-02', sum: 100 },
        ],
        '2026-11-02',
        '2026-11-05',
      ).map((p) => p.total),
      [100, 100, 400, 400],
    ));
  test('adds amounts of the same day', () =>
    assert.deepEqual(
      runningTotals(
        [
          { day: '2026-11-02', sum: 100 },
          { day: '2026-11-02', sum: 50 },
        ],
        '2026-11-02',
        '2026-11-02',
      ),
      [{ day: '2026-11-02', sum: 150, total: 150 }],
    ));
  test('counts earlier amounts in the first total', () =>
    assert.equal(runningTotals([{ day: '2026-10-30', sum: 100 }], '2026-11-02', '2026-11-02')[0]?.total, 100));
  test('is empty for a period that ends before its start', () =>
    assert.deepEqual(runningTotals([], '2026-11-02', '2026-11-01'), []));
});

const steady = (sums: readonly number[]) =>
  runningTotals(
    sums.map((sum, i) => ({ day: addDays('2026-11-01', i), sum })),
    '2026-11-01',
    addDays('2026-11-01', sums.length - 1),
  );

describe('estimateTotal', () => {
  test('has no range before the fifth day', () =>
    assert.equal(estimateTotal(steady([100, 100, 100, 100]), '2026-11-30'), undefined));
  test('is exact for a steady total', () =>
    assert.deepEqual(estimateTotal(steady(Array(10).fill(100)), '2026-11-20'), { low: 2000, high: 2000 }));
  test('leaves out the current day, which is not over', () =>
    assert.deepEqual(estimateTotal(steady([...Array(9).fill(100), 0]), '2026-11-20'), { low: 1900, high: 1900 }));
  test('is the range of the slowest and fastest five days', () =>
    assert.deepEqual(estimateTotal(steady([...Array(5).fill(100), ...Array(5).fill(200), 0]), '2026-11-21'), {
      low: 2500,
      high: 3500,
    }));
  test('has no range without earlier pledges', () =>
    assert.equal(estimateTotal(steady([0, 0, 0, 0, 0, 900]), '2026-11-30'), undefined));
  test('ignores days more than ten days ago', () =>
    assert.deepEqual(estimateTotal(steady([9000, ...Array(10).fill(100), 0]), '2026-11-13'), {
      low: 10_100,
      high: 10_100,
    }));
});

describe('dayReached', () => {
  test('is the day of the last missing amount', () =>
    assert.equal(dayReached(steady(Array(10).fill(100)), 1250), '2026-11-13'));
  test('is unknown without growth', () => assert.equal(dayReached(steady(Array(10).fill(0)), 1000), ''));
});

describe('dates', () => {
  test('are counted across a change of the clocks', () => assert.equal(daysBetween('2026-10-31', '2026-11-02'), 2));
  test('are added across a month', () => assert.equal(addDays('2026-11-30', 1), '2026-12-01'));
});
