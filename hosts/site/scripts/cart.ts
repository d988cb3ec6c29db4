// What the visitor has chosen. It stays in this browser until checkout, and holds
// nothing about the visitor.
import { announce, say } from './words.ts';

export interface Chosen {
  readonly id: string;
  readonly name: string;
  readonly quantity?: number;
  readonly amount?: number; // whole dollars, of support
}

const key = 'cart';

export function read(): Chosen[] {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    return Array.isArray(value) ? (value as Chosen[]).filter((c) => typeof c.id === 'string') : [];
  } catch {
    return [];
  }
}

export function write(items: readonly Chosen[]): void {
  try {
    if (items.length) localStorage.setItem(key, JSON.stringify(items));
    else localStorage.removeItem(key);
  } catch {
    // a browser that keeps nothing: the cart lives as long as the page
  }
  badge();
}

export function add(chosen: Chosen): void {
  const items = read();
  const at = items.findIndex((i) => i.id === chosen.id);
  const had = items[at];
  if (!had) items.push(chosen);
  else if (chosen.amount !== undefined) items[at] = { ...had, amount: chosen.amount };
  else items[at] = { ...had, quantity: (had.quantity ?? 1) + 1 };
  write(items);
  announce(say('added', { name: chosen.name }));
}

/** Says in the page's head how much is chosen. */
export function badge(): void {
  const link = document.querySelector<HTMLAnchorElement>('[data-cart]');
  if (!link) return;
  const count = read().reduce((n, i) => n + (i.quantity ?? 1), 0);
  link.textContent = count ? say('cart', { count }) : say('cart_empty');
}

/** Lets the forms of the page put things into the cart. */
export function listen(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>('form[data-pick]')) {
    form.hidden = false;
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      const data = new FormData(form);
      const variant = form.querySelector<HTMLSelectElement>('select[name=variant]');
      const kind = variant?.selectedOptions[0]?.text.split(' · ')[0];
      const name = (form.dataset.name ?? '') + (kind ? `, ${kind}` : '');
      const id = variant?.value ?? form.dataset.pick ?? '';
      const amount = data.get('amount');
      add(amount === null ? { id, name, quantity: 1 } : { id, name, amount: Number(amount) });
    });
  }
}
