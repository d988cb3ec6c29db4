import './english.ts';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { lineAmounts, linesWithDelivery } from '../bill.ts';
import { brandName } from '../brand.ts';
import { correctedEmail } from '../emailtypo.ts';
import { checkoutInput } from '../savedinput.ts';
import { questionOf, questionText } from '../taxquestion.ts';

describe('correctedEmail', () => {
  test('mistyped domain', () => assert.equal(correctedEmail('ada@gmail.con'), 'ada@gmail.com'));
  test('keeps the name as typed', () => assert.equal(correctedEmail('Ada.L@gmial.com'), 'Ada.L@gmail.com'));
  for (const email of ['ada@gmail.com', 'ada@mac.com', 'ada@pledgeworks.example', '@gmail.con', 'ada'])
    test(`does not correct ${email}`, () => assert.equal(correctedEmail(email), undefined));
});

describe('brandName', () => {
  for (const [brand, want] of [
    ['amex', 'American Express'],
    ['visa', 'Visa'],
    ['eftpos_au', 'Eftpos au'],
  ] as const)
    test(brand, () => assert.equal(brandName(brand), want));
});

describe('lineAmounts', () => {
  const line = { kind: 'tier', name: 'Poster', quantity: 1, amount: 2500 } as const;
  test('one item', () => assert.deepEqual(lineAmounts([line]), [['Poster', '$25.00']]));
  test('variant and quantity', () =>
    assert.deepEqual(lineAmounts([{ ...line, variantName: 'Large', quantity: 2, amount: 5050 }]), [
      ['Poster, Large × 2', '$50.50'],
    ]));
  test('custom support has a translated name', () =>
    assert.deepEqual(lineAmounts([{ ...line, kind: 'custom', name: 'custom' }]), [['Custom support', '$25.00']]));
});

describe('linesWithDelivery', () => {
  const line = { kind: 'tier', id: 'poster', name: 'Poster', quantity: 1, amount: 2500 } as const;
  const detail = (promisedDelivery: string, months: Record<string, string>): string | undefined =>
    linesWithDelivery([{ ...line, promisedDelivery }], months)[0]?.[2];
  test('current estimate', () => assert.equal(detail('', { poster: '2027-05' }), 'Delivery May 2027'));
  test('unchanged estimate', () => assert.equal(detail('2027-05', { poster: '2027-05' }), 'Delivery May 2027'));
  test('moved estimate', () =>
    assert.equal(detail('2027-03', { poster: '2027-05' }), 'Delivery May 2027 (when you pledged: March 2027)'));
  test('no estimate', () => assert.equal(detail('2027-03', {}), 'When you pledged: delivery March 2027'));
  test('none at all', () => assert.equal(detail('', { print: '2027-05' }), ''));
  test('support item with a reward’s ID', () =>
    assert.deepEqual(linesWithDelivery([{ ...line, kind: 'support' }], { poster: '2027-05' }), [
      ['Poster', '$25.00', ''],
    ]));
});

describe('questions about tax', () => {
  test('are found in the details of an error', () => {
    const question = { reason: 'missing', field: 'state' };
    assert.equal(questionOf(question), question);
  });
  for (const details of [undefined, null, 'missing', {}, { reason: 'missing' }, { reason: 1, field: 'state' }])
    test(`are not found in ${JSON.stringify(details)}`, () => assert.equal(questionOf(details), undefined));
  test('have a message by reason', () =>
    assert.equal(questionText({ field: 'postalCode', reason: 'short_zip' }), 'tax_short_zip'));
  test('name a missing part as the country’s form does', () =>
    assert.equal(questionText({ field: 'postalCode', reason: 'missing' }, 'US'), 'Still needed: ZIP code.'));
  test('use the general name of a missing part without a country', () =>
    assert.equal(questionText({ field: 'postalCode', reason: 'missing' }), 'Still needed: Postal code.'));
});

describe('checkoutInput', () => {
  test('has the filled-in parts of an address', () => {
    sessionStorage.setItem(
      'typed',
      '{"email":"ada@example.org","shippingAddress.city":"Denver","shippingAddress.line2":"","billingAddress.state":"CO"}',
    );
    assert.deepEqual(checkoutInput.address('shippingAddress'), { city: 'Denver' });
    assert.deepEqual(checkoutInput.address('billingAddress'), { state: 'CO' });
  });
  test('ignores a damaged value', () => {
    sessionStorage.setItem('typed', '{');
    assert.deepEqual(checkoutInput.fields(), {});
  });
});
