// The key figures of refunds and disputes.
import type { Schema } from '../../site/scripts/api.ts';
import { money } from '../words.ts';
import { say } from './reversalwords.ts';

type Figure = readonly [name: string, value: string, note?: string];

/** Returns the amounts that are not zero, and what remains of the collected amount. */
export function reversalFigures(sums: Schema['MoneySums']): readonly Figure[] {
  const owed = sums.owed ? say('owed_note', { sum: money(sums.owed) }) : '';
  const figures: readonly (readonly [amount: number, figure: Figure])[] = [
    [sums.refunded || sums.owed, [say('refunded'), money(sums.refunded), owed]],
    [sums.disputed, [say('disputed'), money(sums.disputed), say('disputed_note')]],
    [sums.lost, [say('lost'), money(sums.lost)]],
    [sums.unexplained, [say('unexplained'), money(sums.unexplained), say('unexplained_note')]],
  ];
  return [
    ...figures.filter(([amount]) => amount !== 0).map(([, figure]) => figure),
    [say('net'), money(sums.net), say('net_note', { sum: money(sums.fees) })],
  ];
}
