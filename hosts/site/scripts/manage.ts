// The page on which supporters view, change, cancel and join their pledges and fix failed charges.
import { addressLine } from './address.ts';
import { APIError, getWithToken, isSimulated, post, root, type Schema } from './api.ts';
import { billTable, lineAmounts, type TotalKind } from './bill.ts';
import { brandName } from './brand.ts';
import { loadStripe, showCardForm } from './card.ts';
import { hasUnfinishedChange, showChangeForm } from './change.ts';
import { h, removeIntroduction, show, singleFlight } from './dom.ts';
import { notice } from './errors.ts';
import { linkRequestForm } from './links.ts';
import { changeInput } from './savedinput.ts';
import { knownSession } from './session.ts';
import { forgetToken, isEmailLink, takeParameter, takeToken } from './token.ts';
import { announce, day, deadline, lang, moment, momentWithLocal, money, say } from './words.ts';

type View = Schema['PledgeView'];

export async function manage(): Promise<void> {
  const linked = isEmailLink();
  const token = takeToken();
  if (!token) {
    show(h('p', { class: 'note' }, say('manage_no_link')), h('p', {}, say('manage_links_ask')), linkRequestForm());
    return;
  }
  await loadPledge(token, linked, takeAction(), takeJoinToken());
  if (location.pathname.endsWith('/updated/')) announce(say('card_saved')); // returned from Stripe's hosted page
}

/** Returns the action that the email's link asks for. The page asks for confirmation first. */
const takeAction = (): string | null => takeParameter('do');

/** Returns the token of a confirmation email that allows joining all pledges of its address. */
const takeJoinToken = (): string | null => takeParameter('all');

async function loadPledge(
  token: string,
  linked = false,
  action: string | null = null,
  all: string | null = null,
): Promise<void> {
  try {
    const v = await getWithToken<View>('/pledge', token);
    // Email links lead to the default language, but the supporter may have pledged in another one.
    const other =
      linked && v.preferredLang !== lang
        ? document.querySelector<HTMLAnchorElement>(`nav a[hreflang="${CSS.escape(v.preferredLang)}"]`)
        : null;
    if (other)
      location.replace(
        action ? `${other.href}#${new URLSearchParams({ do: action, ...(all ? { all } : {}) })}` : other.href,
      );
    else {
      removeIntroduction();
      showPledge(token, v, action, all);
    }
  } catch (error) {
    if (error instanceof APIError && error.status === 401) {
      forgetToken();
      changeInput.clear();
      show(
        h('p', { class: 'note bad', role: 'alert' }, say('manage_expired')),
        h('p', {}, say('manage_links_ask')),
        linkRequestForm(),
      );
    } else show(notice(error));
  }
}

function showPledge(token: string, v: View, action: string | null = null, all: string | null = null): void {
  const heading = h('h2', { tabindex: -1 }, v.campaignTitle);
  const work = h('div', { 'data-work': true });
  const changed = h('div');
  if (v.campaignChanged) void showAmendments(token, changed);
  const actions = h('div', { class: 'row' });
  const act = (label: string, quiet: boolean, task: () => Promise<void>): void => {
    const button = h('button', { type: 'button', class: quiet ? 'quiet' : '' }, label);
    button.addEventListener(
      'click',
      singleFlight(button, async () => {
        changeInput.clear(); // this action replaces an unfinished change
        try {
          await task();
        } catch (error) {
          work.replaceChildren(notice(error));
        }
      }),
    );
    actions.append(button);
  };
  if (v.canApprovePayment)
    act(say('manage_approve', { amount: money(v.dueNow) }), false, () => approve(token, v, work));
  const modify = (): Promise<void> => showChangeForm(token, v, work, () => loadPledge(token));
  if (v.canModify) act(say('manage_change'), true, modify);
  if (v.canUpdatePaymentMethod)
    act(
      v.dueNow ? say('manage_charge', { amount: money(v.dueNow) }) : say('manage_card'),
      !v.dueNow || v.canApprovePayment,
      () => showCardUpdate(token, v, work),
    );
  if (v.canJoin) act(say('manage_join'), true, () => askToJoin(token, work, all));
  if (v.canCancel) act(say('manage_cancel'), true, async () => askToCancel(token, work));
  show(
    heading,
    h('p', { class: `note${v.pledgeStatus === 'payment_failed' ? ' bad' : ''}` }, ...statusTexts(v)),
    billTable(
      {
        subtotal: v.subtotal,
        shipping: v.shipping,
        tax: v.tax,
        tip: v.tipAmount,
        tipPercent: v.tipPercent,
        amount: v.amount,
        paid: v.chargedAmount,
      },
      lineAmounts(v.lines),
      totalKind(v),
    ),
    v.card
      ? h(
          'p',
          { class: 'small' },
          say('manage_card_label', { brand: brandName(v.card.brand ?? ''), last4: v.card.last4 }),
        )
      : null,
    v.shippingAddress ? addressNote(v.shippingAddress) : null,
    ...parcelNotes(v),
    combinedNote(v),
    v.dueNow
      ? h('p', {}, say(v.dueNow === v.amount ? 'manage_due' : 'manage_due_all', { amount: money(v.dueNow) }))
      : null,
    actions,
    work,
    changed,
    historyTable(v),
    h(
      'p',
      {},
      h('a', { href: `${root}/community/${v.campaignSlug}/` }, say('manage_votes')),
      ' · ',
      h('a', { href: `${root}/campaigns/${v.campaignSlug}/` }, v.campaignTitle),
    ),
  );
  heading.focus();
  if (action) changeInput.clear();
  if (hasUnfinishedChange(v)) modify().catch((error: unknown) => work.replaceChildren(notice(error)));
  if (action === 'join' && v.canJoin)
    askToJoin(token, work, all).catch((error: unknown) => work.replaceChildren(notice(error)));
  if (action === 'cancel' && v.canCancel) askToCancel(token, work);
}

function totalKind(v: View): TotalKind {
  if (v.charged) return 'charged';
  if (v.dueNow) return 'due';
  return v.pledgeStatus === 'cancelled' || v.recovery?.lane === 'dropped' || v.outcome === 'missed'
    ? 'nothing'
    : 'later';
}

/** Returns the pledge's status: why a charge failed, what happens next, and whether the card was deleted. */
function statusTexts(v: View): string[] {
  const why = v.declineReason && v.pledgeStatus === 'payment_failed' ? [say(`reason_${v.declineReason}`), ' '] : [];
  const unavailable = v.cardForgottenAt ? [' ', say('card_forgotten', { date: moment(v.cardForgottenAt) })] : [];
  return [...why, statusText(v), ...unavailable];
}

function statusText(v: View): string {
  if (v.recovery) {
    const until = momentWithLocal(v.recovery.until);
    const retry = v.recovery.retryAt ? moment(v.recovery.retryAt) : '';
    return say(`lane_${v.recovery.lane}`, { until, retry });
  }
  const amount = money(v.amount);
  switch (v.pledgeStatus) {
    case 'charged':
      return say('status_charged', {
        amount: money(v.chargedAmount ?? v.amount),
        date: v.chargedAt ? moment(v.chargedAt) : '',
      });
    case 'cancelled':
      return say('status_cancelled');
    case 'payment_failed':
      return say('status_failed');
    default:
      return say(`status_${v.outcome ?? 'active'}`, { amount, date: deadline(v.deadline) });
  }
}

/** Returns a note on pledges that are charged together with this one although they were not joined. */
function combinedNote(v: View): HTMLElement | null {
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

function addressNote(a: Schema['Address']): HTMLElement {
  return h('p', { class: 'small' }, say('manage_sent_to'), ' ', addressLine(a));
}

/** Returns the status of each parcel. */
function parcelNotes(v: View): HTMLElement[] {
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

/** Shows what the campaign changed since the pledge was made. Errors are ignored. */
async function showAmendments(token: string, container: HTMLElement): Promise<void> {
  try {
    const { changes } = await getWithToken<Schema['Amendments']>('/pledge/changes', token);
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
    // the list of changes is optional
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

function historyTable(v: View): HTMLElement {
  const rows = v.history.map((e) =>
    h(
      'tr',
      {},
      h('td', {}, moment(e.at)),
      h('td', {}, say(`history_${e.type}`)),
      h('td', {}, money(e.type === 'charged' ? (v.chargedAmount ?? e.amount) : e.amount)),
    ),
  );
  return h('details', {}, h('summary', {}, say('manage_history')), h('table', {}, h('tbody', {}, ...rows)));
}

/** Asks for confirmation before the pledge is cancelled. */
function askToCancel(token: string, work: HTMLElement): void {
  askToConfirm(
    work,
    { question: say('cancel_question'), yes: say('cancel_yes'), no: say('cancel_no') },
    [say('cancel_lead')],
    async () => {
      const done = await post<Schema['Cancelled']>('/pledge/cancel', { token });
      announce(say('cancel_done'));
      showPledge(token, done.pledge);
    },
  );
}

/**
 * Asks for confirmation before pledges are joined, with the total and the card that pays it. With
 * a confirmation email's token, one button joins all pledges of the address.
 */
async function askToJoin(token: string, work: HTMLElement, all: string | null): Promise<void> {
  const session = knownSession();
  const j = await getWithToken<Schema['Joining']>('/pledge/joining', token, {
    ...(session ? { 'X-Browser-Session': session } : {}),
    ...(all ? { 'X-Join-Token': all } : {}),
  });
  const date = j.cardSavedAt ? moment(j.cardSavedAt) : '';
  const sums = { amount: money(j.amount), others: String(j.others), total: money(j.total) };
  const sum =
    j.others === 0
      ? say('join_none', sums)
      : all
        ? say('join_all', { ...sums, count: j.others })
        : say('join_sum', sums);
  const pays = j.together ? say(j.ownCard ? 'join_own' : 'join_card', { date }) : say('join_no_card');
  const leaves = j.leaves > 0 ? [say('join_leaves', { count: j.leaves })] : [];
  const words = {
    question: say('join_question'),
    yes: j.others > 0 ? say('join_yes_total', sums) : say('join_yes'),
    no: say('join_no'),
  };
  askToConfirm(work, words, [sum, pays, ...leaves], async () => {
    const done = await post<Schema['Joined']>('/pledge/join', {
      token,
      ...(session ? { session } : {}),
      ...(all ? { all } : {}),
      total: j.total,
    } satisfies Schema['JoinRequest']);
    announce(say('join_done'));
    showPledge(token, done.pledge);
    if (done.joining.others > 0 && !done.joining.together)
      await showCardUpdate(
        token,
        done.pledge,
        document.querySelector<HTMLElement>('[data-work]') ?? work,
        'join_no_card',
      );
  });
}

function askToConfirm(
  work: HTMLElement,
  words: { question: string; yes: string; no: string },
  lead: string[],
  task: () => Promise<void>,
): void {
  const yes = h('button', { type: 'button' }, words.yes);
  const no = h('button', { type: 'button', class: 'quiet' }, words.no);
  yes.addEventListener(
    'click',
    singleFlight(yes, async () => {
      try {
        await task();
      } catch (error) {
        work.append(notice(error));
      }
    }),
  );
  no.addEventListener('click', () => work.replaceChildren());
  const question = h('h3', { tabindex: -1 }, words.question);
  work.replaceChildren(
    h(
      'div',
      { class: 'sheet' },
      question,
      ...lead.map((text) => h('p', {}, text)),
      h('div', { class: 'row' }, yes, no),
    ),
  );
  question.focus();
}

async function showCardUpdate(
  token: string,
  v: View,
  work: HTMLElement,
  why = v.combined?.sameBrowser ? 'manage_card_alone' : 'manage_card_why',
): Promise<void> {
  const session = await post<Schema['CardStarted']>('/pledge/payment-method/start', { token, preferredLang: lang });
  const due = session.dueNow; // the charge may have failed since the page was loaded
  const label = due ? say('card_charge', { amount: money(due) }) : say('card_save');
  const container = h('div');
  work.replaceChildren(due ? '' : h('p', {}, say(why)), container);
  await showCardForm(
    container,
    session,
    v.email,
    async () => {
      if (due) work.replaceChildren(h('p', { class: 'note', role: 'status' }, say('charging', { amount: money(due) })));
      else announce(say('card_saved'));
      await waitForResult(token, v);
    },
    label,
  );
}

const attempts = (v: View): number => v.history.filter((e) => e.type === 'payment_failed').length;

/**
 * Polls until the server has processed the supporter's action, then shows the result. A failed
 * pledge first gets its new card; its charge succeeds or fails a moment later.
 */
async function waitForResult(token: string, before: View): Promise<void> {
  for (let turn = 0; turn < 40; turn++) {
    const now = await getWithToken<View>('/pledge', token);
    const answered = now.pledgeStatus !== before.pledgeStatus || attempts(now) > attempts(before);
    if (answered || (before.pledgeStatus !== 'payment_failed' && now.revision !== before.revision)) {
      showPledge(token, now);
      return;
    }
    await new Promise((go) => window.setTimeout(go, 500));
  }
  await loadPledge(token);
  announce(say('charging_still'));
}

/** Has the supporter approve the payment with their bank. */
async function approve(token: string, v: View, work: HTMLElement): Promise<void> {
  const a = await post<Schema['ApprovalStarted']>('/pledge/payment/approve', { token });
  if (isSimulated) await post('/_sim/authenticate', { payment: a.paymentIntentId });
  else {
    const done = await (await loadStripe(a.publishableKey)).confirmCardPayment(a.clientSecret, {
      payment_method: a.paymentMethodId,
    });
    if (done.error) {
      work.replaceChildren(h('p', { class: 'note bad', role: 'alert' }, done.error.message ?? say('status_failed')));
      return;
    }
  }
  const now = await post<View>('/pledge/payment/approved', { token });
  if (now.pledgeStatus === v.pledgeStatus) await waitForResult(token, now);
  else showPledge(token, now);
}
