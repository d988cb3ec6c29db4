// From a cart to a saved card: the form, the accepted quote, the card.
import { post, root, type Schema } from './api.ts';
import { bill, linesOf } from './bill.ts';
import { enterCard } from './card.ts';
import { takeLink } from './cart.ts';
import { choose } from './choose.ts';
import { h, once, show } from './dom.ts';
import { notice } from './problem.ts';
import { passing } from './quoting.ts';
import { finish, forget, giveUp, hold, resume } from './underway.ts';
import { money, say } from './words.ts';

type Started = Schema['Started'];

// The card is a step of its own in the tab's history: back from it leads to the form.
const [before, step] = ['form', 'card'];

export async function checkout(): Promise<void> {
  await takeLink();
  const under = await resume();
  if (under === 'saved') thank('');
  else if (under) await confirm(under, '', true);
  else await choose(confirm);
}

function thank(orderId: string): void {
  finish();
  location.assign(`${root}/pledge-success/${orderId ? `?orderId=${encodeURIComponent(orderId)}` : ''}`);
}

/** The accepted quote, the promise, and the card. Who comes back has not typed an address. */
async function confirm(s: Started, email: string, again = false): Promise<void> {
  if (history.state !== step) {
    history.replaceState(before, '');
    history.pushState(step, '');
  }
  const parts = s.campaigns.map((c) =>
    bill(
      { subtotal: c.subtotal, shipping: c.shipping, tax: c.tax, tip: c.tipAmount, tipPercent: c.tipPercent, earlier: c.combined?.othersAmount ?? 0, amount: c.combined?.total ?? c.amount },
      linesOf(c.lines),
    ),
  );
  const titles = s.campaigns.map((c, i) => [h('h3', {}, c.campaignTitle), parts[i]!, together(c.combined)]).flat();
  const card = h('div');
  const back = h('button', { type: 'button', class: 'link' }, say('checkout_back'));
  const heading = h('h2', { tabindex: -1 }, say('checkout_confirm'));
  show(heading, ...titles, h('p', { class: 'note' }, s.consent.text), h('h3', {}, say('card')), card, back);
  heading.focus();
  const left = new AbortController();
  const stop = hold(s, () => {
    left.abort();
    lapsed();
  });
  const change = once(back, async () => {
    left.abort();
    stop();
    await giveUp();
    await choose(confirm, true);
  });
  window.addEventListener('popstate', () => {
    if (history.state === before) void change();
  }, { signal: left.signal });
  back.addEventListener('click', () => history.back());
  if (again && s.checkoutUiMode === 'hosted') {
    card.append(h('a', { class: 'button', href: s.url }, say('card_save'))); // and not at once: this may be the way back from there
    return;
  }
  try {
    await enterCard(card, s, email, async () => {
      stop();
      try {
        await post<Schema['Completed']>('/checkout-intent/complete', { orderId: s.orderId, sessionId: s.sessionId });
      } catch (error) {
        if (!passing(error)) throw error;
        location.assign(`${root}/pledge-success/?${new URLSearchParams({ orderId: s.orderId, session_id: s.sessionId })}`); // asks again, and says that the card is saved
        return;
      }
      thank(s.orderId);
    });
  } catch (error) {
    card.append(notice(error));
  }
}

/** Says what a pledge is charged with, and the total of that payment. */
function together(c: Started['campaigns'][number]['combined']): HTMLElement | null {
  if (!c) return null;
  const values = { count: c.others, amount: money(c.othersAmount), total: money(c.total) };
  return h('p', { class: 'note' }, h('strong', {}, say(c.sameBrowser ? 'combined' : 'combined_link', values)));
}

/** The page was away for so long that its reservations were given back. */
function lapsed(): void {
  forget();
  const again = h('button', { type: 'button' }, say('checkout_again'));
  again.addEventListener('click', () => void choose(confirm, true));
  const text = h('p', { class: 'note bad', role: 'alert', tabindex: -1 }, say('checkout_lapsed'));
  show(text, again);
  text.focus();
}
