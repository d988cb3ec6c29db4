import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Column, cellsOf, fill, isTable } from '../items/paste.ts';

const columns: readonly Column[] = [
  { path: 'label', parse: (cell) => cell },
  { path: 'price', parse: Number },
  { path: 'inventory', parse: Number },
];

test('a copied range of a spreadsheet is recognized', () => {
  assert.equal(isTable('S\t20\nM\t30\n'), true);
  assert.equal(isTable('Large\n'), false, 'one cell is ordinary text');
  assert.deepEqual(cellsOf('S\t"20"\r\n\r\nM\t30\r\n'), [
    ['S', '20'],
    ['M', '30'],
  ]);
});

test('pasted cells fill rows from the cell that has the focus, and add rows', () => {
  const rows = [{ label: 'S', inventory: 5 }, { label: 'M' }];
  const filled = fill(rows, cellsOf('48\t12\n\t3\n50\t4'), { row: 1, column: 1 }, columns, 10);
  assert.deepEqual(filled, [
    { label: 'S', inventory: 5 },
    { label: 'M', price: 48, inventory: 12 },
    { inventory: 3 },
    { price: 50, inventory: 4 },
  ]);
  assert.equal(rows.length, 2, 'the rows themselves are unchanged');
});

test('an empty cell clears a value, and rows beyond the limit are left out', () => {
  const rows = [{ label: 'S', price: 45, inventory: 5 }];
  assert.deepEqual(fill(rows, [['S', '', '6'], ['M']], { row: 0, column: 0 }, columns, 1), [
    { label: 'S', inventory: 6 },
  ]);
});
