// Events of a timeline that repeat another event.
import type { Event } from './events.ts';

const sameCharge = 5 * 60_000; // milliseconds between a charge and its record

/**
 * Leaves out charge results that repeat a charge's own entry, which also has the reason and
 * payment. Results of a charge for several pledges are kept, because their amounts differ.
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
