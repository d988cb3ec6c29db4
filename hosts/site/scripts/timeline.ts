// The past and upcoming steps of a pledge, derived from its state and history.
import type { Schema } from './api.ts';

type View = Schema['PledgeView'];

/** A step of the timeline, with the time `at` or, for a deadline, the first instant after it (`until`). */
export interface Step {
  readonly name: string; // of the message step_…
  readonly state: 'done' | 'now' | 'bad' | 'next';
  readonly at?: string | undefined;
  readonly until?: string | undefined;
  readonly note?: 'step_if_funded' | 'step_soon';
}

const declines = (v: View): readonly View['history'][number][] => v.history.filter((e) => e.type === 'payment_failed');

/** Returns the time of the last failed charge, or undefined if there is none. */
export const lastDecline = (v: View): string | undefined => declines(v).at(-1)?.at;

/** Reports whether the last failed charge was on a card that had replaced a declined one. */
export function newCardDeclined(v: View): boolean {
  const types = v.history.map((e) => e.type);
  const last = types.lastIndexOf('payment_failed');
  const replaced = types.lastIndexOf('card_updated', last);
  return replaced > types.indexOf('payment_failed') && replaced < last;
}

/** The state of a pledge that its page shows. It is more detailed than the pledge's status. */
export type Standing =
  | 'active'
  | 'funded'
  | 'missed'
  | 'charged'
  | 'cancelled'
  | 'approve'
  | 'failed'
  | 'wait'
  | 'dropped';

export function standing(v: View): Standing {
  switch (v.pledgeStatus) {
    case 'charged':
      return 'charged';
    case 'cancelled':
      return 'cancelled';
    case 'payment_failed':
      return v.recovery && v.recovery.lane !== 'new_card' ? v.recovery.lane : 'failed';
    default:
      return v.outcome ?? 'active';
  }
}

/** Returns the steps of the pledge in order. */
export function steps(v: View): Step[] {
  const pledged: Step = { name: 'pledged', state: 'done', at: v.createdAt };
  const deleted: Step[] = v.cardForgottenAt ? [{ name: 'card_deleted', state: 'done', at: v.cardForgottenAt }] : [];
  const funded: Step = { name: 'funded', state: 'done', until: v.deadline };
  const declined: Step = { name: 'declined', state: 'bad', at: lastDecline(v) };
  const is = standing(v);
  switch (is) {
    case 'active':
      return [
        pledged,
        { name: 'ends', state: 'now', until: v.deadline },
        { name: 'charge', state: 'next', note: 'step_if_funded' },
        ...parcel(v),
      ];
    case 'funded':
      return [pledged, funded, { name: 'charge', state: 'now', note: 'step_soon' }, ...parcel(v)];
    case 'missed':
      return [pledged, { name: 'missed', state: 'bad', until: v.deadline }, ...deleted];
    case 'charged':
      return [pledged, { name: 'charged', state: 'done', at: v.chargedAt }, ...parcel(v)];
    case 'cancelled':
      return [
        pledged,
        { name: 'cancelled', state: 'done', at: v.history.find((e) => e.type === 'cancelled')?.at },
        ...deleted,
      ];
    case 'dropped':
      return [pledged, funded, declined, { name: 'dropped', state: 'bad', at: v.recovery?.until }, ...deleted];
    default: {
      const retry: Step[] = v.recovery?.retryAt ? [{ name: 'retry', state: 'next', at: v.recovery.retryAt }] : [];
      const by: Step = { name: is === 'approve' ? 'approve_by' : 'pay_by', state: 'now', at: v.recovery?.until };
      return [pledged, funded, declined, ...retry, by, ...parcel(v)];
    }
  }
}

/** Returns the step for the parcels, or [] if the pledge has no physical items. */
function parcel(v: View): Step[] {
  if (!v.lines.some((l) => l.category === 'physical')) return [];
  const sent = (v.parcels ?? []).filter((p) => p.status === 'sent');
  const all = sent.length > 0 && sent.length === (v.parcels ?? []).length;
  if (all)
    return [
      {
        name: 'parcel',
        state: 'done',
        at: sent
          .map((p) => p.sentOn ?? '')
          .sort()
          .at(-1),
      },
    ];
  return [{ name: 'parcel', state: v.charged ? 'now' : 'next' }];
}
