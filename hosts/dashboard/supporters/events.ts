// The events of a supporter's timeline in words.
import type { Schema } from '../../site/scripts/api.ts';
import { money } from '../words.ts';
import { say } from './timelinewords.ts';

export type Event = Schema['SupporterTimeline']['events'][number];

const emails = [
  'confirmation',
  'modified',
  'cancelled',
  'card_replaced',
  'charged',
  'update_card',
  'new_card',
  'dropped',
  'missed',
  'parcel_sent',
  'readdressed',
  'refunded',
  'refund_failed',
  'lost_order',
  'links',
  'launch_confirmation',
  'launch_reminder',
  'abandoned_cart',
  'announcement',
  'diary',
  'milestone',
  'blast',
] as const;

/** Describes an event: "Pledge confirmation delivered", "Charge of $45.00 declined: insufficient funds". */
export function eventText(e: Event): string {
  if (e.kind === 'email') return emailText(e);
  if (e.kind === 'charge_attempt') return chargeText(e);
  const parcel = [e.parcel?.carrier, e.parcel?.trackingNumber].filter(Boolean).join(', ');
  const more = [e.amount === undefined ? '' : money(e.amount), parcel].filter(Boolean).join(', ');
  return more ? say('with', { text: say(e.kind), more }) : say(e.kind);
}

function emailText(e: Event): string {
  const email = emails.find((m) => m === e.email);
  const outcome = e.outcome && e.outcome in deliveries ? (e.outcome as keyof typeof deliveries) : 'queued';
  return say('email_is', { email: email ? say(`email_${email}`) : say('email'), is: say(deliveries[outcome]) });
}

const deliveries = {
  queued: 'is_queued',
  sent: 'is_sent',
  delivered: 'is_delivered',
  bounced: 'is_bounced',
  returned: 'is_returned',
  complained: 'is_complained',
  not_sent: 'is_not_sent',
} as const;

const attempts = {
  pending: 'attempt_pending',
  succeeded: 'attempt_succeeded',
  declined: 'attempt_declined',
  unclear: 'attempt_unclear',
} as const;

function chargeText(e: Event): string {
  const outcome = e.outcome && e.outcome in attempts ? (e.outcome as keyof typeof attempts) : 'pending';
  const text = say(attempts[outcome], { sum: e.amount === undefined ? '' : money(e.amount) });
  return e.reason ? say('with', { text, more: declineText(e.reason) }) : text;
}

/** Returns the reason for a declined charge: "insufficient funds". */
export const declineText = (reason: NonNullable<Event['reason']>): string => say(`reason_${reason}`);

/** Returns the color of an event's icon. */
export function toneOf(e: Event): '' | 'good' | 'warn' | 'bad' {
  const outcome: string = e.outcome ?? e.kind;
  if (['bounced', 'complained', 'declined', 'charge_declined', 'unclear', 'dropped', 'dispute_lost'].includes(outcome))
    return 'bad';
  if (['returned', 'not_sent', 'pending', 'dispute_opened', 'parcels_held'].includes(outcome)) return 'warn';
  if (['delivered', 'succeeded', 'charged', 'pledged', 'dispute_won'].includes(outcome)) return 'good';
  return '';
}
