import './english.ts';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { badgeOf } from '../badges.ts';
import { type Entry, matching, sorted } from '../find.ts';
import { linkedAmount } from '../offerlink.ts';

const entry = (s: string, more: Partial<Entry> = {}): Entry => ({ s, t: s, st: 'live', g: 1000, ...more });
const slugs = (all: readonly Entry[]): string => all.map((e) => e.s).join(' ');

describe('matching', () => {
  const all = [
    entry('ferry', { t: 'Night Ferry', c: 'Ágata Ruiz', b: 'A last crossing', k: 'Short Film' }),
    entry('reef', { t: 'Reef & Ruin', c: 'Low Tide', b: 'A game about the night', k: 'Board Game' }),
    entry('bare'),
  ];
  for (const [q, cat, want] of [
    ['', '', 'ferry reef bare'],
    ['night', '', 'ferry reef'],
    ['  NIGHT  ferry ', '', 'ferry'],
    ['agata', '', 'ferry'],
    ['ÁGATA', 'Board Game', ''],
    ['', 'Board Game', 'reef'],
    ['nothing', '', ''],
  ] as const)
    test(`${q || 'no words'} in ${cat || 'every category'}`, () =>
      assert.equal(slugs(matching(all, { q, cat })), want));
});

describe('sorted', () => {
  const all = [
    entry('a', { a: 30, e: 300, p: 200, n: 5 }),
    entry('b', { a: 10, e: 100, p: 900, n: 1 }),
    entry('c', { a: 20, e: 200, p: 1500, n: 9 }),
    entry('d'),
  ];
  for (const [order, want] of [
    ['ending', 'd b c a'],
    ['soon', 'b c a d'],
    ['new', 'a c b d'],
    ['supporters', 'c a b d'],
    ['closest', 'b a d c'],
    ['unknown', 'a b c d'],
  ] as const)
    test(order, () => assert.equal(slugs(sorted(all, order)), want));
});

describe('badgeOf', () => {
  const now = '2026-12-08T12:00:00Z'; // 13:00 in Madrid
  const badges = (state: 'live' | 'ended' | 'upcoming', isFunded: boolean, endsAt: string): string =>
    badgeOf({ now, campaign: { state, isFunded, endsAt } as Parameters<typeof badgeOf>[0]['campaign'] }).join(' ');
  for (const [state, isFunded, endsAt, want] of [
    ['upcoming', false, '2026-12-08T13:00:00Z', ''],
    ['live', false, '2026-12-30T12:00:00Z', ''],
    ['live', false, '2026-12-10T12:00:01Z', ''],
    ['live', false, '2026-12-10T11:00:00Z', 'badge_two_days'],
    ['live', false, '2026-12-08T23:00:02Z', 'badge_two_days'], // tomorrow in Madrid
    ['live', false, '2026-12-08T23:00:00Z', 'badge_last'],
    ['live', true, '2026-12-08T23:00:00Z', 'badge_reached badge_last'],
    ['live', true, '2026-12-30T12:00:00Z', 'badge_reached'],
    ['ended', true, '2026-12-07T12:00:00Z', 'badge_funded'],
    ['ended', false, '2026-12-07T12:00:00Z', 'badge_missed'],
  ] as const)
    test(`${state}, ${isFunded ? 'funded' : 'open'}, until ${endsAt}`, () =>
      assert.equal(badges(state, isFunded, endsAt), want));
});

describe('linkedAmount', () => {
  for (const [query, want] of [
    ['?amount=25', 25],
    ['?ref=ada&amount=1000', 1000],
    ['', undefined],
    ['?amount=0', undefined],
    ['?amount=-5', undefined],
    ['?amount=2.50', undefined],
    ['?amount=12345678', undefined],
    ['?amount=x', undefined],
  ] as const)
    test(query || 'no query', () => assert.equal(linkedAmount(query), want));
});
