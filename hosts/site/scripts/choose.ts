// What is chosen, for whom and where to: the form before the card. Every total on it is
// the service's, and whatever is typed stays typed.
import { addressFields, readAddress, type Part, type Prefix } from './address.ts';
import { post, Refused, root, type Schema } from './api.ts';
import { attribution } from './attribution.ts';
import { Basket } from './basket.ts';
import { bill } from './bill.ts';
import { read, type Chosen } from './cart.ts';
import { h, once, show } from './dom.ts';
import { catalogue, slugOf, standing } from './offers.ts';
import { complete, focusIn, mark, notice, remark, sentence } from './problem.ts';
import { asked, type Question } from './question.ts';
import { passing, quoting } from './quoting.ts';
import { session } from './session.ts';
import { defaultTip, tip } from './tip.ts';
import { keptToken } from './token.ts';
import { atCheckout } from './typed.ts';
import { typo } from './typo.ts';
import { attempt, begun } from './underway.ts';
import { lang, money, say } from './words.ts';

type Quote = Schema['TaxQuote'];
type Parcels = Schema['ShippingQuote'];
type Started = Schema['Started'];

/** Shows the form, and calls started once the service has taken the cart. */
export async function choose(started: (s: Started, email: string) => Promise<void>, lead = false): Promise<void> {
  if (read().length === 0) {
    empty();
    return;
  }
  const form = h('form', { novalidate: true });
  const basket = new Basket(await catalogue(), () => (read().length ? quotes.now() : emptied()));
  const where = h('div');
  const options = h('div');
  const sums = h('div', { 'aria-live': 'polite' });
  const refusal = h('div'); // a place of its own: the next quote would replace it in the sums
  const button = h('button', { type: 'submit' }, say('checkout_continue'));
  form.append(basket.element, contact(), where, tip(Number(atCheckout.fields().tipPercent ?? defaultTip)), options, sums, refusal, h('p', { class: 'small' }, say('checkout_next')), button);

  const ask = (): Promise<[Parcels, Quote]> => Promise.all([post<Parcels>('/shipping/quote', cartOf(form)), post<Quote>('/tax/quote', cartOf(form))]);
  let takeBack = (): void => undefined;
  const answered = ([parcels, total]: [Parcels, Quote]): void => {
    const prefix = addressOf(where, parcels, total);
    place(where, prefix, total.missing);
    takeBack();
    const question = questionIn(total);
    if (prefix && question && question.reason !== 'missing') takeBack = remark(form, `${prefix}.${question.field}`, asked(question));
    offered(options, parcels);
    sums.replaceChildren(figures(total, cartOf(form).tipPercent ?? defaultTip));
  };
  const failed = (error: unknown): void => {
    if (withdrawn(error, options)) quotes.now();
    else if (passing(error)) tell(sums, say('checkout_no_quote'));
    else tell(sums, basket.judge() || mark(form, error, false) ? say('checkout_marked') : sentence(error));
  };
  const quotes = quoting(ask, answered, failed);
  const emptied = (): void => {
    quotes.stop();
    empty();
  };
  const begin = once(button, async () => {
    refusal.replaceChildren();
    if (!complete(form)) return;
    const stuck = basket.judge();
    if (stuck) {
      focusIn(stuck);
      return;
    }
    const data = new FormData(form);
    const manageToken = data.has('together') ? keptToken() : null;
    const request = {
      ...cartOf(form), email: String(data.get('email')).trim(), preferredLang: lang, attribution: attribution(), attempt: attempt(), session: session(), ...(manageToken ? { manageToken } : {}), ...(data.has('remind') ? { abandonedCartConsent: true } : {}),
    };
    try {
      const s = await post<Started>('/checkout-intent/start', request);
      begun(s);
      quotes.stop();
      await started(s, request.email);
    } catch (error) {
      if (!mark(form, error)) refusal.replaceChildren(notice(error));
    }
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void begin();
  });
  form.addEventListener('input', () => {
    atCheckout.keep(form);
    quotes.soon();
  });
  place(where, basket.sent() ? 'shippingAddress' : atCheckout.address('billingAddress').country ? 'billingAddress' : undefined);
  show(form);
  if (lead) basket.element.querySelector('legend')?.focus();
  quotes.now();
  basket.stock(await standing([...new Set(read().map((c) => slugOf(c.id)))].filter(Boolean)));
}

function empty(): void {
  show(h('p', { class: 'note' }, say('checkout_empty')), h('p', {}, h('a', { class: 'button', href: `${root}/` }, say('checkout_browse'))));
}

function contact(): HTMLElement {
  const email = h('input', { type: 'email', name: 'email', autocomplete: 'email', required: true, maxlength: 254, value: atCheckout.fields().email ?? '' });
  return h('fieldset', {}, h('legend', {}, say('checkout_contact')), h('label', {}, say('checkout_email'), email, h('span', { class: 'hint' }, say('checkout_email_why'))), typo(email), reminder(), keptToken() ? together() : null);
}

/** Who wants to be reminded of a checkout that is left says so: the box is not ticked. */
function reminder(): HTMLElement {
  return h('label', { class: 'tick' }, h('input', { type: 'checkbox', name: 'remind', checked: atCheckout.fields().remind === 'on' }), ' ', say('checkout_remind'));
}

/** Who has opened a link may have the new pledge charged together with its pledge. */
function together(): HTMLElement {
  return h('label', {}, h('input', { type: 'checkbox', name: 'together', checked: atCheckout.fields().together === 'on' }), ' ', say('checkout_together'));
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

/** The address that is asked for: where something is sent, and else what tax depends on, once it does. */
function addressOf(where: HTMLElement, parcels: Parcels, total: Quote): Prefix | undefined {
  if (parcels.quotes.some((q) => q.reason !== 'nothing_to_send')) return 'shippingAddress';
  return total.missing.length > 0 || where.querySelector('[data-address=billingAddress]') ? 'billingAddress' : undefined;
}

/** Shows the fields of an address. A part that tax once depended on stays. */
function place(where: HTMLElement, wanted: Prefix | undefined, missing: readonly string[] = []): void {
  const there = where.querySelector<HTMLElement>('[data-address]')?.dataset;
  const before = there?.address === wanted ? (there?.others ?? '') : '';
  const others = wanted === 'billingAddress' ? (['line1', 'city'] as const).filter((part) => missing.includes(part) || before.split(' ').includes(part)) : [];
  if (wanted === there?.address && others.join(' ') === before) return;
  const typing = where.contains(document.activeElement) ? document.activeElement?.getAttribute('name') : undefined;
  where.replaceChildren(...(wanted ? [fields(wanted, others)] : []));
  if (typing) where.querySelector<HTMLElement>(`[name="${typing}"]`)?.focus();
}

function fields(wanted: Prefix, others: readonly Part[]): HTMLElement {
  const element = addressFields(wanted, atCheckout.address(wanted), others);
  element.dataset.others = others.join(' ');
  return element;
}

/** What the tax of the first campaign depends on. */
const questionIn = (total: Quote): Question | undefined => total.campaigns.map((c) => c.taxDetails.question).find((q) => q !== undefined);

function offered(place: HTMLElement, parcels: Parcels): void {
  const all = new Map<string, number>();
  for (const q of parcels.quotes) for (const o of q.availableOptions) all.set(o.id, Math.max(all.get(o.id) ?? 0, o.surchargeCents));
  const known = [...(place.querySelector('select')?.options ?? [])].map((o) => o.value);
  if (all.size < 2) place.replaceChildren();
  if (all.size < 2 || known.join() === [...all.keys()].join()) return;
  const options = [...all].map(([id, cents]) => h('option', { value: id, selected: id === atCheckout.fields().shippingOption }, say(`option_${id}`) + (cents ? ` · ${money(cents)}` : '')));
  place.replaceChildren(h('fieldset', {}, h('legend', {}, say('option')), h('label', {}, say('option_label'), h('select', { name: 'shippingOption' }, ...options))));
}

/** Takes back a delivery that is not offered to the new address any more. */
function withdrawn(error: unknown, options: HTMLElement): boolean {
  const gone = error instanceof Refused && error.problem.field === 'shippingOption' && options.childElementCount > 0;
  if (gone) options.replaceChildren();
  return gone;
}

/** Says something that nobody asked for: it is read out once, and leaves the focus where it is. */
function tell(place: HTMLElement, text: string): void {
  if (place.textContent !== text) place.replaceChildren(h('p', { class: 'note bad' }, text));
}

function figures(q: Quote, tipPercent: number): HTMLElement {
  const question = questionIn(q);
  const why = question && question.reason !== 'missing' ? asked(question) : say('tax_missing', { fields: q.missing.map((m) => say(`address_${m}`)).join(', ') });
  return bill({ subtotal: q.subtotalCents, shipping: q.shippingCents, tax: q.provisional ? null : q.taxCents, tip: q.tipCents, tipPercent, amount: q.amountCents }, [], 'later', why);
}
