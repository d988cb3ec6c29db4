// The unfinished checkout of this browser: an idempotency key for its start, and the order to resume
// after the page was closed. It contains no personal data.
import { APIError, post, type Schema } from './api.ts';
import { readCart, writeCart } from './cart.ts';
import { recordPledge, storePledge } from './lastpledge.ts';
import { checkoutInput } from './savedinput.ts';
import { randomSecret } from './session.ts';

export interface Order {
  readonly orderId: string;
  readonly token: string;
}

interface CheckoutState {
  readonly attempt: string;
  readonly order?: Order;
  readonly cart?: string; // the cart that the order was started with
}

const key = 'checkout';
const every = 60_000; // milliseconds between extensions of the reservations, well below their lifetime

function load(): CheckoutState | null {
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null') as CheckoutState | null;
  } catch {
    return null;
  }
}

function save(value: CheckoutState): void {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // Storage is unavailable. A checkout cannot be resumed.
  }
}

const cartFingerprint = (): string => JSON.stringify(readCart());

/**
 * Returns the idempotency key for starting a checkout, and deletes the stored order. The key stays
 * the same until clearCheckout is called.
 */
export function attemptKey(): string {
  const now = load()?.attempt ?? randomSecret();
  save({ attempt: now });
  return now;
}

/** Stores the input of an order, so that the form shows it, unless this tab already has input. */
export function restoreInput(s: Pick<Schema['Started'], 'email' | 'shippingAddress' | 'billingAddress'>): void {
  checkoutInput.fill(s.email, { shippingAddress: s.shippingAddress, billingAddress: s.billingAddress });
}

export function storeOrder(s: Schema['Started']): void {
  storePledge(s);
  save({ attempt: attemptKey(), order: { orderId: s.orderId, token: s.checkoutToken }, cart: cartFingerprint() });
}

export function clearCheckout(): void {
  localStorage.removeItem(key);
}

/** Records the finished pledge, empties the cart and deletes all checkout data. */
export function finishCheckout(): void {
  recordPledge();
  writeCart([]);
  clearCheckout();
  checkoutInput.clear();
}

/** Abandons the unfinished order, if there is one, which releases its reservations. */
export async function abandonOrder(): Promise<void> {
  const order = load()?.order;
  clearCheckout();
  if (order) await post('/checkout-intent/abandon', order).catch(() => undefined);
}

/**
 * Resumes the unfinished checkout with its reservations. Returns 'saved' if its card is already
 * saved. Returns null if there is no checkout, the cart has changed since, or the request fails.
 */
export async function resumeCheckout(): Promise<Schema['Started'] | 'saved' | null> {
  const now = load();
  if (!now?.order) return null;
  if (now.cart !== cartFingerprint()) {
    await abandonOrder();
    return null;
  }
  try {
    return await post<Schema['Started']>('/checkout-intent/resume', now.order);
  } catch (error) {
    // After these errors the order may still exist.
    if (!(error instanceof APIError) || error.status === 429 || error.status >= 500) return null;
    clearCheckout();
    return error.status === 409 ? 'saved' : null;
  }
}

/**
 * Extends the reservations while the page is open, and calls `over` when they have expired. Returns
 * a function that stops it.
 */
export function extendReservations(s: Schema['Started'], over: () => void): () => void {
  if (Date.parse(s.heldUntil) >= Date.parse(s.expiresAt)) return () => undefined;
  const extend = (): void => {
    post('/checkout-intent/extend', { orderId: s.orderId, token: s.checkoutToken }).catch((error: unknown) => {
      if (!(error instanceof APIError) || error.status !== 410) return;
      stop();
      over();
    });
  };
  const seen = (): void => {
    if (document.visibilityState === 'visible') extend();
  };
  const timer = window.setInterval(extend, every);
  document.addEventListener('visibilitychange', seen);
  const stop = (): void => {
    window.clearInterval(timer);
    document.removeEventListener('visibilitychange', seen);
  };
  return stop;
}
