// Where the card is entered: the processor's own form, its page, or the simulator's
// stand-in. The number never reaches a script of ours.
import { get, post, Refused, simulated } from './api.ts';
import { h, once } from './dom.ts';
import { notice } from './problem.ts';
import { say } from './words.ts';

export interface Session {
  readonly checkoutUiMode: string;
  readonly sessionId: string;
  readonly clientSecret?: string;
  readonly publishableKey?: string;
  readonly url?: string;
}

/**
 * Shows in place how a card is saved for the session, and calls saved when it is. The
 * button says what it does: it may charge the card.
 */
export async function enterCard(place: HTMLElement, session: Session, email: string, saved: () => Promise<void>, label = say('card_save')): Promise<void> {
  if (session.checkoutUiMode === 'hosted' && session.url) {
    location.assign(session.url);
    return;
  }
  if (simulated) await standIn(place, session, saved, label);
  else await processorForm(place, session, email, saved, label);
}

const problem = (text: string): HTMLElement => h('p', { class: 'note bad', role: 'alert' }, text);

/** The simulator's form: its test cards, one click away. */
async function standIn(place: HTMLElement, session: Session, saved: () => Promise<void>, label: string): Promise<void> {
  const cards = await get<readonly (readonly [string, string])[]>('/_sim/cards');
  const button = h('button', { type: 'submit' }, label);
  const choices = cards.map(([name, number], i) =>
    h('label', {}, h('input', { type: 'radio', name: 'card', value: name, checked: i === 0 }), ` ${number} `, h('span', { class: 'small' }, name.replaceAll('_', ' '))),
  );
  const form = h('form', { class: 'sheet' }, h('fieldset', {}, h('legend', {}, say('card_test')), h('p', { class: 'small' }, say('card_test_lead')), ...choices), button);
  const save = once(button, async () => {
    form.querySelector('[role=alert]')?.remove();
    try {
      await post('/_sim/complete', { session: session.sessionId, card: String(new FormData(form).get('card')) });
      await saved();
    } catch (error) {
      form.append(error instanceof Refused && error.problem.field === 'card' ? problem(error.problem.error) : notice(error)); // a decline is in the processor's words
    }
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void save();
  });
  place.replaceChildren(form);
  form.querySelector('input')?.focus();
}

// The processor's script, as far as it is used: it comes from its own host, as the
// card networks' rules demand.
interface Actions {
  confirm(options: { email?: string }): Promise<{ type: 'success' } | { type: 'error'; error: { message: string } }>;
}
interface Checkout {
  createPaymentElement(): { mount(place: HTMLElement): void };
  loadActions(): Promise<{ type: 'success'; actions: Actions } | { type: 'error'; error: { message: string } }>;
}
export interface Processor {
  initCheckout(options: { clientSecret: string }): Checkout;
  confirmCardPayment(secret: string, options: { payment_method: string }): Promise<{ error?: { message?: string } }>;
}
declare global {
  interface Window {
    Stripe?: (key: string, options?: { locale?: string }) => Processor;
  }
}

const script = 'https://js.stripe.com/clover/stripe.js';

/** Loads the processor's script, once. */
export async function processor(key: string): Promise<Processor> {
  if (!window.Stripe) {
    await new Promise<void>((loaded, failed) => {
      const element = h('script', { src: script, onload: () => loaded(), onerror: () => failed(new Error(script)) });
      document.head.append(element);
    });
  }
  if (!window.Stripe) throw new Error(script);
  return window.Stripe(key, { locale: document.documentElement.lang });
}

async function processorForm(place: HTMLElement, session: Session, email: string, saved: () => Promise<void>, label: string): Promise<void> {
  let checkout: Checkout;
  try {
    checkout = (await processor(session.publishableKey ?? '')).initCheckout({ clientSecret: session.clientSecret ?? '' });
  } catch {
    place.replaceChildren(problem(say('card_unavailable')));
    return;
  }
  const mount = h('div');
  const button = h('button', { type: 'button', disabled: true }, label);
  place.replaceChildren(h('div', { class: 'sheet' }, mount), button);
  checkout.createPaymentElement().mount(mount);
  const loaded = await checkout.loadActions();
  if (loaded.type === 'error') {
    place.replaceChildren(problem(loaded.error.message));
    return;
  }
  button.disabled = false;
  button.addEventListener(
    'click',
    once(button, async () => {
      place.querySelector('[role=alert]')?.remove();
      const done = await loaded.actions.confirm(email ? { email } : {}); // else the customer's
      if (done.type === 'error') {
        place.append(problem(done.error.message));
        return;
      }
      try {
        await saved();
      } catch (error) {
        place.append(notice(error));
      }
    }),
  );
}
