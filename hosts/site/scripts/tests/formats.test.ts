import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { formatOf, formCountries, regionsOf } from '../formats.ts';

describe('formatOf', () => {
  test('United States', () =>
    assert.deepEqual(formatOf('US'), {
      rows: [['A'], ['C', 'S', 'Z']],
      required: 'ACSZ',
      labels: { S: 'state', Z: 'zip' },
    }));
  test('Japan writes the prefecture next to the street', () =>
    assert.deepEqual(formatOf('JP').rows, [['A', 'S'], ['Z']]));
  test('a country without required state', () => assert.equal(formatOf('GB').required, 'ACZ'));
  test('an unknown country has a street and a city', () =>
    assert.deepEqual(formatOf('XX'), { rows: [['A'], ['C']], required: 'AC', labels: {} }));
});

describe('regionsOf', () => {
  test('lists codes and names', () => assert.deepEqual(regionsOf('US')[0], ['AL', 'Alabama']));
  test('has the provinces of Canada', () => assert.equal(new Map(regionsOf('CA')).get('QC'), 'Quebec'));
  test('is empty if addresses use no codes', () => assert.deepEqual(regionsOf('GB'), []));
});

describe('formCountries', () => {
  test('unique codes of two letters', () => {
    assert.ok(formCountries.length > 200);
    assert.equal(new Set(formCountries).size, formCountries.length);
    for (const code of formCountries) assert.match(code, /^[A-Z]{2}$/);
  });
  test('without uninhabited places', () =>
    assert.deepEqual(
      ['AQ', 'HM', 'FK', 'PN'].filter((code) => formCountries.includes(code)),
      ['FK', 'PN'],
    ));
});
