// A supporter's own pledge: see it, change it, cancel it, put a failed charge right.
import { addressLine } from './address.ts';
import { post, read, Refused, root, simulated, type Schema } from './api.ts';
import { bill, linesOf, type Standing } from './bill.ts';
import { brand } from './brand.ts';
import { enterCard, processor } from './card.ts';
import { change, wasBegun } from './change.ts';
import { askForLinks } from './links.ts';
import { arrived, h, once, show } from './dom.ts';
import { notice } from './problem.ts';
import { knownSession } from './session.ts';
import { byLink, forgetToken, takeParameter, takeToken } from './token.ts';
import { inChange } from './typed.ts';
import { announce, day, deadline, lang, moment, money, say, when } from './words.ts';

type View = Schema['PledgeView'];

export async function manage(): Promise<void> {
  const linked = byLink();
  const token = takeToken();
  if (!token) {
    show(h('p', { class: 'note' }, say('manage_no_link')), h('p', {}, say('manage_links_ask')), askForLinks());
    return;
  }
  await open(token, linked, takeWish(), takeAll());
  if (location.pathname.endsWith('/updated/')) announce(say('card_saved')); // back from the processor's own page
}

/** What the mail's link was for: it is asked about, and not done. */
const takeWish = (): string | null => takeParameter('do');

/** The token by which a confirmation offers to join all pledges of its address. */
const takeAll = (): string | null => takeParameter('all');

async function open(token: string, linked = false, wish: string | null = null, all: string | null = null): Promise<void> {
  try {
    const v = await read<View>('/pledge', token);
    // A mail's link leads to the first language; its reader may have pledged in another.
    const other = linked && v.preferredLang !== lang ? document.querySelector<HTMLAnchorElement>(`nav a[hreflang="${CSS.escape(v.preferredLang)}"]`) : null;
    if (other) location.replace(wish ? `${other.href}#${new URLSearchParams({ do: wish, ...(all ? { all } : {}) })}` : other.href);
    else {
      arrived();
      pledge(token, v, wish, all);
    }
  } catch (error) {
    if (error instanceof Refused && error.status === 401) {
      forgetToken();
      inChange.forget();
      show(h('p', { class: 'note bad', role: 'alert' }, say('manage_expired')), h('p', {}, say('manage_links_ask')), askForLinks());
    } else show(notice(error));
  }
}

function pledge(token: string, v: View, wish: string | null = null, all: string | null = null): void {
  const heading = h('h2', { tabindex: -1 }, v.campaignTitle);
  const work = h('div', { 'data-work': true });
  const changed = h('div');
  if (v.campaignChanged) void amended(token, changed);
  const actions = h('div', { class: 'row' });
  const act = (label: string, quiet: boolean, task: () => Promise<void>): void => {
    const button = h('button', { type: 'button', class: quiet ? 'quiet' : '' }, label);
    button.addEventListener('click', once(button, async () => {
      inChange.forget(); // it makes room for what was asked for
      try {
        await task();
      } catch (error) {
        work.replaceChildren(notice(error));
      }
    }));
    actions.append(button);
  };
  if (v.canApprovePayment) act(say('manage_approve', { amount: money(v.dueNow) }), false, () => approve(token, v, work));
  const modify = (): Promise<void> => change(token, v, work, () => open(token));
  if (v.canModify) act(say('manage_change'), true, modify);
  if (v.canUpdatePaymentMethod) act(v.dueNow ? say('manage_charge', { amount: money(v.dueNow) }) : say('manage_card'), !v.dueNow || v.canApprovePayment, () => card(token, v, work));
  if (v.canJoin) act(say('manage_join'), true, () => askToJoin(token, work, all));
  if (v.canCancel) act(say('manage_cancel'), true, async () => ask(token, work));
  show(
    heading,
    h('p', { class: 'note' + (v.pledgeStatus === 'payment_failed' ? ' bad' : '') }, ...status(v)),
    bill({ subtotal: v.subtotal, shipping: v.shipping, tax: v.tax, tip: v.tipAmount, tipPercent: v.tipPercent, amount: v.amount, paid: v.chargedAmount }, linesOf(v.lines), standing(v)),
    v.card ? h('p', { class: 'small' }, say('manage_card_label', { brand: brand(v.card.brand ?? ''), last4: v.card.last4 })) : null,
    v.shippingAddress ? address(v.shippingAddress) : null,
    ...parcels(v),
    together(v),
    v.dueNow ? h('p', {}, say(v.dueNow === v.amount ? 'manage_due' : 'manage_due_all', { amount: money(v.dueNow) })) : null,
    actions,
    work,
    changed,
    history(v),
    h('p', {}, h('a', { href: `${root}/community/${v.campaignSlug}/` }, say('manage_votes')), ' · ', h('a', { href: `${root}/campaigns/${v.campaignSlug}/` }, v.campaignTitle)),
  );
  heading.focus();
  if (wish) inChange.forget();
  if (wasBegun(v)) modify().catch((error: unknown) => work.replaceChildren(notice(error)));
  if (wish === 'join' && v.canJoin) askToJoin(token, work, all).catch((error: unknown) => work.replaceChildren(notice(error)));
  if (wish === 'cancel' && v.canCancel) ask(token, work);
}

function standing(v: View): Standing {
  if (v.charged) return 'charged';
  if (v.dueNow) return 'due';
  return v.pledgeStatus === 'cancelled' || v.recovery?.lane === 'dropped' || v.outcome === 'missed' ? 'nothing' : 'later';
}

/** Where the pledge stands: why a charge failed, what happens next, what became of the card. */
function status(v: View): string[] {
  const why = v.declineReason && v.pledgeStatus === 'payment_failed' ? [say(`reason_${v.declineReason}`), ' '] : [];
  const gone = v.cardForgottenAt ? [' ', say('card_forgotten', { date: moment(v.cardForgottenAt) })] : [];
  return [...why, stands(v), ...gone];
}

function stands(v: View): string {
  if (v.recovery) {
    const until = when(v.recovery.until);
    const retry = v.recovery.retryAt ? moment(v.recovery.retryAt) : '';
    return say(`lane_${v.recovery.lane}`, { until, retry });
  }
  const amount = money(v.amount);
  switch (v.pledgeStatus) {
    case 'charged':
      return say('status_charged', { amount: money(v.chargedAmount ?? v.amount), date: v.chargedAt ? moment(v.chargedAt) : '' });
    case 'cancelled':
      return say('status_cancelled');
    case 'payment_failed':
      return say('status_failed');
    default:
      return say(`status_${v.outcome ?? 'active'}`, { amount, date: deadline(v.deadline) });
  }
}

/** What the pledge is charged with though it was not joined. */
function together(v: View): HTMLElement | null {
  if (!v.combined) return null;
  return h('p', { class: 'note' }, say(v.combined.sameBrowser ? 'manage_combined' : 'manage_by_email', { count: v.combined.others, total: money(v.combined.total) }));
}

function address(a: Schema['Address']): HTMLElement {
  return h('p', { class: 'small' }, say('manage_sent_to'), ' ', addressLine(a));
}

/** How far what was pledged for is, by who sends it. */
function parcels(v: View): HTMLElement[] {
  return (v.parcels ?? []).filter((p) => p.status !== 'to_pack').map((p) => {
    const date = p.sentOn ? day(p.sentOn) : '';
    const told = p.status === 'packed' ? say('parcel_packed') : p.carrier ? say('parcel_sent_with', { date, carrier: p.carrier }) : say('parcel_sent', { date });
    const number = p.trackingNumber ?? '';
    const follow = p.trackingUrl ? h('a', { href: p.trackingUrl, rel: 'noopener noreferrer' }, say('parcel_follow', { number })) : number ? say('parcel_number', { number }) : '';
    return h('p', { class: 'note' }, ...(p.fulfiller === 'platform' ? [say('parcel_platform'), ' '] : []), told, ' ', follow);
  });
}

/** What the campaign changed of what was pledged to. Where that can't be told, nothing is said. */
async function amended(token: string, place: HTMLElement): Promise<void> {
  try {
    const { changes } = await read<Schema['Amendments']>('/pledge/changes', token);
    if (changes.length === 0) return;
    const rows = changes.map((c) => h('li', {}, amendment(c), c.reason ? h('span', { class: 'small' }, ' ', say('changes_reason', { reason: c.reason })) : null));
    place.append(h('section', { class: 'note' }, h('h3', {}, say('changes_title')), h('ul', {}, ...rows)));
  } catch {
    // the pledge stands as it is without it
  }
}

function amendment(c: Schema['Amendments']['changes'][number]): string {
  const { before = '', after = '', name = '' } = c;
  if (c.kind !== 'reward') return say(`changes_${c.kind}`, { before, after });
  if (!c.field) return say('changes_gone', { name });
  const told = before && after && ['price', 'name', 'label', 'estimated_delivery'].includes(c.field);
  return told ? say(`changes_${c.field === 'label' ? 'name' : c.field}`, { name, before, after }) : say('changes_reward', { name });
}

function history(v: View): HTMLElement {
  const rows = v.history.map((e) => h('tr', {}, h('td', {}, moment(e.at)), h('td', {}, say(`history_${e.type}`)), h('td', {}, money(e.type === 'charged' ? v.chargedAmount ?? e.amount : e.amount))));
  return h('details', {}, h('summary', {}, say('manage_history')), h('table', {}, h('tbody', {}, ...rows)));
}

/** Cancelling takes a second, plain question. */
function ask(token: string, work: HTMLElement): void {
  decide(work, { question: say('cancel_question'), yes: say('cancel_yes'), no: say('cancel_no') }, [say('cancel_lead')], async () => {
    const done = await post<Schema['Cancelled']>('/pledge/cancel', { token });
    announce(say('cancel_done'));
    pledge(token, done.pledge);
  });
}

/**
 * Joining says first what is charged together, and which card pays. The link of a confirmation
 * joins all pledges of the address by one button.
 */
async function askToJoin(token: string, work: HTMLElement, all: string | null): Promise<void> {
  const session = knownSession();
  const j = await read<Schema['Joining']>('/pledge/joining', token, { ...(session ? { 'X-Browser-Session': session } : {}), ...(all ? { 'X-Join-Token': all } : {}) });
  const date = j.cardSavedAt ? moment(j.cardSavedAt) : '';
  const sums = { amount: money(j.amount), others: String(j.others), total: money(j.total) };
  const sum = j.others === 0 ? say('join_none', sums) : all ? say('join_all', { ...sums, count: j.others }) : say('join_sum', sums);
  const pays = j.together ? say(j.ownCard ? 'join_own' : 'join_card', { date }) : say('join_no_card');
  const leaves = j.leaves > 0 ? [say('join_leaves', { count: j.leaves })] : [];
  const words = { question: say('join_question'), yes: j.others > 0 ? say('join_yes_total', sums) : say('join_yes'), no: say('join_no') };
  decide(work, words, [sum, pays, ...leaves], async () => {
    const done = await post<Schema['Joined']>('/pledge/join', { token, ...(session ? { session } : {}), ...(all ? { all } : {}), total: j.total } satisfies Schema['JoinRequest']);
    announce(say('join_done'));
    pledge(token, done.pledge);
    if (done.joining.others > 0 && !done.joining.together) await card(token, done.pledge, document.querySelector<HTMLElement>('[data-work]') ?? work, 'join_no_card');
  });
}

function decide(work: HTMLElement, words: { question: string; yes: string; no: string }, lead: string[], task: () => Promise<void>): void {
  const yes = h('button', { type: 'button' }, words.yes);
  const no = h('button', { type: 'button', class: 'quiet' }, words.no);
  yes.addEventListener('click', once(yes, async () => {
    try {
      await task();
    } catch (error) {
      work.append(notice(error));
    }
  }));
  no.addEventListener('click', () => work.replaceChildren());
  const question = h('h3', { tabindex: -1 }, words.question);
  work.replaceChildren(h('div', { class: 'sheet' }, question, ...lead.map((text) => h('p', {}, text)), h('div', { class: 'row' }, yes, no)));
  question.focus();
}

async function card(token: string, v: View, work: HTMLElement, why = v.combined?.sameBrowser ? 'manage_card_alone' : 'manage_card_why'): Promise<void> {
  const session = await post<Schema['CardStarted']>('/pledge/payment-method/start', { token, preferredLang: lang });
  const due = session.dueNow; // the charge may have failed since the page was loaded
  const label = due ? say('card_charge', { amount: money(due) }) : say('card_save');
  const place = h('div');
  work.replaceChildren(due ? '' : h('p', {}, say(why)), place);
  await enterCard(place, session, v.email, async () => {
    if (due) work.replaceChildren(h('p', { class: 'note', role: 'status' }, say('charging', { amount: money(due) })));
    else announce(say('card_saved'));
    await settled(token, v);
  }, label);
}

const attempts = (v: View): number => v.history.filter((e) => e.type === 'payment_failed').length;

/**
 * Waits until the service has heard of what the supporter did, and shows it. A failed
 * pledge gets its new card first, and a moment later its charge succeeds or fails again.
 */
async function settled(token: string, before: View): Promise<void> {
  for (let turn = 0; turn < 40; turn++) {
    const now = await read<View>('/pledge', token);
    const answered = now.pledgeStatus !== before.pledgeStatus || attempts(now) > attempts(before);
    if (answered || (before.pledgeStatus !== 'payment_failed' && now.revision !== before.revision)) {
      pledge(token, now);
      return;
    }
    await new Promise((go) => window.setTimeout(go, 500));
  }
  await open(token);
  announce(say('charging_still'));
}

/** The bank wants to see the payment approved, here and now. */
async function approve(token: string, v: View, work: HTMLElement): Promise<void> {
  const a = await post<Schema['ApprovalStarted']>('/pledge/payment/approve', { token });
  if (simulated) await post('/_sim/authenticate', { payment: a.paymentIntentId });
  else {
    const done = await (await processor(a.publishableKey)).confirmCardPayment(a.clientSecret, { payment_method: a.paymentMethodId });
    if (done.error) {
      work.replaceChildren(h('p', { class: 'note bad', role: 'alert' }, done.error.message ?? say('status_failed')));
      return;
    }
  }
  const now = await post<View>('/pledge/payment/approved', { token });
  if (now.pledgeStatus === v.pledgeStatus) await settled(token, now);
  else pledge(token, now);
}
