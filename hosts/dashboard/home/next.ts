// Scheduled events of campaigns: launches, deadlines, charges, and the end of recoveries.
import type { Summary } from '../campaigns/summary.ts';

type EventKind = 'opens' | 'ends' | 'charges' | 'drops';

export interface Event {
  readonly kind: EventKind;
  /** Milliseconds. */
  readonly at: number;
  readonly campaign: Summary;
}

/** Returns the scheduled events after a time in milliseconds, the next one first. */
export function scheduledEvents(campaigns: readonly Summary[], now: number): readonly Event[] {
  return campaigns
    .flatMap((c) => eventsOf(c).map(([kind, at]): Event => ({ kind, at: Date.parse(at ?? ''), campaign: c })))
    .filter((e) => e.at > now)
    .toSorted((a, b) => a.at - b.at);
}

type Scheduled = readonly (readonly [EventKind, string | undefined])[];

/**
 * Returns the events that are possible in a campaign's state, with their times if they have one.
 */
function eventsOf(c: Summary): Scheduled {
  switch (c.status) {
    case 'scheduled':
      return [['opens', c.startsAt]];
    case 'live':
    case 'funded':
      return [
        ['ends', c.endsAt],
        ['charges', c.chargesAt],
      ];
    case 'charging':
    case 'settled':
      return [
        ['charges', c.chargesAt],
        ['drops', c.repairable?.until],
      ];
  }
  return [];
}
