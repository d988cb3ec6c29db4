import './english.ts';
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { addItem, readCart, takeCartLink, writeCart } from '../cart.ts';

beforeEach(() => localStorage.clear());

describe('addItem', () => {
  const poster = { id: 'film__poster', name: 'Poster', quantity: 1 };
  test('adds a new item', () => {
    addItem(poster);
    assert.deepEqual(readCart(), [poster]);
  });
  test('increases the quantity', () => {
    addItem(poster);
    addItem(poster);
    assert.deepEqual(readCart(), [{ ...poster, quantity: 2 }]);
  });
  test('keeps one per supporter', () => {
    const rule = { onePerSupporter: true, exclusive: false };
    addItem(poster, rule);
    addItem(poster, rule);
    assert.deepEqual(readCart(), [poster]);
  });
  test('replaces the amount of support', () => {
    addItem({ id: 'film__custom-support', name: 'Support', amount: 10 });
    addItem({ id: 'film__custom-support', name: 'Support', amount: 25 });
    assert.deepEqual(readCart(), [{ id: 'film__custom-support', name: 'Support', amount: 25 }]);
  });
  test('an exclusive reward replaces the campaign’s other rewards only', () => {
    const other = { id: 'song__vinyl', name: 'Vinyl', quantity: 1 };
    const support = { id: 'film__custom-support', name: 'Support', amount: 10 };
    const seat = { id: 'film__seat', name: 'Seat', quantity: 1 };
    writeCart([poster, other, support]);
    addItem(seat, { onePerSupporter: false, exclusive: true });
    assert.deepEqual(readCart(), [other, support, seat]);
  });
});

describe('readCart', () => {
  test('ignores a damaged value', () => {
    localStorage.setItem('cart', '{"id":');
    assert.deepEqual(readCart(), []);
  });
  test('ignores items without an ID', () => {
    localStorage.setItem('cart', '[{"name":"Poster"},{"id":"film__seat","name":"Seat"}]');
    assert.deepEqual(readCart(), [{ id: 'film__seat', name: 'Seat' }]);
  });
});

test('takeCartLink: adds the items and removes them from the address', async () => {
  writeCart([{ id: 'film__seat', name: 'Seat', quantity: 1 }]);
  location.hash = '#cart=film__seat*2,film__custom-support=25,not an item';
  await takeCartLink();
  assert.deepEqual(readCart(), [
    { id: 'film__seat', name: 'film__seat', quantity: 2 },
    { id: 'film__custom-support', name: 'film__custom-support', amount: 25 },
  ]);
  assert.equal(location.hash, '');
});
