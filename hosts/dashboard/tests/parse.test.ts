import '../../site/scripts/tests/english.ts';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fieldProblem, type SchemaField } from '../fields/check.ts';
import {
  centsOfDollars,
  dollarsOfCents,
  formatCents,
  formatCountries,
  fractionOfPercent,
  linesOf,
  parseCents,
  parseCountries,
  parseNumber,
  percentOfFraction,
} from '../fields/parse.ts';

describe('parseCents', () => {
  const cases: readonly (readonly [typed: string, cents: number | string | undefined])[] = [
    ['25', 2500],
    ['$1,250.5', 125050],
    ['0.29', 29],
    ['1,00', '1,00'],
    ['25.001', '25.001'],
    ['-5', -500],
    ['five', 'five'],
    ['', undefined],
  ];
  for (const [typed, cents] of cases) test(typed || 'nothing', () => assert.equal(parseCents(typed), cents));
});

test('formatCents groups, with cents only if there are some', () => {
  assert.equal(formatCents(1_250_000), '12,500');
  assert.equal(formatCents(125_050), '1,250.50');
  assert.equal(formatCents('five'), 'five');
  assert.equal(formatCents(undefined), '');
});

test('the dollars of a file', () => {
  assert.equal(centsOfDollars(25.1), 2510);
  assert.equal(centsOfDollars('25.50'), 2550);
  assert.equal(centsOfDollars(undefined), undefined);
  assert.equal(dollarsOfCents(2510), 25.1);
  assert.equal(dollarsOfCents('five'), 'five');
});

test('percent is exact', () => {
  assert.equal(percentOfFraction(0.07875), 7.875);
  assert.equal(percentOfFraction(0.07), 7);
  assert.equal(fractionOfPercent(7.875), 0.07875);
  assert.equal(fractionOfPercent('x'), 'x');
});

test('parseNumber', () => {
  assert.equal(parseNumber('1,000.5'), 1000.5);
  assert.ok(Number.isNaN(parseNumber('.')));
  assert.ok(Number.isNaN(parseNumber('1e5')));
});

test('linesOf leaves out empty lines and spaces at the ends', () => {
  assert.deepEqual(linesOf(' A disc \n\n\tTwo prints\r\n '), ['A disc', 'Two prints']);
  assert.deepEqual(linesOf('\n'), []);
});

test('fieldProblem checks the number and the length of short texts', () => {
  const field = { path: 'includes', kind: 'texts', maxLength: 2, max: 5 } as SchemaField;
  assert.equal(fieldProblem(field, ['Disc', 'Print']), '');
  assert.match(fieldProblem(field, ['Disc', 'Prints']), /5/);
  assert.match(fieldProblem(field, ['A', 'B', 'C']), /2/);
});

describe('countries of a setting', () => {
  const usual = 'CU,IR';
  const cases: readonly (readonly [text: string | undefined, list: readonly string[] | string | undefined])[] = [
    ['CU,IR', ['CU', 'IR']],
    ['CU, IR', ['CU', 'IR']],
    ['none', []],
    ['everywhere', 'everywhere'],
    [undefined, undefined],
  ];
  for (const [text, list] of cases) test(`parses ${text}`, () => assert.deepEqual(parseCountries(text), list));
  test('the default is left out, in any order', () => assert.equal(formatCountries(['IR', 'CU'], usual), undefined));
  test('another list replaces the default', () => assert.equal(formatCountries(['IR', 'SY'], usual), 'IR,SY'));
  test('no countries replace the default', () => assert.equal(formatCountries([], usual), 'none'));
  test('no countries are left out without a default', () => assert.equal(formatCountries([], undefined), undefined));
  test('one word for all countries', () => assert.equal(formatCountries('everywhere', undefined), 'everywhere'));
});
