import '../../site/scripts/tests/english.ts';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { daysBetween, fileMoment, instantOf, parseMoment, parseTime, wallOf } from '../fields/moment.ts';

const zone = 'America/Denver';
const today = { year: 2026, month: 11, day: 20, hour: 18, minute: 0 };

describe('parseMoment', () => {
  const cases: readonly (readonly [typed: string, dayFirst: boolean, file: string | undefined])[] = [
    ['Dec 8 11:59pm', false, '2026-12-08'],
    ['Dec 8, 2026, 11:59 PM', false, '2026-12-08'],
    ['December 8th, 6 pm', false, '2026-12-08 18:00'],
    ['8 dic 2026, 18:00', true, '2026-12-08 18:00'],
    ['8 de diciembre de 2026 6:30 p. m.', true, '2026-12-08 18:30'],
    ['12/8/2026', false, '2026-12-08'],
    ['8/12/26', true, '2026-12-08'],
    ['2026-12-08 23:59', false, '2026-12-08'],
    ['2026-12-08T09:05', false, '2026-12-08 09:05'],
    ['Mar 3', false, '2027-03-03'],
    ['Nov 20', false, '2026-11-20'],
    ['Feb 30', false, undefined],
    ['tomorrow', false, undefined],
    ['Dec 8 25:00', false, undefined],
  ];
  for (const [typed, dayFirst, file] of cases)
    test(typed, () => {
      const wall = parseMoment(typed, 'ends', today, dayFirst);
      assert.equal(wall && fileMoment(wall, 'ends'), file);
    });
});

describe('parseTime', () => {
  for (const [typed, hour, minute] of [
    ['11:59 PM', 23, 59],
    ['12 am', 0, 0],
    ['9 a. m.', 9, 0],
    ['07:30', 7, 30],
  ] as const)
    test(typed, () => assert.deepEqual(parseTime(typed), { hour, minute }));
  for (const typed of ['9', '13 pm', '24:00', 'noon']) test(typed, () => assert.equal(parseTime(typed), undefined));
});

describe('wallOf', () => {
  test('the whole day', () => {
    assert.deepEqual(wallOf('2026-12-08', 'ends', zone), { year: 2026, month: 12, day: 8, hour: 23, minute: 59 });
    assert.deepEqual(wallOf('2026-12-08', 'starts', zone), { year: 2026, month: 12, day: 8, hour: 0, minute: 0 });
  });
  test('a time with an offset', () =>
    assert.deepEqual(wallOf('2026-12-09T01:00:00Z', 'ends', zone), {
      year: 2026,
      month: 12,
      day: 8,
      hour: 18,
      minute: 0,
    }));
  test('no date', () => assert.equal(wallOf('2026-02-30', 'ends', zone), undefined));
});

describe('instantOf', () => {
  test('standard time', () => assert.equal(instantOf({ ...today, hour: 0 }, zone), Date.UTC(2026, 10, 20, 7)));
  test('summer time', () =>
    assert.equal(instantOf({ year: 2026, month: 7, day: 1, hour: 12, minute: 0 }, zone), Date.UTC(2026, 6, 1, 18)));
});

test('daysBetween rounds', () =>
  assert.equal(daysBetween({ ...today, hour: 0 }, { ...today, month: 12, hour: 23, minute: 59 }), 31));
