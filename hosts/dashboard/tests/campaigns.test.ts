import '../../site/scripts/tests/english.ts';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { pageAddress } from '../campaigns/address.ts';
import { categoryName } from '../campaigns/category.ts';
import { pricesOf } from '../campaigns/data.ts';
import { countOf } from '../campaigns/sections.ts';
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

test('countOf: counts the entries of a section', () => {
  const fields = { tiers: [{}, {}], campaign_add_ons: [{}], title: 'Night Ferry' };
  assert.deepEqual(
    (['tiers', 'add_ons', 'diary', 'settings'] as const).map((s) => countOf(fields, s)),
    [2, 1, 0, 0],
  );
});

test('pricesOf: finds a reward without an ID by its name', () => {
  const prices = pricesOf({
    tiers: [
      { id: 'vinyl', name: 'Vinyl', price: 32 },
      { name: 'Download', price: '10' },
    ],
  });
  assert.deepEqual(
    [...prices],
    [
      ['vinyl', 3200],
      ['Download', 1000],
    ],
  );
});

test('categoryName: is in sentence case', () => assert.equal(categoryName('Board Game'), 'Board game'));
