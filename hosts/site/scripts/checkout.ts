// The checkout page: the form, the accepted quote and card entry.
import { post, root, type Schema } from './api.ts';
import { showCardForm } from './card.ts';
import { takeCartLink } from './cart.ts';
import { campaignBill } from './checkoutbill.ts';
import { showCheckoutForm } from './checkoutform.ts';
import {
  abandonOrder,
  clearCheckout,
  extendReservations,
  finishCheckout,
  restoreInput,
  resumeCheckout,
} from './checkoutstate.ts';
import { changedTotal, checkedDetails, timeline } from './confirmation.ts';
import { h, removeIntroduction, show, singleFlight } from './dom.ts';
import { notice } from './errors.ts';
import { finishedPledge, listenToPledges, passEmail } from './lastpledge.ts';
import { showAlreadyMade } from './madepledge.ts';
import { catalogue } from './offers.ts';
import { isRetryable } from './quotes.ts';
import { money, say } from './words.ts';

type Started = Schema['Started'];

// The states of the history entries. Card entry has its own entry, so that the browser's back button
// returns to the form.
const [form, step] = ['form', 'card'];

export async function checkout(): Promise<void> {
  // A page restored from the back/forward cache may show a checkout that has been finished since.
  window.addEventListener('pageshow', (event) => event.persisted && location.reload());
  await takeCartLink();
  const unfinished = await resumeCheckout();
  if (unfinished === 'saved') goToSuccessPage('');
  else if (unfinished) await showConfirmation(unfinished, undefined, true);
  else await showCheckoutForm(showConfirmation);
}

function goToSuccessPage(orderId: string, email = ''): void {
  finishCheckout();
  passEmail(email);
  location.assign(`${root}/pledge-success/${orderId ? `?orderId=${encodeURIComponent(orderId)}` : ''}`);
}

/**
 * Shows the accepted quote, the consent text and card entry. `before` is the total that the form
 * showed. If the total differs, the supporter must accept it before entering a card. `again` is set
 * for a resumed checkout.
 */
async function showConfirmation(s: Started, before?: number, again = false): Promise<void> {
  if (history.state !== step) {
    history.replaceState(form, '');
    history.pushState(step, '');
  }
  removeIntroduction();
  const all = await catalogue();
  const card = h('div');
  const goBack = (): void => history.back();
  const back = h('button', { type: 'button', class: 'link' }, say('checkout_back'));
  const heading = h('h2', { tabindex: -1 }, say('checkout_confirm'));
  const bills = s.campaigns.flatMap((c) => [
    h('h3', {}, c.campaignTitle),
    campaignBill(c, all),
    combinedNote(c.combined),
  ]);
  const changed = changedTotal(before, s.amount, goBack);
  show(
    heading,
    changed,
    h(
      'div',
      { class: 'columns' },
      h('div', {}, checkedDetails(s, goBack), h('h3', {}, say('when')), timeline(s, all)),
      h('div', { class: 'summary' }, ...bills, s.campaigns.length > 1 ? grandTotal(s) : null),
      h(
        'div',
        {},
        h('h3', {}, say('card')),
        h(
          'p',
          { class: 'note consent' },
          s.consent.text,
          ' ',
          h('a', { href: `${root}/terms/` }, say('confirm_terms')),
        ),
        card,
        h('p', { class: 'small' }, say('confirm_promise', { count: s.campaigns.length })),
        back,
      ),
    ),
  );
  heading.focus();
  const left = new AbortController();
  const stop = extendReservations(s, () => {
    left.abort();
    showExpired();
  });
  listenToPledges(() => {
    const made = finishedPledge();
    if (!made) return;
    left.abort();
    stop();
    showAlreadyMade(made);
  }, left.signal);
  const change = singleFlight(back, async () => {
    left.abort();
    stop();
    restoreInput(s);
    await abandonOrder();
    await showCheckoutForm(showConfirmation, true);
  });
  window.addEventListener(
    'popstate',
    () => {
      if (history.state === form) void change();
    },
    { signal: left.signal },
  );
  back.addEventListener('click', goBack);
  if (changed) await accepted(card);
  if (again && s.checkoutUiMode === 'hosted') {
    // There is no redirect, because the supporter may have just returned from the hosted page.
    card.append(h('a', { class: 'button', href: s.url }, say('card_save')));
    return;
  }
  try {
    await showCardForm(card, s, s.email, async () => {
      stop();
      try {
        await post<Schema['Completed']>('/checkout-intent/complete', { orderId: s.orderId, sessionId: s.sessionId });
      } catch (error) {
        if (!isRetryable(error)) throw error;
        location.assign(
          `${root}/pledge-success/?${new URLSearchParams({ orderId: s.orderId, session_id: s.sessionId })}`,
        ); // the success page retries and confirms that the card is saved
        return;
      }
      goToSuccessPage(s.orderId, s.email);
    });
  } catch (error) {
    card.append(notice(error));
  }
}

/** Shows a button to accept the changed total, and resolves when it is clicked. */
function accepted(container: HTMLElement): Promise<void> {
  return new Promise((resolve) => {
    const accept = h('button', { type: 'button' }, say('confirm_accept'));
    accept.addEventListener('click', () => resolve());
    container.replaceChildren(accept);
  });
}

/** Returns a note with the total of a checkout with several campaigns. */
const grandTotal = (s: Started): HTMLElement =>
  h(
    'p',
    { class: 'note' },
    h('strong', {}, say('confirm_total', { amount: money(s.amount) })),
    ' ',
    say('bill_when_parts', { count: s.campaigns.length }),
  );

/** Returns a note about earlier pledges that are charged in the same payment, or null if there are none. */
function combinedNote(c: Started['campaigns'][number]['combined']): HTMLElement | null {
  if (!c) return null;
  const values = { count: c.others, amount: money(c.othersAmount), total: money(c.total) };
  return h('p', { class: 'note' }, h('strong', {}, say(c.sameBrowser ? 'combined' : 'combined_link', values)));
}

/** Shows that the reservations have expired, with a button that returns to the form. */
function showExpired(): void {
  clearCheckout();
  const again = h('button', { type: 'button' }, say('checkout_again'));
  again.addEventListener('click', () => void showCheckoutForm(showConfirmation, true));
  const text = h('p', { class: 'note bad', role: 'alert', tabindex: -1 }, say('checkout_lapsed'));
  show(text, again);
  text.focus();
}
