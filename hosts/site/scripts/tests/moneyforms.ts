// Compares the formats of amounts with the examples in the test data of package money.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { money, price, total } from '../words.ts';

type Row = { readonly cents: number } & Readonly<Record<'en' | 'es', readonly string[]>>;

const file = new URL('../../../../pledge/money/testdata/forms.json', import.meta.url);
const rows = JSON.parse(readFileSync(file, 'utf8')) as readonly Row[];

export function compareForms(lang: 'en' | 'es'): void {
  describe('price, money and total', () => {
    assert.ok(rows.length > 0);
    for (const row of rows)
      test(`${row.cents} cents`, () =>
        assert.deepEqual([price(row.cents), money(row.cents), total(row.cents)], row[lang]));
  });
}
