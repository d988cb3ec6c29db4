// The price breakdown of a pledge, in amounts calculated by the server.
import type { Schema } from './api.ts';
import { h } from './dom.ts';
import { type TaxInfo, taxRow } from './taxline.ts';
import { money, monthOf, say, total } from './words.ts';

type Line = Pick<
  Schema['PledgeView']['lines'][number],
  'kind' | 'id' | 'name' | 'variantName' | 'quantity' | 'amount' | 'promisedDelivery'
>;

export interface Totals {
  readonly subtotal: number;
  readonly shipping: number;
  readonly tax: number | null; // null until the address suffices to compute it
  readonly tip: number;
  readonly tipPercent: number;
  readonly earlier?: number; // amount of earlier pledges that are charged in the same payment
  readonly amount: number;
  readonly paid?: number | undefined; // charged amount, if it differs from `amount`
  readonly taxInfo?: TaxInfo; // how the tax was calculated
  readonly parts?: readonly Part[]; // the campaigns' parts of the total
}

/** A campaign's part of the total, with the time of its charge. */
export interface Part {
  readonly title: string;
  readonly amount: number;
  readonly date: string;
}

/** The label of the total: charged later, due now, already charged, or no longer due. */
export type TotalKind = 'later' | 'due' | 'charged' | 'nothing';

/** Returns the name and amount of each line. */
export const lineAmounts = (lines: readonly Line[]): (readonly [string, string])[] =>
  lines.map(
    (l) =>
      [
        (l.kind === 'custom' ? say('change_custom') : l.name) +
          (l.variantName ? `, ${l.variantName}` : '') +
          (l.quantity > 1 ? ` × ${l.quantity}` : ''),
        money(l.amount),
      ] as const,
  );

/** Returns the name, the amount and the delivery of each line. `months` has the rewards' current estimates. */
export const linesWithDelivery = (
  lines: readonly Line[],
  months: Readonly<Record<string, string | undefined>>,
): (readonly [string, string, string])[] =>
  lineAmounts(lines).map(
    (amounts, i) => [...amounts, lines[i]?.kind === 'tier' ? deliveryText(lines[i], months) : ''] as const,
  );

/** Returns when a reward is expected, with the month that was promised if that differs. */
function deliveryText(line: Line, months: Readonly<Record<string, string | undefined>>): string {
  const month = months[line.id ?? ''];
  const promised = line.promisedDelivery ? monthOf(line.promisedDelivery) : '';
  if (!month) return promised && say('delivery_promised', { promised });
  return promised && line.promisedDelivery !== month
    ? say('delivery_moved', { month: monthOf(month), promised })
    : say('cart_delivery', { month: monthOf(month) });
}

/** Returns a table of the lines, the totals and the amount due. `why` explains a missing tax. */
export function billTable(
  sums: Totals,
  lines: readonly (readonly [name: string, amount: string, detail?: string])[],
  standing: TotalKind = 'later',
  why?: string,
): HTMLElement {
  const due = sums.tax === null ? say('bill_more', { amount: money(sums.amount) }) : total(sums.amount);
  const row = (name: string, value: string, detail?: string): HTMLElement =>
    h(
      'tr',
      {},
      h('th', { scope: 'row' }, name, detail ? h('span', { class: 'hint' }, detail) : null),
      h('td', {}, value),
    );
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
        ...lines.map((line) => row(...line)),
        row(say('bill_subtotal'), money(sums.subtotal)),
        sums.shipping > 0 ? row(say('bill_shipping'), money(sums.shipping)) : null,
        sums.tax === null || !sums.taxInfo
          ? row(say('bill_tax'), sums.tax === null ? '--' : money(sums.tax), sums.tax === null ? why : undefined)
          : taxRow(sums.taxInfo, sums.tax),
        row(sums.tipPercent ? say('bill_tip', { percent: sums.tipPercent }) : say('bill_tip_amount'), money(sums.tip)),
        sums.earlier ? row(say('bill_earlier'), money(sums.earlier)) : null,
      ),
      h(
        'tfoot',
        {},
        sums.paid === undefined ? null : row(say('bill_agreed'), money(sums.amount)),
        row(
          say(`bill_${standing}`),
          sums.paid === undefined ? due : total(sums.paid),
          standing === 'later' ? whenDue(sums.parts ?? []) : undefined,
        ),
        ...((sums.parts?.length ?? 0) > 1
          ? (sums.parts ?? []).map((p) => row(p.title, money(p.amount), say('bill_part_when', { date: p.date })))
          : []),
        standing === 'later' ? row(say('bill_today'), money(0)) : null,
      ),
    ),
  );
}

/** Returns the bill of a pledge. */
export const pledgeBill = (v: Schema['PledgeView'], kind: TotalKind): HTMLElement =>
  billTable(
    {
      subtotal: v.subtotal,
      shipping: v.shipping,
      tax: v.tax,
      tip: v.tipAmount,
      tipPercent: v.tipPercent,
      amount: v.amount,
      paid: v.chargedAmount,
    },
    kind === 'nothing' ? lineAmounts(v.lines) : linesWithDelivery(v.lines, v.estimatedDeliveries ?? {}),
    kind,
  );

/** Returns the text that states when the total is charged: after the deadline of each campaign. */
function whenDue(parts: readonly Part[]): string {
  const [first, second] = parts;
  if (!first) return say('bill_when');
  return second ? say('bill_when_parts', { count: parts.length }) : say('bill_when_date', { date: first.date });
}
