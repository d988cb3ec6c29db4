// The checkout that is under way in this browser: a secret that names its start, so that
// it can be repeated, and what leads back to it after the page was left. It holds nothing
// about the visitor.
import { post, Refused, type Schema } from './api.ts';
import { read, write } from './cart.ts';
import { about } from './pledged.ts';
import { secret } from './session.ts';
import { atCheckout } from './typed.ts';

export interface Order {
  readonly orderId: string;
  readonly token: string;
}

interface Kept {
  readonly attempt: string;
  readonly order?: Order;
  readonly cart?: string; // what the order was begun with
}

const key = 'checkout';
const every = 60_000; // milliseconds: a fraction of what the service holds units for

function kept(): Kept | null {
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null') as Kept | null;
  } catch {
    return null;
  }
}

function keep(value: Kept): void {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // a browser that keeps nothing: who leaves the page begins anew
  }
}

const cart = (): string => JSON.stringify(read());

/** The secret of the next start, the same until one is answered and over. */
export function attempt(): string {
  const now = kept()?.attempt ?? secret();
  keep({ attempt: now });
  return now;
}

export function begun(s: Schema['Started']): void {
  about(s);
  keep({ attempt: attempt(), order: { orderId: s.orderId, token: s.checkoutToken }, cart: cart() });
}

export function forget(): void {
  localStorage.removeItem(key);
}

/** The pledge is saved: nothing of its making is kept. */
export function finish(): void {
  write([]);
  forget();
  atCheckout.forget();
}

/** Gives the order that is under way back, if there is one. */
export async function giveUp(): Promise<void> {
  const order = kept()?.order;
  forget();
  if (order) await post('/checkout-intent/abandon', order).catch(() => undefined);
}

/**
 * The checkout that this browser has left, with its reservations: null where there is
 * none any more, or none of what the cart holds now. Its card may be saved already.
 */
export async function resume(): Promise<Schema['Started'] | 'saved' | null> {
  const now = kept();
  if (!now?.order) return null;
  if (now.cart !== cart()) {
    await giveUp();
    return null;
  }
  try {
    return await post<Schema['Started']>('/checkout-intent/resume', now.order);
  } catch (error) {
    if (!(error instanceof Refused) || error.status === 429 || error.status >= 500) return null; // it may still stand
    forget();
    return error.status === 409 ? 'saved' : null;
  }
}

/** Keeps the reservations while the page is open, and returns how to stop that. */
export function hold(s: Schema['Started'], over: () => void): () => void {
  if (Date.parse(s.heldUntil) >= Date.parse(s.expiresAt)) return () => undefined;
  const extend = (): void => {
    post('/checkout-intent/extend', { orderId: s.orderId, token: s.checkoutToken }).catch((error: unknown) => {
      if (!(error instanceof Refused) || error.status !== 410) return;
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
