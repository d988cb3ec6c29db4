// The parts of a pledge's page: its status, timeline, parcels, changes and history.
import { addressLine } from './address.ts';
import { getWithToken, type Schema } from './api.ts';
import type { TotalKind } from './bill.ts';
import { brandName } from './brand.ts';
import { app, h } from './dom.ts';
import { lastDecline, newCardDeclined, type Step, standing, steps } from './timeline.ts';
import { day, deadline, lang, moment, momentWithLocal, money, say, total } from './words.ts';

type View = Schema['PledgeView'];

export function totalKind(v: View): TotalKind {
  if (v.charged) return 'charged';
  if (v.dueNow) return 'due';
  return v.pledgeStatus === 'cancelled' || v.recovery?.lane === 'dropped' || v.outcome === 'missed'
    ? 'nothing'
    : 'later';
}

/** Returns the page's title: what happened to a failed or canceled pledge, otherwise its campaign. */
export function pledgeTitle(v: View): string {
  const is = standing(v);
  const title = is === 'failed' && newCardDeclined(v) ? 'again' : is;
  return say(`title_${['active', 'funded', 'missed', 'charged'].includes(title) ? 'pledge' : title}`, {
    campaign: v.campaignTitle,
  });
}

/** Returns a line with the pledge's state, order number and campaign. */
export function statusLine(v: View): HTMLElement {
  const is = standing(v);
  const tone =
    is === 'charged'
      ? ' good'
      : ['failed', 'approve', 'wait'].includes(is)
        ? ' bad'
        : ['missed', 'dropped', 'cancelled'].includes(is)
          ? ' off'
          : '';
  return h(
    'p',
    { class: 'row small' },
    h('span', { class: `tag${tone}` }, say(`tag_${is}`)),
    `${say('manage_order', { order: v.orderId })} · ${v.campaignTitle}`,
  );
}

export const cardName = (v: View): string =>
  v.card ? say('card_name', { brand: brandName(v.card.brand ?? ''), last4: v.card.last4 }) : '';

/**
 * Returns sentences about the pledge's state. After a failed charge they state the reason, the card
 * and time of the attempt, and what the supporter must do.
 */
export function statusText(v: View): string {
  const sentences: string[] = [];
  if (v.pledgeStatus === 'payment_failed') {
    if (v.declineReason) sentences.push(say(`reason_${v.declineReason}`));
    const date = lastDecline(v);
    if (v.dueNow && date) sentences.push(v.card ? say('manage_tried', { card: cardName(v), date: moment(date) }) : '');
  }
  sentences.push(stateText(v));
  if (v.cardForgottenAt) sentences.push(say('card_forgotten', { date: moment(v.cardForgottenAt) }));
  return sentences.filter(Boolean).join(' ');
}

function stateText(v: View): string {
  const amount = money(v.dueNow || v.amount);
  if (v.recovery) {
    const until = momentWithLocal(v.recovery.until);
    const retry = v.recovery.retryAt ? moment(v.recovery.retryAt) : '';
    return say(`lane_${v.recovery.lane}`, { amount, until, retry });
  }
  switch (v.pledgeStatus) {
    case 'charged':
      return say(v.card ? 'status_charged_card' : 'status_charged', {
        amount: money(v.chargedAmount ?? v.amount),
        date: v.chargedAt ? moment(v.chargedAt) : '',
        card: cardName(v),
      });
    case 'cancelled':
      return say('status_cancelled');
    case 'payment_failed':
      return say('status_failed');
    default:
      return say(`status_${v.outcome ?? 'active'}`, { amount, date: deadline(v.deadline) });
  }
}

/** Returns the amount due and the time by which it must be paid, or null if nothing is due. */
export function dueFigures(v: View): HTMLElement | null {
  if (!v.dueNow || !v.recovery) return null;
  const left = Math.max(0, Math.ceil((Date.parse(v.recovery.until) - Date.parse(v.now)) / 86_400_000));
  const figure = (name: string, value: string, hint: string): HTMLElement =>
    h('div', {}, h('dt', {}, name), h('dd', {}, h('strong', {}, value), h('span', { class: 'hint' }, hint)));
  return h(
    'dl',
    { class: 'due-figures' },
    figure(say('due_amount'), total(v.dueNow), v.dueNow === v.amount ? '' : say('due_together')),
    figure(say('due_until'), moment(v.recovery.until), say('days', { count: left })),
  );
}

/** Returns the list of past and upcoming steps. */
export function timeline(v: View): HTMLElement {
  return h(
    'section',
    {},
    h('h2', {}, say('manage_status')),
    h('ol', { class: 'timeline' }, ...steps(v).map((s) => stepRow(s))),
  );
}

function stepRow(s: Step): HTMLElement {
  const date = s.until ? deadline(s.until) : s.at ? (s.at.length === 10 ? day(s.at) : moment(s.at)) : '';
  return h(
    'li',
    { class: s.state, 'aria-current': s.state === 'now' ? 'step' : undefined },
    h('strong', {}, say(`step_${s.name}`)),
    date || s.note ? h('span', { class: 'small' }, date, date && s.note ? '. ' : '', s.note ? say(s.note) : '') : null,
  );
}

/**
 * Returns a note about pledges that are charged together with this one without the supporter having
 * joined them, or null if there are none.
 */
export function combinedNote(v: View): HTMLElement | null {
  if (!v.combined) return null;
  return h(
    'p',
    { class: 'note' },
    say(v.combined.sameBrowser ? 'manage_combined' : 'manage_by_email', {
      count: v.combined.others,
      total: money(v.combined.total),
    }),
  );
}

/** Returns a note with the status of each parcel that is packed or sent. */
export function parcelNotes(v: View): HTMLElement[] {
  return (v.parcels ?? [])
    .filter((p) => p.status !== 'to_pack')
    .map((p) => {
      const date = p.sentOn ? day(p.sentOn) : '';
      const message =
        p.status === 'packed'
          ? say('parcel_packed')
          : p.carrier
            ? say('parcel_sent_with', { date, carrier: p.carrier })
            : say('parcel_sent', { date });
      const number = p.trackingNumber ?? '';
      const follow = p.trackingUrl
        ? h('a', { href: p.trackingUrl, rel: 'noopener noreferrer' }, say('parcel_follow', { number }))
        : number
          ? say('parcel_number', { number })
          : '';
      return h(
        'p',
        { class: 'note' },
        ...(p.fulfiller === 'platform' ? [say('parcel_platform'), ' '] : []),
        message,
        ' ',
        follow,
      );
    });
}

/** Returns notes about the refunds of the pledge. */
export function refundNotes(v: View): HTMLElement[] {
  const refunds = v.refunds ?? [];
  const paid = v.chargedAmount ?? v.amount;
  const last = refunds.filter((r) => r.status === 'succeeded' || r.status === 'repaid').at(-1);
  const done =
    last && v.refunded
      ? say('refund_done', { amount: money(v.refunded), date: moment(last.at), net: money(paid - v.refunded) })
      : '';
  const open = refunds
    .filter((r) => r.status === 'failed' || r.status === 'pending')
    .map((r) => say(`refund_${r.status}`, { amount: money(r.amount), date: moment(r.at) }));
  return [done, ...open].filter(Boolean).map((text) => h('p', { class: 'note' }, text));
}

const fulfillers: Readonly<Record<string, string>> = {
  tier: 'campaign',
  campaign_add_on: 'campaign',
  platform_add_on: 'platform',
};

/** Reports whether all parcels of the pledge have been sent. */
function isAllSent(v: View): boolean {
  const all = new Set(v.lines.flatMap((l) => fulfillers[l.kind] ?? []));
  return [...all].every((f) => v.parcels?.some((p) => p.fulfiller === f && p.status === 'sent'));
}

/**
 * Returns the pledge's address if the supporter can no longer change it. Unless all parcels have
 * been sent, it is followed by the contact to ask for a change.
 */
export function fixedAddress(v: View): HTMLElement[] {
  const to = v.shippingAddress;
  if (!to || v.canModify || totalKind(v) === 'nothing') return [];
  const line = h('p', { class: 'small' }, say('manage_sent_to'), ' ', addressLine(to));
  if (isAllSent(v)) return [line];
  const { contact } = app().dataset;
  const mail = `mailto:${contact}?${new URLSearchParams({ subject: v.orderId })}`;
  return [
    line,
    h(
      'p',
      { class: 'small' },
      say('manage_address_fixed'),
      ' ',
      contact ? h('a', { href: mail }, say('manage_address_ask')) : null,
    ),
  ];
}

/** Shows what the campaign has changed since the pledge was made. Errors are ignored. */
export async function showAmendments(token: string, container: HTMLElement): Promise<void> {
  try {
    const { changes } = await getWithToken<Schema['Amendments']>(`/pledge/changes?lang=${lang}`, token);
    if (changes.length === 0) return;
    const rows = changes.map((c) =>
      h(
        'li',
        {},
        amendmentText(c),
        c.reason ? h('span', { class: 'small' }, ' ', say('changes_reason', { reason: c.reason })) : null,
      ),
    );
    container.append(h('section', { class: 'note' }, h('h3', {}, say('changes_title')), h('ul', {}, ...rows)));
  } catch {
    // The list of changes is optional.
  }
}

function amendmentText(c: Schema['Amendments']['changes'][number]): string {
  const { before = '', after = '', name = '' } = c;
  if (c.kind !== 'reward') return say(`changes_${c.kind}`, { before, after });
  if (!c.field) return say('changes_gone', { name });
  const message = before && after && ['price', 'name', 'label', 'estimated_delivery'].includes(c.field);
  return message
    ? say(`changes_${c.field === 'label' ? 'name' : c.field}`, { name, before, after })
    : say('changes_reward', { name });
}

/** Returns the pledge's total after an event. Refunds do not change it. */
const historyAmount = (v: View, e: View['history'][number]): string =>
  e.type.startsWith('refund_') ? '' : money(e.type === 'charged' ? (v.chargedAmount ?? e.amount) : e.amount);

export function historyTable(v: View): HTMLElement {
  const rows = [...v.history]
    .reverse()
    .map((e) =>
      h('tr', {}, h('td', {}, say(`history_${e.type}`)), h('td', {}, moment(e.at)), h('td', {}, historyAmount(v, e))),
    );
  const heading = (id: string): HTMLElement => h('th', { scope: 'col' }, say(id));
  return h(
    'details',
    {},
    h('summary', {}, say('manage_history')),
    h(
      'table',
      { class: 'history' },
      h('thead', {}, h('tr', {}, heading('history_what'), heading('history_when'), heading('history_amount'))),
      h('tbody', {}, ...rows),
    ),
  );
}
