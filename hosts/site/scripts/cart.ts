// What the visitor has chosen. It stays in this browser until checkout, and holds
// nothing about the visitor.
import { post, root, type Schema } from './api.ts';
import { h } from './dom.ts';
import { havePledged } from './pledged.ts';
import { announce, say } from './words.ts';

export interface Chosen {
  readonly id: string;
  readonly name: string;
  readonly quantity?: number;
  readonly amount?: number; // whole dollars, of support
}

const key = 'cart';
const shops = new Set<string | undefined>(['home', 'campaign']); // pages on which the cart is always in reach

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

/**
 * Takes in the cart of a mail's link, such as #cart=film__seat*2,film__custom-support=25, or
 * the one that the service keeps under #resume=….
 */
export async function takeLink(): Promise<void> {
  const given = new URLSearchParams(location.hash.slice(1));
  const token = given.get('resume');
  const linked = given.get('cart');
  if (!token && !linked) return;
  history.replaceState(history.state, '', location.pathname + location.search);
  take(token ? await kept(token) : (linked ?? ''));
}

/** What was chosen in a checkout that was left; nothing where it is not kept any more. */
async function kept(token: string): Promise<string> {
  try {
    return (await post<Schema['CartSnapshot']>('/abandoned-cart/resume', { token } satisfies Schema['TokenRequest'])).cart;
  } catch {
    return '';
  }
}

function take(text: string): void {
  const linked = text.split(',').flatMap((part): Chosen[] => {
    const [, id, kind, n] = /^([\w-]+)([*=])(\d{1,7})$/.exec(part) ?? [];
    return id && kind && n ? [{ id, name: id, ...(kind === '*' ? { quantity: Number(n) } : { amount: Number(n) }) }] : [];
  });
  write([...read().filter((i) => !linked.some((l) => l.id === i.id)), ...linked]);
}

/** What a reward's form says of it. */
interface Rule {
  readonly single: boolean; // one for each supporter
  readonly alone: boolean; // the only one of its campaign
}

/** Puts something into the cart, and takes out what cannot be there beside it. */
export function add(chosen: Chosen, rule: Rule = { single: false, alone: false }): void {
  const before = read();
  const items = rule.alone ? before.filter((i) => i.id === chosen.id || !besides(i.id, chosen.id)) : before;
  const at = items.findIndex((i) => i.id === chosen.id);
  const had = items[at];
  if (!had) items.push(chosen);
  else if (chosen.amount !== undefined) items[at] = { ...had, amount: chosen.amount };
  else if (!rule.single) items[at] = { ...had, quantity: (had.quantity ?? 1) + 1 };
  const other = before.find((i) => !items.some((kept) => kept.id === i.id));
  write(items);
  if (had && rule.single) announce(say('added_single', { name: chosen.name }));
  else announce(other ? say('added_instead', { name: chosen.name, other: other.name }) : say('added', { name: chosen.name }));
}

/** Whether something is another reward of the same campaign. */
function besides(id: string, reward: string): boolean {
  const [slug, kind, ...more] = id.split('__');
  return more.length === 0 && kind !== 'custom-support' && slug === reward.split('__')[0] && slug !== 'addon';
}

/** Says in the page's head how much is chosen, and keeps the way to it in reach. */
export function badge(): void {
  const link = document.querySelector<HTMLAnchorElement>('[data-cart]');
  if (!link) return;
  const count = read().reduce((n, i) => n + (i.quantity ?? 1), 0);
  link.href = count || !havePledged() ? `${root}/checkout/` : `${root}/manage/`;
  link.textContent = count ? say('cart', { count }) : say('cart_empty');
  const bar = document.querySelector('.reach') ?? h('nav', { class: 'reach', 'aria-label': say('cart_empty') });
  bar.replaceChildren(h('a', { class: 'button', href: `${root}/checkout/` }, say('cart_review', { count })));
  if (count && shops.has(document.body.dataset.page)) document.body.append(bar);
  else bar.remove();
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
      const rule = { single: 'single' in form.dataset, alone: 'alone' in form.dataset };
      add(amount === null ? { id, name, quantity: 1 } : { id, name, amount: Number(amount) }, rule);
    });
  }
}
