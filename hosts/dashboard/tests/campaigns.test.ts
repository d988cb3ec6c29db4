import '../../site/scripts/tests/english.ts';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { pageAddress } from '../campaigns/address.ts';
import { largestUnit } from '../campaigns/time.ts';

describe('pageAddress', () => {
  for (const [title, want] of [
    ['The Salt Road', 'campaigns/the-salt-road'],
    ['Café Noir, Part 2', 'campaigns/cafe-noir-part-2'],
    ['Ferryman’s Last', 'campaigns/ferrymans-last'],
    ['حملة اختبار', ''],
  ] as const)
    test(title, () => assert.equal(pageAddress(title), want));
});

const hour = 3_600_000; // milliseconds

describe('largestUnit', () => {
  for (const [milliseconds, unit, count] of [
    [29.7 * hour, 'days', 1],
    [23.9 * hour, 'hours', 23],
    [1.5 * hour, 'hours', 1],
    [59 * 60_000, 'minutes', 59],
    [5_000, 'minutes', 1],
  ] as const)
    test(`${milliseconds} ms`, () => assert.deepEqual(largestUnit(milliseconds), { unit, count }));
});
