import './english.ts';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { addressLine, isPhone } from '../address.ts';

describe('addressLine', () => {
  test('follows the order of the country', () =>
    assert.equal(
      addressLine({
        name: 'Ada',
        line1: '1 Elm St',
        line2: 'Apt 2',
        city: 'Denver',
        state: 'CO',
        postalCode: '80202',
        country: 'US',
      }),
      'Ada, 1 Elm St Apt 2, Denver CO 80202, United States',
    ));
  test('writes the postal code before the city in Germany', () =>
    assert.equal(
      addressLine({ line1: 'Weg 1', city: 'Bonn', postalCode: '53111', country: 'DE' }),
      'Weg 1, 53111 Bonn, Germany',
    ));
  test('appends parts that the format lacks', () =>
    assert.equal(
      addressLine({ line1: '1 Marina Bay', city: 'Downtown', state: 'Central', postalCode: '018989', country: 'SG' }),
      '1 Marina Bay, 018989, Downtown Central, Singapore',
    ));
  test('ends with the phone number', () =>
    assert.equal(
      addressLine({ city: 'Oslo', country: 'NO', phone: '+47 22 00 00 00' }),
      'Oslo, Norway, +47 22 00 00 00',
    ));
  test('leaves out empty parts', () => assert.equal(addressLine({ name: '', city: 'Oslo' }), 'Oslo'));
});

describe('isPhone', () => {
  for (const text of [
    '+1 (575) 555-0100',
    '030/123456',
    '575.555.0100',
    ' 12345 ',
    '+49 (0) 30 / 123 456 789',
    '91\u00a01234',
  ])
    test(`accepts ${text}`, () => assert.equal(isPhone(text), true));
  for (const text of ['1234', '1234567890123456', '+1 +1 5755550100', 'call 5755550100', '575-555-0100 x12', '-----'])
    test(`rejects ${text}`, () => assert.equal(isPhone(text), false));
});
