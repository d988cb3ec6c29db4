// From a cart to a saved card. Every figure on the page is the service's.
import { addressFields, readAddress } from './address.ts';
import { post, root, type Schema } from './api.ts';
import { attribution } from './attribution.ts';
import { bill } from './bill.ts';
import { enterCard } from './card.ts';
import { read, write, type Chosen } from './cart.ts';
import { h, once, show } from './dom.ts';
import { mark, notice } from './problem.ts';
import { attempt, begun, forget, giveUp, hold, resume } from './underway.ts';
import { keptToken } from './token.ts';
import { announce, lang, money, say } from './words.ts';

type Quote = Schema['TaxQuote'];
type Parcels = Schema['ShippingQuote'];
type Started = Schema['Started'];

const [defaultTip, maxTip] = (document.body.dataset.tip ?? '5 15').split(' ').map(Number) as [number, number];

export async function checkout(): Promise<void> {
  const under = await resume();
  if (under === 'saved') {
    thank('');
  } else if (under) {
    await confirm(under, '', true);
  } else {
    choose();
  }
}

function thank(orderId: string): void {
  write([]);
  forget();
  location.assign(`${root}/pledge-success/${orderId ? `?orderId=${encodeURIComponent(orderId)}` : ''}`);
}

/** What is chosen, for whom, and what it comes to. */
function choose(): void {
  if (read().length === 0) {
    show(h('p', { class: 'note' }, say('checkout_empty')), h('p', {}, h('a', { class: 'button', href: `${root}/` }, say('checkout_browse'))));
    return;
  }
  const form = h('form', { novalidate: true });
  const basket = h('fieldset');
  const where = h('div');
  const options = h('div');
  const sums = h('div', { 'aria-live': 'polite' });
  const button = h('button', { type: 'submit' }, say('checkout_continue'));
  form.append(basket, contact(), where, tip(), options, sums, h('p', { class: 'small' }, say('checkout_next')), button);
  list(basket, () => void quote());

  let turn = 0;
  const quote = async (): Promise<void> => {
    const mine = ++turn;
    const cart = cartOf(form);
    try {
      const [parcels, total] = await Promise.all([post<Parcels>('/shipping/quote', cart), post<Quote>('/tax/quote', cart)]);
      if (mine !== turn) return;
      place(where, parcels, total);
      offer(options, parcels);
      sums.replaceChildren(figures(total, Number(cart.tipPercent)));
    } catch (error) {
      if (mine !== turn) return;
      sums.replaceChildren(notice(error));
    }
  };
  let pause = 0;
  form.addEventListener('input', () => {
    window.clearTimeout(pause);
    pause = window.setTimeout(() => void quote(), 400);
  });
  const begin = once(button, async () => {
    if (!complete(form)) return;
    const typed = new FormData(form);
    const manageToken = typed.has('together') ? keptToken() : null;
    const request = {
      ...cartOf(form), email: String(typed.get('email')).trim(), preferredLang: lang, attribution: attribution(), attempt: attempt(), ...(manageToken ? { manageToken } : {}),
    };
    try {
      const started = await post<Started>('/checkout-intent/start', request);
      begun(started);
      await confirm(started, request.email, false);
    } catch (error) {
      if (!mark(form, error)) sums.replaceChildren(notice(error));
    }
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void begin();
  });
  show(form);
  void quote();
}

function contact(): HTMLElement {
  return h('fieldset', {}, h('legend', {}, say('checkout_contact')), h('label', {}, say('checkout_email'), h('input', { type: 'email', name: 'email', autocomplete: 'email', required: true, maxlength: 254 }), h('span', { class: 'hint' }, say('checkout_email_why'))), keptToken() ? together() : null);
}

/** Who has opened a link may have the new pledge charged together with its pledge. */
function together(): HTMLElement {
  return h('label', {}, h('input', { type: 'checkbox', name: 'together' }), ' ', say('checkout_together'));
}

function tip(): HTMLElement {
  const percents = [...new Set([0, defaultTip, 5, 10, 15, maxTip])].filter((n) => n <= maxTip).sort((a, b) => a - b);
  const options = percents.map((n) => h('option', { value: n, selected: n === defaultTip }, n === 0 ? say('tip_none') : `${n} %`));
  return h('fieldset', {}, h('legend', {}, say('tip')), h('label', {}, say('tip_label'), h('select', { name: 'tipPercent' }, ...options)));
}

/** What is in the cart, to change and to remove. */
function list(basket: HTMLFieldSetElement, changed: () => void): void {
  const rows = read().map((item, i) => {
    const name = item.amount === undefined ? 'quantity' : 'amount';
    const value = item.amount ?? item.quantity ?? 1;
    const input = h('input', { type: 'number', inputmode: 'numeric', min: 1, max: name === 'quantity' ? 1000 : undefined, step: 1, value, name: `items[${i}].${name}` });
    input.addEventListener('input', () => {
      const now = Math.max(1, Math.floor(Number(input.value)) || 1); // the form sees it too, and asks for a quote
      write(read().map((other) => (other.id === item.id ? { ...other, [name]: now } : other)));
    });
    const remove = h('button', { type: 'button', class: 'link' }, say('checkout_remove'), h('span', { class: 'unseen' }, `: ${item.name}`));
    remove.addEventListener('click', () => {
      write(read().filter((other) => other.id !== item.id));
      announce(say('checkout_removed', { name: item.name }));
      if (read().length === 0) choose();
      else list(basket, changed);
      changed();
    });
    return h('div', { class: 'chosen' }, h('label', {}, item.name, h('span', { class: 'hint' }, say(`checkout_${name}`)), input), h('div', {}, remove));
  });
  basket.replaceChildren(h('legend', {}, say('checkout_chosen')), ...rows);
}

function items(): Schema['Item'][] {
  return read().map((c: Chosen) => (c.amount === undefined ? { id: c.id, quantity: c.quantity ?? 1 } : { id: c.id, amount: c.amount }));
}

function cartOf(form: HTMLFormElement): Schema['Cart'] {
  const data = new FormData(form);
  const option = data.get('shippingOption');
  const shippingAddress = readAddress(form, 'shippingAddress');
  const billingAddress = readAddress(form, 'billingAddress');
  return {
    items: items(),
    tipPercent: Number(data.get('tipPercent') ?? defaultTip),
    ...(option ? { shippingOption: String(option) } : {}),
    ...(shippingAddress ? { shippingAddress } : {}),
    ...(billingAddress ? { billingAddress } : {}),
  };
}

/** Asks for an address where something is sent, and else for what tax takes. */
function place(where: HTMLElement, parcels: Parcels, total: Quote): void {
  const sent = parcels.quotes.some((q) => q.reason !== 'nothing_to_send');
  const wanted = sent ? 'shippingAddress' : total.missing.length > 0 || where.querySelector('[data-address=billingAddress]') ? 'billingAddress' : '';
  const there = where.querySelector<HTMLElement>('[data-address]')?.dataset.address ?? '';
  if (wanted === there) return;
  where.replaceChildren(...(wanted === '' ? [] : [addressFields(wanted)]));
}

function offer(place: HTMLElement, parcels: Parcels): void {
  const offered = new Map<string, number>();
  for (const q of parcels.quotes) for (const o of q.availableOptions) offered.set(o.id, Math.max(offered.get(o.id) ?? 0, o.surchargeCents));
  const known = place.querySelector('select');
  if (offered.size < 2 || (known && known.options.length === offered.size)) {
    if (offered.size < 2) place.replaceChildren();
    return;
  }
  const options = [...offered].map(([id, cents]) => h('option', { value: id }, say(`option_${id}`) + (cents ? ` · ${money(cents)}` : '')));
  place.replaceChildren(h('fieldset', {}, h('legend', {}, say('option')), h('label', {}, say('option_label'), h('select', { name: 'shippingOption' }, ...options))));
}

function figures(q: Quote, tipPercent: number): HTMLElement {
  const why = say('tax_missing', { fields: q.missing.map((m) => say(`address_${m}`)).join(', ') });
  return bill({ subtotal: q.subtotalCents, shipping: q.shippingCents, tax: q.provisional ? null : q.taxCents, tip: q.tipCents, tipPercent, amount: q.amountCents }, [], 'later', why);
}

/** Looks at what the browser can judge, in the order of the page. */
function complete(form: HTMLFormElement): boolean {
  const wrong = [...form.elements].find((e): e is HTMLInputElement => e instanceof HTMLInputElement && !e.checkValidity());
  if (!wrong) return true;
  wrong.reportValidity();
  return false;
}

/** The accepted quote, the promise, and the card. Who comes back has not typed an address. */
async function confirm(s: Started, email: string, again: boolean): Promise<void> {
  const parts = s.campaigns.map((c) =>
    bill(
      { subtotal: c.subtotal, shipping: c.shipping, tax: c.tax, tip: c.tipAmount, tipPercent: c.tipPercent, amount: c.amount },
      c.lines.map((l) => [l.name + (l.variantName ? `, ${l.variantName}` : '') + (l.quantity > 1 ? ` × ${l.quantity}` : ''), money(l.amount)] as const),
    ),
  );
  const titles = s.campaigns.map((c, i) => [h('h3', {}, c.campaignTitle), parts[i]!]).flat();
  const card = h('div');
  const back = h('button', { type: 'button', class: 'link' }, say('checkout_back'));
  const heading = h('h2', { tabindex: -1 }, say('checkout_confirm'));
  show(heading, ...titles, h('p', { class: 'note' }, s.consent.text), h('h3', {}, say('card')), card, back);
  heading.focus();
  const stop = hold(s, lapsed);
  back.addEventListener('click', once(back, async () => {
    stop();
    await giveUp();
    choose();
  }));
  if (again && s.checkoutUiMode === 'hosted') {
    card.append(h('a', { class: 'button', href: s.url }, say('card_save'))); // and not at once: this may be the way back from there
    return;
  }
  await enterCard(card, s, email, async () => {
    await post<Schema['Completed']>('/checkout-intent/complete', { orderId: s.orderId, sessionId: s.sessionId });
    stop();
    thank(s.orderId);
  });
}

/** The page was away for so long that its reservations were given back. */
function lapsed(): void {
  forget();
  const again = h('button', { type: 'button' }, say('checkout_again'));
  again.addEventListener('click', choose);
  const text = h('p', { class: 'note bad', role: 'alert', tabindex: -1 }, say('checkout_lapsed'));
  show(text, again);
  text.focus();
}
