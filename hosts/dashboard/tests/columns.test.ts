import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { chooseRole, parseTable, recognizedRoles, withRoles } from '../reports/columns.ts';

describe('columns of a carrier’s file', () => {
  const table = parseTable('\ufeffReference;Service;Barcode;Cost\npw-1;Postal;"94;00";7.84\n\npw-2;;0042\n');
  test('are parsed with any separator', () => {
    assert.deepEqual(table.heads, ['Reference', 'Service', 'Barcode', 'Cost']);
    assert.deepEqual(table.lines, [
      ['pw-1', 'Postal', '94;00', '7.84'],
      ['pw-2', '', '0042'],
    ]);
  });
  test('of an empty file are none', () => assert.deepEqual(parseTable(''), { heads: [], lines: [] }));
  test('get the roles that the server recognized', () =>
    assert.deepEqual([...recognizedRoles(table, { carrier: 'Service', order: 'Missing' })], [[1, 'carrier']]));
  test('have one role each', () => {
    const first = chooseRole(new Map([[0, 'order']]), 2, 'order');
    assert.deepEqual(
      [...first],
      [
        [0, 'ignored'],
        [2, 'order'],
      ],
    );
    assert.deepEqual(chooseRole(first, 2, undefined).get(2), 'ignored');
  });
  test('are written with their roles or names, and without the ignored ones', () =>
    assert.equal(
      withRoles(
        table,
        new Map([
          [0, 'order'],
          [2, 'tracking'],
          [3, 'ignored'],
        ]),
      ),
      'order,Service,tracking\npw-1,Postal,94;00\npw-2,,0042',
    ));
});
