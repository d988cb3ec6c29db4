// The checkout page: the form, the accepted quote and card entry.
import { post, root, type Schema } from './api.ts';
import { billTable, lineAmounts } from './bill.ts';
import { showCardForm } from './card.ts';
import { takeCartLink } from './cart.ts';
import { showCheckoutForm } from './checkoutform.ts';
import { abandonOrder, clearCheckout, extendReservations, finishCheckout, resumeCheckout } from './checkoutstate.ts';
import { h, show, singleFlight } from './dom.ts';
import { notice } from './errors.ts';
import { isRetryable } from './quotes.ts';
import { money, say } from './words.ts';

type Started = Schema['Started'];

// Card entry is a separate history entry, so that the back button returns to the form.
const [before, step] = ['form', 'card'];

export async function checkout(): Promise<void> {
  await takeCartLink();
  const unfinished = await resumeCheckout();
  if (unfinished === 'saved') goToSuccessPage('');
  else if (unfinished) await showConfirmation(unfinished, '', true);
  else await showCheckoutForm(showConfirmation);
}

function goToSuccessPage(orderId: string): void {
  finishCheckout();
  location.assign(`${root}/pledge-success/${orderId ? `?orderId=${encodeURIComponent(orderId)}` : ''}`);
}

/** Returns the price breakdown of a campaign's pledge. */
const campaignBill = (c: Started['campaigns'][number]): HTMLElement =>
  billTable(
    {
      subtotal: c.subtotal,
      shipping: c.shipping,
      tax: c.tax,
      tip: c.tipAmount,
      tipPercent: c.tipPercent,
      earlier: c.combined?.othersAmount ?? 0,
      amount: c.combined?.total ?? c.amount,
    },
    lineAmounts(c.lines),
  );

/** Shows the accepted quote, the consent text and card entry. A resumed checkout has no email address. */
async function showConfirmation(s: Started, email: string, again = false): Promise<void> {
  if (history.state !== step) {
    history.replaceState(before, '');
    history.pushState(step, '');
  }
  const bills = s.campaigns.flatMap((c) => [h('h3', {}, c.campaignTitle), campaignBill(c), combinedNote(c.combined)]);
  const card = h('div');
  const back = h('button', { type: 'button', class: 'link' }, say('checkout_back'));
  const heading = h('h2', { tabindex: -1 }, say('checkout_confirm'));
  show(heading, ...bills, h('p', { class: 'note' }, s.consent.text), h('h3', {}, say('card')), card, back);
  heading.focus();
  const left = new AbortController();
  const stop = extendReservations(s, () => {
    left.abort();
    showExpired();
  });
  const change = singleFlight(back, async () => {
    left.abort();
    stop();
    await abandonOrder();
    await showCheckoutForm(showConfirmation, true);
  });
  window.addEventListener(
    'popstate',
    () => {
      if (history.state === before) void change();
    },
    { signal: left.signal },
  );
  back.addEventListener('click', () => history.back());
  if (again && s.checkoutUiMode === 'hosted') {
    card.append(h('a', { class: 'button', href: s.url }, say('card_save'))); // no immediate redirect: the supporter may have just come back from there
    return;
  }
  try {
    await showCardForm(card, s, email, async () => {
      stop();
      try {
        await post<Schema['Completed']>('/checkout-intent/complete', { orderId: s.orderId, sessionId: s.sessionId });
      } catch (error) {
        if (!isRetryable(error)) throw error;
        location.assign(
          `${root}/pledge-success/?${new URLSearchParams({ orderId: s.orderId, session_id: s.sessionId })}`,
        ); // that page retries, and confirms that the card is saved
        return;
      }
      goToSuccessPage(s.orderId);
    });
  } catch (error) {
    card.append(notice(error));
  }
}

/** Returns a note on the pledges that are charged together and the total of that payment. */
function combinedNote(c: Started['campaigns'][number]['combined']): HTMLElement | null {
  if (!c) return null;
  const values = { count: c.others, amount: money(c.othersAmount), total: money(c.total) };
  return h('p', { class: 'note' }, h('strong', {}, say(c.sameBrowser ? 'combined' : 'combined_link', values)));
}

/** Shows that the reservations expired while the page was suspended. */
function showExpired(): void {
  clearCheckout();
  const again = h('button', { type: 'button' }, say('checkout_again'));
  again.addEventListener('click', () => void showCheckoutForm(showConfirmation, true));
  const text = h('p', { class: 'note bad', role: 'alert', tabindex: -1 }, say('checkout_lapsed'));
  show(text, again);
  text.focus();
}
