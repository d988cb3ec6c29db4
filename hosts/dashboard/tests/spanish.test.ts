import '../../site/scripts/tests/spanish.ts';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { centsOfDollars, formatCents, formatNumber, parseCents, parseNumber } from '../fields/parse.ts';
import { count, day, percent, speaker } from '../words.ts';

describe('the Spanish dashboard', () => {
  const say = speaker({
    en: { people_one: '{count} person', people_other: '{count} people' },
    es: {
      people_one: '{count} persona',
      people_other: '{count} personas',
      people_many: '{count} de personas',
    },
  });
  test('has a plural for whole millions', () => {
    assert.equal(say('people', { count: 1 }), '1 persona');
    assert.equal(say('people', { count: 2 }), '2 personas');
    assert.equal(say('people', { count: 1_000_000 }), '1.000.000 de personas');
    assert.equal(say('people', { count: 1_000_001 }), '1.000.001 personas');
  });
  test('formats numbers in Spanish', () => {
    assert.equal(count(1234567), '1.234.567');
    assert.equal(percent(1, 3), '33\u00a0%');
  });
  test('formats dates in Spanish', () => assert.equal(day('2026-11-03'), '3 nov'));
});

describe('Spanish fields', () => {
  const cases: readonly (readonly [typed: string, cents: number | string | undefined])[] = [
    ['6.500', 650000],
    ['6.500,5', 650050],
    ['25,50 US$', 2550],
    ['25.50', 2550],
    ['6,500', '6,500'],
    ['1.00.0', '1.00.0'],
    ['', undefined],
  ];
  for (const [typed, cents] of cases)
    test(typed ? `read ${typed}` : 'read nothing', () => assert.equal(parseCents(typed), cents));
  test('write numbers as they read them', () => {
    assert.equal(formatCents(650000), '6.500');
    assert.equal(formatCents(650050), '6.500,50');
    assert.equal(formatNumber(0.125), '0,125');
    assert.equal(parseNumber('0,125'), 0.125);
  });
  test('read the dollars of a file', () => {
    assert.equal(centsOfDollars('25.5'), 2550);
    assert.equal(centsOfDollars('$6,500'), 650000);
    assert.equal(centsOfDollars('6,500.50'), 650050);
    assert.equal(centsOfDollars('lots'), 'lots');
  });
});
