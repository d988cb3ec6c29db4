// The page on which supporters view, change, cancel and join their pledges, and pay failed charges.
import { addressLine } from './address.ts';
import { APIError, getWithToken, isSimulated, post, root, type Schema } from './api.ts';
import { pledgeBill } from './bill.ts';
import { loadStripe, showCardForm } from './card.ts';
import { hasUnfinishedChange, showChangeForm } from './change.ts';
import { h, pageHeading, removeIntroduction, show, singleFlight } from './dom.ts';
import { notice } from './errors.ts';
import { linkRequestForm } from './links.ts';
import {
  cardName,
  combinedNote,
  dueFigures,
  fixedAddress,
  historyTable,
  parcelNotes,
  pledgeTitle,
  refundNotes,
  showAmendments,
  statusLine,
  statusText,
  timeline,
  totalKind,
} from './pledgeview.ts';
import { changeInput } from './savedinput.ts';
import { knownSession } from './session.ts';
import { forgetToken, isEmailLink, takeParameter, takeToken } from './token.ts';
import { announce, lang, moment, money, say } from './words.ts';

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

/** Returns the action that the email's link requests. It is not performed before the supporter confirms it. */
const takeAction = (): string | null => takeParameter('do');

/** Returns the token of a confirmation email. It allows joining all pledges of the email address. */
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
  const heading = pageHeading(pledgeTitle(v));
  const work = h('div', { 'data-work': true });
  const changed = h('div');
  if (v.campaignChanged) void showAmendments(token, changed);
  const list = actionList(token, v, work, all);
  const failed = v.pledgeStatus === 'payment_failed';
  show(
    h(
      'div',
      { class: 'pledge' },
      h(
        'div',
        {},
        h(
          'div',
          { class: failed ? 'note bad' : '' },
          statusLine(v),
          h('p', { class: 'status' }, statusText(v)),
          dueFigures(v),
          v.dueNow
            ? h('p', {}, say(v.dueNow === v.amount ? 'manage_due' : 'manage_due_all', { amount: money(v.dueNow) }))
            : null,
          list.primary,
        ),
        timeline(v),
        ...refundNotes(v),
        ...parcelNotes(v),
        changed,
        combinedNote(v),
        list.others,
        work,
        historyTable(v),
      ),
      h(
        'aside',
        {},
        h('h2', {}, say(`sum_${totalKind(v)}`)),
        pledgeBill(v, totalKind(v)),
        ...fixedAddress(v),
        h(
          'p',
          {},
          h('a', { href: `${root}/community/${v.campaignSlug}/` }, say('manage_votes')),
          ' · ',
          h('a', { href: `${root}/campaigns/${v.campaignSlug}/` }, v.campaignTitle),
        ),
      ),
    ),
  );
  heading.focus();
  if (action) changeInput.clear();
  const run = (task: Promise<void>): void => void task.catch((error: unknown) => work.replaceChildren(notice(error)));
  if (hasUnfinishedChange(v)) run(showChangeForm(token, v, work, () => loadPledge(token)));
  if (action === 'join' && v.canJoin) run(askToJoin(token, work, all));
  if (action === 'cancel' && v.canCancel) askToCancel(token, v, work);
}

/** Returns the buttons that pay a failed charge and, separately, the list of all other actions. */
function actionList(
  token: string,
  v: View,
  work: HTMLElement,
  all: string | null,
): { primary: HTMLElement | null; others: HTMLElement | null } {
  const button = (label: string, quiet: boolean, task: () => Promise<void>): HTMLButtonElement => {
    const b = h('button', { type: 'button', class: quiet ? 'quiet' : '' }, label);
    b.addEventListener(
      'click',
      singleFlight(b, async () => {
        changeInput.clear(); // this action replaces an unfinished change
        try {
          await task();
        } catch (error) {
          work.replaceChildren(notice(error));
        }
      }),
    );
    return b;
  };
  const pay: HTMLElement[] = [];
  const rows: HTMLElement[] = [];
  const offer = (label: string, why: string, task: () => Promise<void>): void => {
    const b = button(label, true, task);
    const id = `why-${rows.length}`;
    b.setAttribute('aria-describedby', id);
    rows.push(h('li', {}, b, h('span', { class: 'small', id }, why)));
  };
  const change = (field?: string): Promise<void> => showChangeForm(token, v, work, () => loadPledge(token), field);
  const replaceCard = (): Promise<void> => showCardUpdate(token, v, work);
  if (v.canApprovePayment)
    pay.push(button(say('manage_approve', { amount: money(v.dueNow) }), false, () => approve(token, v, work)));
  if (v.canModify) offer(say('manage_change'), say('manage_change_why'), () => change());
  if (v.canUpdatePaymentMethod && v.dueNow)
    pay.push(button(say('manage_charge', { amount: money(v.dueNow) }), v.canApprovePayment, replaceCard));
  else if (v.canUpdatePaymentMethod)
    offer(say('manage_card'), v.card ? say('manage_card_label', { card: cardName(v) }) : '', replaceCard);
  if (v.canModify && v.shippingAddress)
    offer(say('manage_address'), addressLine(v.shippingAddress), () => change('shippingAddress.line1'));
  if (v.canJoin) offer(say('manage_join'), say('manage_join_why'), () => askToJoin(token, work, all));
  if (v.canCancel) offer(say('manage_cancel'), say('manage_cancel_why'), async () => askToCancel(token, v, work));
  return {
    primary: pay.length ? h('div', { class: 'row' }, ...pay) : null,
    others: rows.length
      ? h('section', {}, h('h2', { class: 'unseen' }, say('manage_actions')), h('ul', { class: 'acts' }, ...rows))
      : null,
  };
}

/** Asks for confirmation before the pledge is cancelled. */
function askToCancel(token: string, v: View, work: HTMLElement): void {
  const reason = h('textarea', { name: 'reason', maxlength: 300, rows: 2 });
  askToConfirm(
    work,
    { question: say('cancel_question'), yes: say('cancel_yes'), no: say('cancel_no') },
    [
      say('cancel_lead', { amount: money(v.amount) }),
      h('label', {}, say('cancel_why'), h('span', { class: 'hint' }, say('cancel_why_hint')), reason),
    ],
    async () => {
      const why = reason.value.trim();
      await post<Schema['Cancelled']>('/pledge/cancel', {
        token,
        ...(why ? { reason: why } : {}),
      } satisfies Schema['CancelRequest']);
      await loadPledge(token); // the reloaded pledge also shows that the card was deleted
      announce(say('cancel_done'));
    },
  );
}

/**
 * Asks for confirmation before pledges are joined, and states the total and the card that will be
 * charged. `all` is the token of a confirmation email, with which all pledges of the email address
 * are joined.
 */
async function askToJoin(token: string, work: HTMLElement, all: string | null): Promise<void> {
  const session = knownSession();
  const j = await getWithToken<Schema['Joining']>('/pledge/joining', token, {
    ...(session ? { 'X-Browser-Session': session } : {}),
    ...(all ? { 'X-Join-Token': all } : {}),
  });
  const date = j.cardSavedAt ? moment(j.cardSavedAt) : '';
  const sums = { amount: money(j.amount), total: money(j.total) };
  const sum =
    j.others === 0
      ? say('join_none', sums)
      : all
        ? say('join_all', { ...sums, count: j.others })
        : say('join_sum', { ...sums, count: j.others });
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
  lead: (string | HTMLElement)[],
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
      ...lead.map((part) => (typeof part === 'string' ? h('p', {}, part) : part)),
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
  const label = due ? say('card_charge', { amount: money(due) }) : say('manage_card_save');
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
 * Polls until the server has processed the supporter's action, for at most 20 seconds, and shows the
 * result. For a failed pledge it waits for the charge of the new card, not only for the card.
 */
async function waitForResult(token: string, before: View): Promise<void> {
  for (let turn = 0; turn < 40; turn++) {
    const now = await getWithToken<View>('/pledge', token).catch(() => before); // such as a lost connection
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

/** Opens the bank's approval of the payment, and shows the result. */
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
