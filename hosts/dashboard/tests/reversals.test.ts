import '../../site/scripts/tests/english.ts';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { reversalFigures } from '../campaigns/reversals.ts';

const none = { collected: 5000, refunded: 0, owed: 0, disputed: 0, lost: 0, fees: 100, unexplained: 0, net: 4900 };

describe('reversalFigures', () => {
  const cases: readonly (readonly [name: string, sums: typeof none, want: readonly string[]])[] = [
    ['fee of a dispute that was won', { ...none, fees: 1600, net: 3400 }, ['Net: $34.00']],
    ['refund', { ...none, refunded: 1000, net: 3900 }, ['Refunded: $10.00', 'Net: $39.00']],
    [
      'refund that failed',
      { ...none, owed: 1000, net: 3900 },
      ['Refunded: $0.00 ($10.00 more came back and is still owed)', 'Net: $39.00'],
    ],
    [
      'disputes',
      { ...none, disputed: 500, lost: 700, unexplained: 1, net: 3699 },
      [
        'Disputed: $5.00 (Withdrawn until the bank decides)',
        'Lost in disputes: $7.00',
        'Unexplained: $0.01 (Changes of the Stripe balance without a known reason)',
        'Net: $36.99',
      ],
    ],
  ];
  for (const [name, sums, want] of cases)
    test(name, () => {
      const figures = reversalFigures(sums);
      assert.equal(
        figures.at(-1)?.[2],
        `After refunds, disputes and ${sums.fees === 100 ? '$1.00' : '$16.00'} of fees`,
      );
      assert.deepEqual(
        figures.map(([of, value, note], i) => `${of}: ${value}${note && i < figures.length - 1 ? ` (${note})` : ''}`),
        want,
      );
    });
});
