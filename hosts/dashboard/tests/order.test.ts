import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keepKey, keyOf, moveEntry, pressKey } from '../ui/order.ts';

test('an entry moves forward, back and to the ends', () => {
  const list = ['a', 'b', 'c', 'd'];
  assert.deepEqual(moveEntry(list, 0, 2), ['b', 'c', 'a', 'd']);
  assert.deepEqual(moveEntry(list, 3, 1), ['a', 'd', 'b', 'c']);
  assert.deepEqual(moveEntry(list, 1, 1), list);
  assert.deepEqual(list, ['a', 'b', 'c', 'd'], 'the list itself is unchanged');
});

test('arrow keys move a lifted entry within the list', () => {
  assert.deepEqual(pressKey({ from: 1, at: 1 }, 'ArrowDown', 3), { from: 1, at: 2 });
  assert.deepEqual(pressKey({ from: 1, at: 2 }, 'ArrowDown', 3), { from: 1, at: 2 });
  assert.deepEqual(pressKey({ from: 1, at: 0 }, 'ArrowUp', 3), { from: 1, at: 0 });
  assert.deepEqual(pressKey({ from: 1, at: 1 }, 'Home', 3), { from: 1, at: 0 });
  assert.deepEqual(pressKey({ from: 1, at: 1 }, 'End', 3), { from: 1, at: 2 });
});

test('Escape returns a lifted entry, and Tab drops it', () => {
  assert.deepEqual(pressKey({ from: 0, at: 2 }, 'Escape', 3), { from: 0, at: 0 });
  assert.equal(pressKey({ from: 0, at: 2 }, 'Tab', 3), null);
  assert.equal(pressKey({ from: 0, at: 2 }, 'x', 3), undefined);
});

test('a changed copy of an entry keeps its key', () => {
  const first = { name: 'first' };
  const second = { name: 'second' };
  const changed = keepKey(first, { ...first, name: 'changed' });
  assert.equal(keyOf(changed), keyOf(first));
  assert.notEqual(keyOf(first), keyOf(second));
});
