// One supporter's pledges in a campaign and a chronological history.
import type { Schema } from '../../site/scripts/api.ts';
import { brandName } from '../../site/scripts/brand.ts';
import { query, refresh, useResource } from '../resources.ts';
import { hrefTo } from '../router.ts';
import { hasPermission } from '../session.ts';
import { Copy } from '../ui/copy.tsx';
import { Notice, ResourceView } from '../ui/notice.tsx';
import { moment, money } from '../words.ts';
import { AddNote, ChangeAddress, Parcels, ResendLink } from './actions.tsx';
import { Status } from './status.tsx';
import { say } from './words.ts';

type Known = Schema['SupporterTimeline'];
type Pledge = Known['pledges'][number];
type Event = Known['events'][number];

export function Timeline({ slug, order }: { slug: string; order: string }) {
  const path = query('/admin/supporters/timeline', { campaignSlug: slug, orderId: order });
  const resource = useResource<Known>(path, 60);
  const reload = (): Promise<void> => refresh(path);
  return (
    <>
      <p class="small">
        <a href={hrefTo(['supporters'], { campaign: slug })}>← {say('title')}</a>
      </p>
      <ResourceView resource={resource}>
        {(supporter) => (
          <>
            <h1>{supporter.name || supporter.email}</h1>
            <p class="row">
              <span>{supporter.email}</span>
              <Copy text={supporter.email} />
              <span class="small">{supporter.campaignSlug}</span>
            </p>
            <ResendLink slug={slug} order={order} />
            {supporter.suppressed.map((s) => (
              <Notice key={s.topic} tone="warn">
                {say('suppressed', {
                  what: say(`topic_${topics.find((t) => t === s.topic) ?? 'all'}`),
                  why: s.reasons.join(', '),
                })}
              </Notice>
            ))}
            {supporter.pledges.map((p) => (
              <PledgeCard key={p.orderId} slug={slug} pledge={p} reload={reload} />
            ))}
            {supporter.more ? <p class="small">{say('more_pledges')}</p> : null}
            <AddNote slug={slug} order={order} reload={reload} />
            <h2>{say('history')}</h2>
            <ol class="history">
              {supporter.events.toReversed().map((e, i) => (
                <li key={`${e.at} ${i}`}>
                  <time dateTime={e.at}>{moment(e.at)}</time>
                  <span>
                    {eventText(e)}
                    {e.text ? (
                      <span class="note-text">
                        <br />
                        {e.text}
                      </span>
                    ) : null}
                  </span>
                </li>
              ))}
            </ol>
          </>
        )}
      </ResourceView>
    </>
  );
}

const topics = ['update', 'launch', 'cart'] as const;

function PledgeCard({ slug, pledge: p, reload }: { slug: string; pledge: Pledge; reload: () => Promise<void> }) {
  const a = p.shippingAddress;
  return (
    <section class="card unclear">
      <div class="row">
        <strong>{p.orderId}</strong>
        <Copy text={p.orderId} />
        <Status status={p.pledgeStatus} />
        {p.totals ? <strong>{money(p.totals.amount)}</strong> : null}
        {p.chargedAmount ? <span>{say('charged_amount', { amount: money(p.chargedAmount) })}</span> : null}
        <span class="small">{moment(p.createdAt)}</span>
      </div>
      <ul>
        {p.items.map((i) => (
          <li key={`${i.kind} ${i.name} ${i.variantName ?? ''}`}>
            {i.quantity > 1 ? `${i.quantity} × ` : ''}
            {i.name}
            {i.variantName ? `, ${i.variantName}` : ''}
          </li>
        ))}
      </ul>
      {a ? (
        <address>
          {[a.name, a.line1, a.line2, [a.city, a.state, a.postalCode].filter(Boolean).join(' '), a.country]
            .filter(Boolean)
            .map((line) => (
              <div key={line}>{line}</div>
            ))}
        </address>
      ) : null}
      {a && hasPermission('fulfilment') && p.pledgeStatus !== 'cancelled' && !allSent(p) ? (
        <ChangeAddress slug={slug} pledge={p} now={a} reload={reload} />
      ) : null}
      {p.parcels.length ? <Parcels slug={slug} pledge={p} reload={reload} /> : null}
      {p.card ? (
        <p class="small">{say('card', { brand: brandName(p.card.brand ?? ''), last4: p.card.last4 })}</p>
      ) : null}
      {p.cardForgottenAt ? <p class="small">{say('card_deleted', { time: moment(p.cardForgottenAt) })}</p> : null}
    </section>
  );
}

const allSent = (p: Pledge): boolean => p.parcels.length > 0 && p.parcels.every((parcel) => parcel.status === 'sent');

const eventTypes = ['note', 'address_changed', 'parcel_packed', 'parcel_sent', 'parcel_reopened'] as const;

function eventText(e: Event): string {
  const act = eventTypes.find((a) => a === e.type);
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
