// What a pledge comes to, in the service's figures.
import type { Schema } from './api.ts';
import { h } from './dom.ts';
import { money, say } from './words.ts';

type Line = Pick<Schema['PledgeView']['lines'][number], 'kind' | 'name' | 'variantName' | 'quantity' | 'amount'>;

export interface Sums {
  readonly subtotal: number;
  readonly shipping: number;
  readonly tax: number | null; // null while it takes more of the address
  readonly tip: number;
  readonly tipPercent: number;
  readonly earlier?: number; // of pledges that are charged in the same payment
  readonly amount: number;
  readonly paid?: number | undefined; // what was charged, if that is not the amount
}

/** What the total is: still a promise, due now, already paid, or nothing any more. */
export type Standing = 'later' | 'due' | 'charged' | 'nothing';

/** The names of what was chosen, with their amounts. */
export const linesOf = (lines: readonly Line[]): (readonly [string, string])[] =>
  lines.map((l) => [(l.kind === 'custom' ? say('change_custom') : l.name) + (l.variantName ? `, ${l.variantName}` : '') + (l.quantity > 1 ? ` × ${l.quantity}` : ''), money(l.amount)] as const);

/** The table of the sums, with whatever lines stand above them. */
export function bill(sums: Sums, lines: readonly (readonly [string, string])[], standing: Standing = 'later', why?: string): HTMLElement {
  const total = sums.tax === null ? say('bill_more', { amount: money(sums.amount) }) : money(sums.amount);
  const row = (name: string, value: string, detail?: string): HTMLElement =>
    h('tr', {}, h('th', { scope: 'row' }, name, detail ? h('span', { class: 'hint' }, detail) : null), h('td', {}, value));
  return h(
    'div',
    { class: 'bill' },
    h(
      'table',
      {},
      h('caption', { class: 'unseen' }, say('bill')),
      h(
        'tbody',
        {},
        ...lines.map(([name, value]) => row(name, value)),
        row(say('bill_subtotal'), money(sums.subtotal)),
        sums.shipping > 0 ? row(say('bill_shipping'), money(sums.shipping)) : null,
        row(say('bill_tax'), sums.tax === null ? '--' : money(sums.tax), sums.tax === null ? why : undefined),
        row(say('bill_tip', { percent: sums.tipPercent }), money(sums.tip)),
        sums.earlier ? row(say('bill_earlier'), money(sums.earlier)) : null,
      ),
      h(
        'tfoot',
        {},
        sums.paid === undefined ? null : row(say('bill_agreed'), total),
        row(say(`bill_${standing}`), sums.paid === undefined ? total : money(sums.paid), standing === 'later' ? say('bill_when') : undefined),
        standing === 'later' ? row(say('bill_today'), money(0)) : null,
      ),
    ),
  );
}
