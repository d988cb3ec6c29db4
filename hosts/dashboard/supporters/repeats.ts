// Events of a timeline that repeat another.
import type { Event } from './events.ts';

const sameCharge = 5 * 60_000; // milliseconds between a charge and its record

/**
 * Leaves out the results of charges whose own entry has the same, with its reason and payment. A charge for several pledges has another amount than each of them, which stays.
 */
export function withoutRepeats(events: readonly Event[]): readonly Event[] {
  const attempts = events.filter((e) => e.kind === 'charge_attempt');
  const outcomes = { charged: 'succeeded', charge_declined: 'declined' } as const;
  return events.filter((e) => {
    if (e.kind !== 'charged' && e.kind !== 'charge_declined') return true;
    const outcome = outcomes[e.kind];
    return !attempts.some(
      (a) =>
        a.outcome === outcome && a.amount === e.amount && Math.abs(Date.parse(a.at) - Date.parse(e.at)) < sameCharge,
    );
  });
}
