// All that is known of one supporter in a campaign: pledges, and what happened in order.
import type { Schema } from '../../site/scripts/api.ts';
import { brand } from '../../site/scripts/brand.ts';
import { to } from '../place.ts';
import { query, refresh, useReading } from '../reading.ts';
import { may } from '../session.ts';
import { Copy } from '../ui/copy.tsx';
import { Note, Shown } from '../ui/notice.tsx';
import { money, moment } from '../words.ts';
import { Address, LinkAgain, NewNote, Parcels } from './care.tsx';
import { Status } from './status.tsx';
import { say } from './words.ts';

type Known = Schema['SupporterTimeline'];
type Pledge = Known['pledges'][number];
type Event = Known['events'][number];

export function Timeline({ slug, order }: { slug: string; order: string }) {
  const path = query('/admin/supporters/timeline', { campaignSlug: slug, orderId: order });
  const reading = useReading<Known>(path, 60);
  const again = (): Promise<void> => refresh(path);
  return (
    <>
      <p class="small"><a href={to(['supporters'], { campaign: slug })}>← {say('title')}</a></p>
      <Shown reading={reading}>
        {(known) => (
          <>
            <h1>{known.name || known.email}</h1>
            <p class="row"><span>{known.email}</span><Copy text={known.email} /><span class="small">{known.campaignSlug}</span></p>
            <LinkAgain slug={slug} order={order} />
            {known.suppressed.map((s) => <Note key={s.topic} tone="warn">{say('suppressed', { what: say(`topic_${topics.find((t) => t === s.topic) ?? 'all'}`), why: s.reasons.join(', ') })}</Note>)}
            {known.pledges.map((p) => <One key={p.orderId} slug={slug} pledge={p} again={again} />)}
            {known.more ? <p class="small">{say('more_pledges')}</p> : null}
            <NewNote slug={slug} order={order} again={again} />
            <h2>{say('history')}</h2>
            <ol class="history">{known.events.toReversed().map((e, i) => <li key={`${e.at} ${i}`}><time dateTime={e.at}>{moment(e.at)}</time><span>{what(e)}{e.text ? <span class="note-text"><br />{e.text}</span> : null}</span></li>)}</ol>
          </>
        )}
      </Shown>
    </>
  );
}

const topics = ['update', 'launch', 'cart'] as const;

function One({ slug, pledge: p, again }: { slug: string; pledge: Pledge; again: () => Promise<void> }) {
  const a = p.shippingAddress;
  return (
    <section class="card unclear">
      <div class="row"><strong>{p.orderId}</strong><Copy text={p.orderId} /><Status of={p.pledgeStatus} />{p.totals ? <strong>{money(p.totals.amount)}</strong> : null}{p.chargedAmount ? <span>{say('charged_amount', { amount: money(p.chargedAmount) })}</span> : null}<span class="small">{moment(p.createdAt)}</span></div>
      <ul>{p.items.map((i) => <li key={`${i.kind} ${i.name} ${i.variantName ?? ''}`}>{i.quantity > 1 ? `${i.quantity} × ` : ''}{i.name}{i.variantName ? `, ${i.variantName}` : ''}</li>)}</ul>
      {a ? <address>{[a.name, a.line1, a.line2, [a.city, a.state, a.postalCode].filter(Boolean).join(' '), a.country].filter(Boolean).map((line) => <div key={line}>{line}</div>)}</address> : null}
      {a && may('fulfilment') && p.pledgeStatus !== 'cancelled' && !allSent(p) ? <Address slug={slug} pledge={p} now={a} again={again} /> : null}
      {p.parcels.length ? <Parcels slug={slug} pledge={p} again={again} /> : null}
      {p.card ? <p class="small">{say('card', { brand: brand(p.card.brand ?? ''), last4: p.card.last4 })}</p> : null}
      {p.cardForgottenAt ? <p class="small">{say('card_deleted', { time: moment(p.cardForgottenAt) })}</p> : null}
    </section>
  );
}

const allSent = (p: Pledge): boolean => p.parcels.length > 0 && p.parcels.every((parcel) => parcel.status === 'sent');

const acts = ['note', 'address_changed', 'parcel_packed', 'parcel_sent', 'parcel_reopened'] as const;

function what(e: Event): string {
  const act = acts.find((a) => a === e.type);
  const parts = [say(`about_${e.about}`), act ? say(act) : e.type.replaceAll('_', ' ')];
  if (e.parcel) parts.push(...[e.parcel.carrier, e.parcel.trackingNumber].filter((s) => s !== undefined));
  if (e.by) parts.push(e.by);
  if (e.status) parts.push(e.status.replaceAll('_', ' '));
  if (e.reported) parts.push(say('reported', { what: e.reported }));
  if (e.amount !== undefined) parts.push(money(e.amount));
  if (e.errorCode) parts.push(e.errorCode);
  if (e.paymentIntentId) parts.push(e.paymentIntentId);
  return parts.join(' · ');
}
