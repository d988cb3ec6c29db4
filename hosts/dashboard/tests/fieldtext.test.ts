import '../../site/scripts/tests/english.ts';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Field } from '../editor/draft.ts';
import { defaultLabel, fieldHelp, fieldLabel, formatValue, parseList, parseNumber } from '../editor/fieldtext.ts';
import { say } from '../editor/words.ts';

const field = (more: Partial<Field>): Field => ({
  path: 'x',
  kind: 'text',
  control: 'text',
  label: 'Goal',
  read: [],
  write: [],
  ...more,
});

describe('parseNumber', () => {
  for (const [typed, want] of [
    ['1234.5', 1234.5],
    [' $1,234 ', 1234],
    ['-3', -3],
    ['0', 0],
    ['', undefined],
    ['  ', undefined],
    ['1e3', '1e3'],
    ['12 euros', '12 euros'],
  ] as const)
    test(JSON.stringify(typed), () => assert.equal(parseNumber(typed), want));
});

describe('parseList', () => {
  test('texts', () => assert.deepEqual(parseList('emails', 'a@b.c, d@e.f,'), ['a@b.c', 'd@e.f']));
  test('integers keep invalid entries', () => assert.deepEqual(parseList('integers', '5, 10, ten'), [5, 10, 'ten']));
  test('countries', () => assert.deepEqual(parseList('countries', 'US, CA'), ['US', 'CA']));
  test('everywhere', () => assert.equal(parseList('countries', ' everywhere '), 'everywhere'));
  test('everywhere is a text in other lists', () =>
    assert.deepEqual(parseList('emails', 'everywhere'), ['everywhere']));
  test('empty', () => assert.equal(parseList('integers', ' , '), undefined));
});

describe('fieldHelp', () => {
  test('minimum of an amount is in dollars', () =>
    assert.equal(fieldHelp(field({ kind: 'money', min: 550 })), `${say('dollars')} ${say('least', { min: '5.5' })}`));
  test('bounds', () =>
    assert.equal(fieldHelp(field({ kind: 'integer', min: 0, max: 10 })), say('between', { min: '0', max: '10' })));
  test('maximum with a unit', () =>
    assert.equal(
      fieldHelp(field({ kind: 'decimal', max: 30, unit: 'in' })),
      `${say('unit', { unit: 'in' })} ${say('most', { max: '30' })}`,
    ));
  test('follows the description', () =>
    assert.equal(
      fieldHelp(field({ help: 'Ends it.', kind: 'month', promise: true })),
      `Ends it. ${say('month')} ${say('promise')}`,
    ));
  test('of a plain text is empty', () => assert.equal(fieldHelp(field({})), ''));
});

test('fieldLabel: marks required fields', () => {
  assert.equal(fieldLabel(field({})), 'Goal');
  assert.equal(fieldLabel(field({ required: true })), 'Goal *');
});

test('defaultLabel: names the default choice', () => {
  const choices = [{ value: 'a', label: 'First' }];
  assert.equal(defaultLabel(field({ choices, default: 'a' })), say('standard', { value: 'First' }));
  assert.equal(defaultLabel(field({ choices })), say('none'));
});

test('formatValue: as in the file', () => {
  assert.equal(formatValue(undefined), '');
  assert.equal(formatValue(false), 'false');
  assert.equal(formatValue({ a: [1] }), '{"a":[1]}');
});
