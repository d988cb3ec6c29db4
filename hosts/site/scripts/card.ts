// Card entry: Stripe's embedded form, Stripe's hosted page, or the simulator's replacement. Our
// scripts never see the card number.
import { APIError, get, isSimulated, post } from './api.ts';
import { h, singleFlight } from './dom.ts';
import { notice } from './errors.ts';
import { say } from './words.ts';

export interface Session {
  readonly checkoutUiMode: string;
  readonly sessionId: string;
  readonly clientSecret?: string;
  readonly publishableKey?: string;
  readonly url?: string;
}

/**
 * Shows the card form in `container` and calls `saved` when the card is saved, or redirects to
 * Stripe's hosted page. `label` is the button's text; it differs if saving also charges the card.
 */
export async function showCardForm(
  container: HTMLElement,
  session: Session,
  email: string,
  saved: () => Promise<void>,
  label = say('card_save'),
): Promise<void> {
  if (session.checkoutUiMode === 'hosted' && session.url) {
    location.assign(session.url);
    return;
  }
  if (isSimulated) await showSimulatedForm(container, session, saved, label);
  else await showStripeForm(container, session, email, saved, label);
}

const errorNote = (text: string): HTMLElement => h('p', { class: 'note bad', role: 'alert' }, text);

/** Shows the simulator's form with its test cards. */
async function showSimulatedForm(
  container: HTMLElement,
  session: Session,
  saved: () => Promise<void>,
  label: string,
): Promise<void> {
  const cards = await get<readonly (readonly [string, string])[]>('/_sim/cards');
  const button = h('button', { type: 'submit' }, label);
  const choices = cards.map(([name, number], i) =>
    h(
      'label',
      {},
      h('input', { type: 'radio', name: 'card', value: name, checked: i === 0 }),
      ` ${number} `,
      h('span', { class: 'small' }, name.replaceAll('_', ' ')),
    ),
  );
  const form = h(
    'form',
    { class: 'sheet' },
    h('fieldset', {}, h('legend', {}, say('card_test')), h('p', { class: 'small' }, say('card_test_lead')), ...choices),
    button,
  );
  const save = singleFlight(button, async () => {
    form.querySelector('[role=alert]')?.remove();
    try {
      await post('/_sim/complete', { session: session.sessionId, card: String(new FormData(form).get('card')) });
      await saved();
    } catch (error) {
      form.append(
        error instanceof APIError && error.problem.field === 'card' ? errorNote(error.problem.error) : notice(error),
      ); // for a declined card, the processor's message is shown
    }
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void save();
  });
  container.replaceChildren(form);
  form.querySelector('input')?.focus();
}

// The part of the Stripe.js API that is used. The script must be loaded from Stripe's host to comply
// with the card networks' rules.
interface Actions {
  confirm(options: { email?: string }): Promise<{ type: 'success' } | { type: 'error'; error: { message: string } }>;
}
interface Checkout {
  createPaymentElement(): { mount(container: HTMLElement): void };
  loadActions(): Promise<{ type: 'success'; actions: Actions } | { type: 'error'; error: { message: string } }>;
}
interface StripeClient {
  initCheckout(options: { clientSecret: string }): Checkout;
  confirmCardPayment(secret: string, options: { payment_method: string }): Promise<{ error?: { message?: string } }>;
}
declare global {
  interface Window {
    Stripe?: (key: string, options?: { locale?: string }) => StripeClient;
  }
}

const script = 'https://js.stripe.com/clover/stripe.js';

/** Loads Stripe.js, if it is not loaded yet, and returns a client. Throws if it cannot be loaded. */
export async function loadStripe(key: string): Promise<StripeClient> {
  if (!window.Stripe) {
    await new Promise<void>((loaded, failed) => {
      const element = h('script', { src: script, onload: () => loaded(), onerror: () => failed(new Error(script)) });
      document.head.append(element);
    });
  }
  if (!window.Stripe) throw new Error(script);
  return window.Stripe(key, { locale: document.documentElement.lang });
}

async function showStripeForm(
  container: HTMLElement,
  session: Session,
  email: string,
  saved: () => Promise<void>,
  label: string,
): Promise<void> {
  let checkout: Checkout;
  try {
    checkout = (await loadStripe(session.publishableKey ?? '')).initCheckout({
      clientSecret: session.clientSecret ?? '',
    });
  } catch {
    container.replaceChildren(errorNote(say('card_unavailable')));
    return;
  }
  const mount = h('div');
  const button = h('button', { type: 'button', disabled: true }, label);
  container.replaceChildren(h('div', { class: 'sheet' }, mount), button);
  checkout.createPaymentElement().mount(mount);
  const loaded = await checkout.loadActions();
  if (loaded.type === 'error') {
    container.replaceChildren(errorNote(loaded.error.message));
    return;
  }
  button.disabled = false;
  button.addEventListener(
    'click',
    singleFlight(button, async () => {
      container.querySelector('[role=alert]')?.remove();
      const done = await loaded.actions.confirm(email ? { email } : {}); // without it, Stripe uses the customer's email
      if (done.type === 'error') {
        container.append(errorNote(done.error.message));
        return;
      }
      try {
        await saved();
      } catch (error) {
        container.append(notice(error));
      }
    }),
  );
}
