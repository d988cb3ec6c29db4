// The messages of a campaign: their text and audience, as drafts and as sent.
import type { Schema } from '../../site/scripts/api.ts';
import { query } from '../resources.ts';
import { type Audience, everyone, isSameAudience } from './audience.ts';

export type News = Schema['SentNews'];
export type Message = News['sent'][number];
export type Words = Pick<Message, 'subject' | 'body' | 'ctaLabel' | 'ctaUrl'>;

/** A message that is being written. */
export type Content = Words & { readonly audience: Audience };

export const noContent: Content = { subject: '', body: '', ctaLabel: '', ctaUrl: '', audience: everyone };

/** Returns the words of a message, without its other fields. */
const wordsOf = ({ subject, body, ctaLabel, ctaUrl }: Words): Words => ({ subject, body, ctaLabel, ctaUrl });

/** Returns the content of a draft or of a sent message. */
export const contentOf = (
  from: Words & { readonly audience?: Audience | undefined; readonly segment?: Audience | undefined },
): Content => ({ ...wordsOf(from), audience: from.audience ?? from.segment ?? everyone });

export const isSame = (a: Content, b: Content): boolean =>
  a.subject === b.subject &&
  a.body === b.body &&
  a.ctaLabel === b.ctaLabel &&
  a.ctaUrl === b.ctaUrl &&
  isSameAudience(a.audience, b.audience);

export const isEmpty = (content: Content): boolean => isSame(content, noContent);

/** Returns the API path of a campaign's sent messages, newest first. */
export const sentPath = (slug: string): string => query('/admin/broadcast/sent', { campaignSlug: slug });

/** The state of a sent message's delivery. */
export interface Delivery {
  /** Emails that the recipients' servers accepted. */
  readonly delivered: number;
  readonly bounced: number;
  readonly complained: number;
  /**
   * Recipients that got no email: rejected, unsubscribed in the meantime, or not reached before
   * sending was stopped.
   */
  readonly notSent: number;
  readonly pending: number;
}

export function deliveryOf({ states, phase }: Pick<Message, 'states' | 'phase'>): Delivery {
  const n = (...names: string[]): number => names.reduce((sum, name) => sum + (states[name] ?? 0), 0);
  const stopped = phase === 'stopped';
  return {
    delivered: n('accepted', 'complained'),
    bounced: n('bounced'),
    complained: n('complained'),
    notSent: n('refused', 'suppressed', ...(stopped ? ['pending'] : [])),
    pending: stopped ? 0 : n('pending'),
  };
}

export const isUnfinished = ({ phase }: Pick<Message, 'phase'>): boolean =>
  phase === 'drafting' || phase === 'sending' || phase === 'paused';
