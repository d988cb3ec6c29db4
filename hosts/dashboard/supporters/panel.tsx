// One supporter, next to the list: their pledges in a campaign, the actions and the timeline.
import { useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { brandName } from '../../site/scripts/brand.ts';
import { query, refresh, useResource } from '../resources.ts';
import { navigate, route } from '../router.ts';
import { hasPermission } from '../session.ts';
import { Copy } from '../ui/copy.tsx';
import { Notice, ResourceView } from '../ui/notice.tsx';
import { Panel } from '../ui/panel.tsx';
import { countryName, list, moment, money, monthOf } from '../words.ts';
import { AddNote, CancelPledge, ChangeAddress, Parcels, ResendLink } from './actions.tsx';
import { Disputes } from './dispute.tsx';
import { declineText } from './events.ts';
import { ParcelHold } from './hold.tsx';
import { Refunds } from './refund.tsx';
import { Status } from './status.tsx';
import { Timeline } from './timeline.tsx';
import { say } from './words.ts';

type Known = Schema['SupporterTimeline'];
type Pledge = Known['pledges'][number];

interface Props {
  readonly slug: string;
  readonly order: string;
  /** The campaign's title. */
  readonly title: string;
}

export function SupporterPanel({ slug, order, title }: Props) {
  const path = query('/admin/supporters/timeline', { campaignSlug: slug, orderId: order });
  const resource = useResource<Known>(path, 60);
  const reload = (): Promise<void> => refresh(path);
  const known = resource.value;
  return (
    <Panel
      title={known ? known.name || known.email : say('supporter')}
      close={() => navigate(['supporters'], route.value.filters)}
    >
      <ResourceView resource={resource}>
        {(supporter) => (
          <>
            <div class="row wrap">
              <span class="soft clip">{supporter.email}</span>
              <Copy text={supporter.email} />
            </div>
            {supporter.suppressed.map((s) => (
              <Notice key={s.topic} tone="warn">
                <p>
                  {say('suppressed', {
                    what: say(`topic_${topics.find((t) => t === s.topic) ?? 'all'}`),
                    why: list(s.reasons.map(reasonText)),
                  })}
                </p>
              </Notice>
            ))}
            {supporter.pledges.map((p) => (
              <PledgeCard key={p.orderId} slug={slug} title={title} pledge={p} reload={reload} />
            ))}
            {supporter.more ? <p class="small muted">{say('more_pledges')}</p> : null}
            <Actions slug={slug} order={order} reload={reload} />
            <Timeline events={supporter.events} />
          </>
        )}
      </ResourceView>
    </Panel>
  );
}

const topics = ['update', 'launch', 'cart'] as const;
const reasons = ['unsubscribed', 'bounced', 'complained', 'suppressed'] as const;

function reasonText(reason: string): string {
  const known = reasons.find((r) => r === reason);
  return known ? say(`reason_${known}`) : reason;
}

function Actions({ slug, order, reload }: { slug: string; order: string; reload: () => Promise<void> }) {
  const [noting, setNoting] = useState(false);
  return (
    <div class="row wrap top">
      <ResendLink slug={slug} order={order} />
      <button type="button" class="btn sm" onClick={() => setNoting(true)}>
        {say('add_note')}
      </button>
      {noting ? (
        <AddNote pledges={[{ campaignSlug: slug, orderId: order }]} added={reload} close={() => setNoting(false)} />
      ) : null}
    </div>
  );
}

interface CardProps extends Pick<Props, 'slug' | 'title'> {
  readonly pledge: Pledge;
  readonly reload: () => Promise<void>;
}

function PledgeCard({ slug, title, pledge: p, reload }: CardProps) {
  const a = p.shippingAddress;
  return (
    <section class="card" aria-label={p.orderId}>
      <div class="in stack g3">
        <div class="row between top">
          <div class="stack g1">
            <b>{title}</b>
            <span class="row small muted">
              <span class="mono">{p.orderId}</span>
            </span>
          </div>
          <Status status={p.status} />
        </div>
        {p.recovery ? <Failed pledge={p} recovery={p.recovery} /> : null}
        <Disputes slug={slug} pledge={p} reload={reload} />
        <Bill pledge={p} />
        {p.card ? (
          <p class="small soft">{say('card', { brand: brandName(p.card.brand ?? ''), last4: p.card.last4 })}</p>
        ) : null}
        {p.cardForgottenAt ? (
          <p class="small muted">{say('card_deleted', { time: moment(p.cardForgottenAt) })}</p>
        ) : null}
        {a ? (
          <div class="row between top">
            <address class="small soft">
              {[
                a.name,
                a.line1,
                a.line2,
                [a.city, a.state, a.postalCode].filter(Boolean).join(' '),
                countryName(a.country ?? ''),
                a.phone,
              ]
                .filter(Boolean)
                .map((line) => (
                  <div key={line}>{line}</div>
                ))}
            </address>
            {hasPermission('fulfilment') && p.pledgeStatus !== 'cancelled' && !allSent(p) ? (
              <ChangeAddress slug={slug} pledge={p} now={a} reload={reload} />
            ) : null}
          </div>
        ) : null}
        {p.paymentUrl ? (
          <p class="small">
            <a href={p.paymentUrl} target="_blank" rel="noopener noreferrer">
              {say('open_payment')}
            </a>
          </p>
        ) : null}
        <Refunds slug={slug} pledge={p} reload={reload} />
        {p.canCancel ? <CancelPledge pledge={p} reload={reload} /> : null}
        <ParcelHold slug={slug} pledge={p} reload={reload} />
        {p.parcels.length ? <Parcels slug={slug} pledge={p} reload={reload} /> : null}
      </div>
    </section>
  );
}

/** Why a payment failed, and what happens next. */
function Failed({ pledge: p, recovery }: { pledge: Pledge; recovery: Schema['Recovery'] }) {
  const why = p.declineReason ? say('declined_because', { why: declineText(p.declineReason) }) : say('declined');
  return (
    <Notice tone={recovery.lane === 'dropped' ? '' : 'warn'}>
      <b>{why}</b>
      <p class="small">
        {say(`next_${recovery.lane}`, {
          until: moment(recovery.until),
          retry: recovery.retryAt ? moment(recovery.retryAt) : '',
        })}
      </p>
    </Notice>
  );
}

/** The pledge's items and, for operators who may see amounts, the parts of its total. */
function Bill({ pledge: { items, totals, chargedAmount, createdAt } }: { pledge: Pledge }) {
  const parts = totals
    ? ([
        ['subtotal', totals.subtotal],
        ['shipping', totals.shipping],
        ['tax', totals.tax],
        ['tip', totals.tipAmount],
      ] as const)
    : [];
  return (
    <ul class="stack g1 small">
      {items
        .filter((i) => i.kind !== 'shipping' && i.kind !== 'tip')
        .map((i) => (
          <li key={[i.kind, i.name, i.variantName, i.amount, i.promisedDelivery].join(' ')} class="row between top">
            <span>
              {i.name}
              {i.variantName ? `, ${i.variantName}` : ''}
              {i.quantity > 1 ? ` × ${i.quantity}` : ''}
              {i.promisedDelivery ? (
                <div class="muted">{deliveryText(i.promisedDelivery, i.estimatedDelivery)}</div>
              ) : null}
            </span>
            {i.amount === undefined ? null : <span>{money(i.amount)}</span>}
          </li>
        ))}
      {parts
        .filter(([name, cents]) => cents || name === 'subtotal')
        .map(([name, cents]) => (
          <li key={name} class={`row between soft ${name === 'subtotal' ? 'total' : ''}`}>
            <span>{say(name)}</span>
            <span>{money(cents)}</span>
          </li>
        ))}
      {totals ? (
        <li class="row between total">
          <b>{say('total')}</b>
          <b>{money(totals.amount)}</b>
        </li>
      ) : null}
      {chargedAmount ? (
        <li class="row between">
          <span>{say('charged_amount')}</span>
          <span>{money(chargedAmount)}</span>
        </li>
      ) : null}
      <li class="muted">{say('made', { time: moment(createdAt) })}</li>
    </ul>
  );
}

/** The promised delivery month, with the campaign's current estimate if that differs. */
const deliveryText = (promised: string, now: string | undefined): string =>
  now && now !== promised
    ? say('delivery_moved', { promised: monthOf(promised), month: monthOf(now) })
    : say('delivery_promised', { promised: monthOf(promised) });

const allSent = (p: Pledge): boolean => p.parcels.length > 0 && p.parcels.every((parcel) => parcel.status === 'sent');
