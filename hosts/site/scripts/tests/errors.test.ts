import './english.ts';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { APIError, NetworkError, type Schema } from '../api.ts';
import { errorText } from '../errors.ts';

// The page has no messages for errors, so that errorText returns their IDs.
const textOf = (problem: object): string =>
  errorText(new APIError(422, { error: 'refused', code: 'invalid', ...problem } as Schema['Error']));

describe('errorText', () => {
  for (const [field, want] of [
    ['email', 'wrong_email'],
    ['items[0].quantity', 'wrong_quantity'],
    ['items[2].amount', 'wrong_amount'],
    ['customAmount', 'wrong_amount'],
    ['items[2]', 'wrong_gone'],
    ['items', 'wrong_minimum'],
    ['shippingAddress.country', 'wrong_country'],
    ['shippingAddress.state', 'wrong_state'],
    ['billingAddress.state', 'wrong_state'],
    ['shippingAddress.phone', 'wrong_phone'],
    ['shippingAddress.line1', 'wrong_address'],
    ['billingAddress.postalCode', 'wrong_tax_address'],
    ['email2', 'refused_invalid'],
  ] as const)
    test(`field ${field}`, () => assert.equal(textOf({ field }), want));

  test('sold out', () => assert.equal(textOf({ code: 'sold_out' }), 'wrong_sold_out'));
  test('fewer remain than were requested', () =>
    assert.equal(textOf({ code: 'sold_out', remaining: 2 }), 'wrong_left'));
  test('a code is more specific than a field', () =>
    assert.equal(textOf({ code: 'too_many', field: 'email' }), 'wrong_often'));
  test('server error', () => assert.equal(textOf({ code: 'internal' }), 'wrong_unavailable'));
  test('retry does not help', () => assert.equal(textOf({ code: 'gone' }), 'refused_gone'));
  test('question about tax', () =>
    assert.equal(
      textOf({ field: 'billingAddress', details: { reason: 'short_zip', field: 'postalCode' } }),
      'tax_short_zip',
    ));
  test('no network', () => assert.equal(errorText(new NetworkError()), 'offline'));
  test('other errors are rethrown', () => {
    const bug = new TypeError('x is not a function');
    assert.throws(() => errorText(bug), bug);
  });
});
