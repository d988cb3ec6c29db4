import '../../site/scripts/tests/english.ts';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { durationUnit, hours } from '../fields/duration.ts';

describe('durationUnit', () => {
  const cases: readonly (readonly [unit: string, fallback: number | undefined, size: number, name: string])[] = [
    ['s', 21_600, 3_600, 'hours'],
    ['s', 300, 60, 'minutes'],
    ['s', 90, 1, 'seconds'],
    ['s', undefined, 1, 'seconds'],
    ['ms', 3_600, 1, 'ms'],
    ['days', 14, 1, 'days'],
  ];
  for (const [unit, fallback, size, name] of cases)
    test(`${fallback} ${unit}`, () =>
      assert.deepEqual(durationUnit({ unit, ...(fallback === undefined ? {} : { default: fallback }) }), [size, name]));
});

test('hours', () => {
  assert.equal(hours.length, 24);
  assert.deepEqual([hours[0]?.label, hours[7]?.label, hours[13]?.label], ['12:00 AM', '7:00 AM', '1:00 PM']);
});
