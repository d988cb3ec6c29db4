// The checkout form: cart, email, address, shipping and tip. The server calculates all totals, and
// updates do not discard input.
import { addressFields, type Part, type Prefix, readAddress } from './address.ts';
import { APIError, post, root, type Schema } from './api.ts';
import { attribution } from './attribution.ts';
import { Basket } from './basket.ts';
import { type CartItem, listenToOtherTabs, readCart } from './cart.ts';
import { firstQuestion, quoteTable } from './checkoutbill.ts';
import { attemptKey, storeOrder } from './checkoutstate.ts';
import { h, show, singleFlight } from './dom.ts';
import { emailSuggestion } from './emailtypo.ts';
import { errorText, focusIn, markField, notice, showRemark, validateForm } from './errors.ts';
import { finishedPledge } from './lastpledge.ts';
import { showAlreadyMade } from './madepledge.ts';
import { catalogue, readLiveData, slugOf } from './offers.ts';
import { isRetryable, quoteRequests } from './quotes.ts';
import { checkoutInput } from './savedinput.ts';
import { session } from './session.ts';
import { questionText } from './taxquestion.ts';
import { readTip, savedTip, tip } from './tip.ts';
import { storedToken } from './token.ts';
import { lang, money, price, say } from './words.ts';

type Quote = Schema['TaxQuote'];
type Parcels = Schema['ShippingQuote'];
type Started = Schema['Started'];

/**
 * Shows the form, or a note if the cart is empty. It calls `started` when the server has accepted
 * the cart, with the total that the form showed last; undefined if the tax was not known.
 */
export async function showCheckoutForm(
  started: (s: Started, shown?: number) => Promise<void>,
  focus = false,
): Promise<void> {
  if (readCart().length === 0) {
    showEmptyCart();
    return;
  }
  const form = h('form', { novalidate: true });
  const all = await catalogue();
  const basket = new Basket(all, () => (readCart().length ? quotes.now() : emptied()));
  const where = h('div');
  const options = h('div');
  const sums = h('div');
  const reach = totalBar();
  const refusal = h('div'); // separate from `sums`, whose content the next quote replaces
  const button = h('button', { type: 'submit' }, say('checkout_continue'));
  form.className = 'columns';
  form.append(
    h(
      'div',
      {},
      basket.element,
      contactFields(),
      where,
      options,
      tip(savedTip(checkoutInput.fields())),
      reminderOption(),
      reach.element,
    ),
    h(
      'section',
      { class: 'summary', id: 'summary', 'aria-labelledby': 'summary-title' },
      h('h2', { id: 'summary-title' }, say('checkout_summary')),
      sums,
      refusal,
      button,
      h('p', { class: 'small' }, say('checkout_next')),
    ),
  );

  const cart = (): Schema['Cart'] => cartOf(form, basket.platformCampaign());
  const requestQuotes = (): Promise<[Parcels, Quote]> =>
    Promise.all([
      post<Parcels>('/shipping/quote', withoutPhone(cart())),
      post<Quote>('/tax/quote', withoutPhone(cart())),
    ]);
  let shown: number | undefined; // total on the page; undefined until the tax is known
  let removeRemark = (): void => undefined;
  const showQuotes = ([parcels, total]: [Parcels, Quote]): void => {
    const prefix = neededAddress(where, parcels, total);
    showAddressFields(where, prefix, total.missing);
    offerCountries(where, basket);
    removeRemark();
    const question = firstQuestion(total);
    if (prefix && question && question.reason !== 'missing')
      removeRemark = showRemark(form, `${prefix}.${question.field}`, questionText(question));
    showShippingOptions(options, parcels);
    shown = total.provisional ? undefined : total.amountCents;
    sums.replaceChildren(quoteTable(total, cart(), all));
    reach.show(shown === undefined ? say('bill_more', { amount: money(total.amountCents) }) : money(shown));
  };
  const showNoTotal = (): void => {
    quotes.stop();
    for (const amount of sums.querySelectorAll('td')) amount.textContent = '—';
    reach.show('—');
  };
  const showFailure = (error: unknown): void => {
    if (removeShippingOption(error, options)) quotes.now();
    else if (isRetryable(error)) showMessage(sums, say('checkout_no_quote'));
    else
      showMessage(sums, basket.validate() || markField(form, error, false) ? say('checkout_marked') : errorText(error));
  };
  const quotes = quoteRequests(requestQuotes, showQuotes, showFailure);
  const left = new AbortController();
  const emptied = (): void => {
    left.abort();
    quotes.stop();
    showEmptyCart();
  };
  listenToOtherTabs(() => {
    if (readCart().length === 0) {
      emptied();
      return;
    }
    basket.redraw();
    quotes.now();
  }, left.signal);
  const submit = singleFlight(button, async () => {
    refusal.replaceChildren();
    if (!validateForm(form)) return;
    const invalidLine = basket.validate();
    if (invalidLine) {
      focusIn(invalidLine);
      return;
    }
    const data = new FormData(form);
    const manageToken = data.has('together') ? storedToken() : null;
    const request = {
      ...cart(),
      email: String(data.get('email')).trim(),
      preferredLang: lang,
      attribution: attribution(),
      attempt: attemptKey(),
      session: session(),
      ...(manageToken ? { manageToken } : {}),
      ...(data.has('remind') ? { abandonedCartConsent: true } : {}),
    };
    try {
      const s = await post<Started>('/checkout-intent/start', request);
      storeOrder(s);
      quotes.stop();
      left.abort();
      await started(s, shown);
    } catch (error) {
      if (!markField(form, error)) refusal.replaceChildren(notice(error));
    }
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void submit();
  });
  form.addEventListener('input', () => {
    checkoutInput.save(form);
    if (basket.hasWrongQuantity()) showNoTotal();
    else quotes.soon();
  });
  showAddressFields(
    where,
    basket.hasPhysicalItems()
      ? 'shippingAddress'
      : checkoutInput.address('billingAddress').country
        ? 'billingAddress'
        : undefined,
  );
  offerCountries(where, basket);
  show(form);
  if (focus) basket.element.querySelector('legend')?.focus();
  quotes.now();
  basket.update(await readLiveData([...new Set(readCart().map((c) => slugOf(c.id)))].filter(Boolean)));
}

function showEmptyCart(): void {
  const made = finishedPledge();
  if (made) {
    showAlreadyMade(made);
    return;
  }
  show(
    h('p', { class: 'note' }, say('checkout_empty')),
    h(
      'p',
      { class: 'row' },
      h('a', { class: 'button', href: `${root}/` }, say('checkout_browse')),
      h('a', { class: 'button quiet', href: `${root}/links/` }, say('checkout_find')),
    ),
  );
}

function contactFields(): HTMLElement {
  const email = h('input', {
    type: 'email',
    name: 'email',
    autocomplete: 'email',
    required: true,
    maxlength: 254,
    value: checkoutInput.fields().email ?? '',
  });
  return h(
    'fieldset',
    {},
    h('legend', {}, say('checkout_contact')),
    h('label', {}, say('checkout_email'), email, h('span', { class: 'hint' }, say('checkout_email_why'))),
    emailSuggestion(email),
    storedToken() ? togetherOption() : null,
  );
}

/** Returns the opt-in checkbox for abandoned-cart reminders, unchecked by default. */
function reminderOption(): HTMLElement {
  return h(
    'label',
    { class: 'tick' },
    h('input', { type: 'checkbox', name: 'remind', checked: checkoutInput.fields().remind === 'on' }),
    ' ',
    say('checkout_remind'),
  );
}

/** Returns the checkbox for charging the new pledge together with the pledge whose link was opened. */
function togetherOption(): HTMLElement {
  return h(
    'label',
    {},
    h('input', { type: 'checkbox', name: 'together', checked: checkoutInput.fields().together === 'on' }),
    ' ',
    say('checkout_together'),
  );
}

function items(): Schema['Item'][] {
  return readCart().map((c: CartItem) =>
    c.amount === undefined ? { id: c.id, quantity: c.quantity ?? 1 } : { id: c.id, amount: c.amount },
  );
}

function cartOf(form: HTMLFormElement, platformCampaign: string): Schema['Cart'] {
  const data = new FormData(form);
  const option = data.get('shippingOption');
  const shippingAddress = readAddress(form, 'shippingAddress');
  const billingAddress = readAddress(form, 'billingAddress');
  return {
    items: items(),
    ...(platformCampaign ? { campaignSlug: platformCampaign } : {}),
    ...readTip(form),
    ...(option ? { shippingOption: String(option) } : {}),
    ...(shippingAddress ? { shippingAddress } : {}),
    ...(billingAddress ? { billingAddress } : {}),
  };
}

/**
 * Returns the cart without the phone number. Quotes do not depend on it, and it may be incomplete
 * while the supporter types.
 */
function withoutPhone({ shippingAddress, ...others }: Schema['Cart']): Schema['Cart'] {
  return shippingAddress ? { ...others, shippingAddress: { ...shippingAddress, phone: '' } } : others;
}

/** Returns the address that is needed: shipping for physical items, otherwise billing if the tax depends on it. */
function neededAddress(where: HTMLElement, parcels: Parcels, total: Quote): Prefix | undefined {
  if (parcels.quotes.some((q) => q.reason !== 'nothing_to_send')) return 'shippingAddress';
  return total.missing.length > 0 || where.querySelector('[data-address=billingAddress]')
    ? 'billingAddress'
    : undefined;
}

/** Shows the fields of an address. Fields that were added for a tax quote are kept. */
function showAddressFields(where: HTMLElement, wanted: Prefix | undefined, missing: readonly string[] = []): void {
  const there = where.querySelector<HTMLElement>('[data-address]')?.dataset;
  const before = there?.address === wanted ? (there?.others ?? '') : '';
  const others =
    wanted === 'billingAddress'
      ? (['line1', 'city'] as const).filter((part) => missing.includes(part) || before.split(' ').includes(part))
      : [];
  if (wanted === there?.address && others.join(' ') === before) return;
  const typing = where.contains(document.activeElement) ? document.activeElement?.getAttribute('name') : undefined;
  where.replaceChildren(...(wanted ? [addressFieldset(wanted, others)] : []));
  if (typing) where.querySelector<HTMLElement>(`[name="${typing}"]`)?.focus();
}

/**
 * Hides the countries to which an item in the cart is not shipped. A country that is already chosen
 * stays visible; the service reports an error for it.
 */
function offerCountries(where: HTMLElement, basket: Basket): void {
  const select = where.querySelector<HTMLSelectElement>('[name="shippingAddress.country"]');
  for (const option of select?.options ?? [])
    option.hidden = option.disabled = !option.selected && !basket.reaches(option.value);
}

function addressFieldset(wanted: Prefix, others: readonly Part[]): HTMLElement {
  const element = addressFields(wanted, checkoutInput.address(wanted), others);
  element.dataset.others = others.join(' ');
  return element;
}

function showShippingOptions(container: HTMLElement, parcels: Parcels): void {
  const all = new Map<string, number>();
  for (const q of parcels.quotes)
    for (const o of q.availableOptions) all.set(o.id, (all.get(o.id) ?? 0) + o.surchargeCents);
  const existing = [...(container.querySelector('select')?.options ?? [])].map((o) => o.value);
  if (all.size < 2) container.replaceChildren();
  if (all.size < 2 || existing.join() === [...all.keys()].join()) return;
  const options = [...all].map(([id, cents]) =>
    h(
      'option',
      { value: id, selected: id === checkoutInput.fields().shippingOption },
      say(`option_${id}`) + (cents ? ` · ${price(cents)}` : ''),
    ),
  );
  container.replaceChildren(
    h(
      'fieldset',
      {},
      h('legend', {}, say('option')),
      h('label', {}, say('option_label'), h('select', { name: 'shippingOption' }, ...options)),
    ),
  );
}

/**
 * Removes the shipping options if the error reports that the chosen one is unavailable, and returns
 * whether it did.
 */
function removeShippingOption(error: unknown, options: HTMLElement): boolean {
  const unavailable =
    error instanceof APIError && error.problem.field === 'shippingOption' && options.childElementCount > 0;
  if (unavailable) options.replaceChildren();
  return unavailable;
}

/** Shows a message that does not respond to an action, and therefore does not take the focus. */
function showMessage(container: HTMLElement, text: string): void {
  if (container.textContent !== text) container.replaceChildren(h('p', { class: 'note bad' }, text));
}

/** Returns the bar that keeps the total visible on a phone and announces it to screen readers. */
function totalBar(): { readonly element: HTMLElement; readonly show: (amount: string) => void } {
  const amount = h('b', {}, '—');
  const element = h(
    'p',
    { class: 'total-bar' },
    h('a', { href: '#summary' }, say('checkout_summary')),
    h('span', { role: 'status' }, h('span', { class: 'unseen' }, `${say('bill_later')}: `), amount),
  );
  return {
    element,
    show: (text) => {
      if (amount.textContent !== text) amount.textContent = text;
    },
  };
}
