// The cart. It is stored in the browser until checkout and contains no personal data.
import { post, root, type Schema } from './api.ts';
import { h } from './dom.ts';
import { hasPledged } from './lastpledge.ts';
import { announce, say } from './words.ts';

export interface CartItem {
  readonly id: string;
  readonly name: string;
  readonly quantity?: number;
  readonly amount?: number; // whole dollars, for support items
  readonly campaign?: string; // for an add-on of the platform: slug of the campaign whose pledge gets it
}

const key = 'cart';
const pagesWithBar = new Set<string | undefined>(['home', 'campaign']); // pages with the sticky cart bar

export function readCart(): CartItem[] {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    return Array.isArray(value) ? (value as CartItem[]).filter((c) => typeof c.id === 'string') : [];
  } catch {
    return [];
  }
}

export function writeCart(items: readonly CartItem[]): void {
  try {
    if (items.length) localStorage.setItem(key, JSON.stringify(items));
    else localStorage.removeItem(key);
  } catch {
    // Storage is unavailable. The cart stays empty.
  }
  updateCartLink();
  window.dispatchEvent(new Event('cart'));
}

/**
 * Adds the items of an email link to the cart and removes the link from the address bar. The link
 * contains the items, as in #cart=film__seat*2,film__custom-support=25, or the token of a saved cart
 * (#resume=…).
 */
export async function takeCartLink(): Promise<void> {
  const given = new URLSearchParams(location.hash.slice(1));
  const token = given.get('resume');
  const linked = given.get('cart');
  if (!token && !linked) return;
  history.replaceState(history.state, '', location.pathname + location.search);
  addLinkedItems(token ? await savedCart(token) : (linked ?? ''));
}

/** Returns the saved cart of an abandoned checkout, or '' if it cannot be loaded. */
async function savedCart(token: string): Promise<string> {
  try {
    return (await post<Schema['CartSnapshot']>('/abandoned-cart/resume', { token } satisfies Schema['TokenRequest']))
      .cart;
  } catch {
    return '';
  }
}

function addLinkedItems(text: string): void {
  let campaign = ''; // of the previous item; the platform's add-ons follow the items of their campaign
  const linked = text.split(',').flatMap((part): CartItem[] => {
    const [, id, kind, n] = /^([\w-]+)([*=])(\d{1,7})$/.exec(part) ?? [];
    if (!id || !kind || !n) return [];
    const item = { id, name: id, ...(kind === '*' ? { quantity: Number(n) } : { amount: Number(n) }) };
    if (isPlatformItem(item)) return [campaign ? { ...item, campaign } : item];
    campaign = id.split('__')[0] ?? '';
    return [item];
  });
  writeCart([...readCart().filter((i) => !linked.some((l) => l.id === i.id)), ...linked]);
}

export const isPlatformItem = ({ id }: Pick<CartItem, 'id'>): boolean => id.startsWith('addon__');

/** Calls `changed` when another tab changes the cart. */
export function listenToOtherTabs(changed: () => void, signal?: AbortSignal): void {
  window.addEventListener(
    'storage',
    (event) => {
      if (event.key !== key && event.key !== null) return;
      updateCartLink();
      changed();
    },
    signal ? { signal } : {},
  );
}

/** The rule by which a reward can be combined with others, from its form's data attributes. */
interface CombinationRule {
  readonly onePerSupporter: boolean;
  readonly exclusive: boolean; // replaces other rewards of its campaign
}

/** Adds an item to the cart, removes items that cannot be combined with it, and announces the result. */
export function addItem(chosen: CartItem, rule: CombinationRule = { onePerSupporter: false, exclusive: false }): void {
  const before = readCart();
  const items = rule.exclusive ? before.filter((i) => i.id === chosen.id || !isRewardOf(i.id, chosen.id)) : before;
  const at = items.findIndex((i) => i.id === chosen.id);
  const had = items[at];
  if (!had) items.push(chosen);
  else if (chosen.amount !== undefined) items[at] = { ...had, amount: chosen.amount };
  else if (!rule.onePerSupporter) items[at] = { ...had, quantity: (had.quantity ?? 1) + 1 };
  const other = before.find((i) => !items.some((kept) => kept.id === i.id));
  writeCart(items);
  if (had && rule.onePerSupporter) announce(say('added_single', { name: chosen.name }));
  else
    announce(
      other ? say('added_instead', { name: chosen.name, other: other.name }) : say('added', { name: chosen.name }),
    );
}

/** Reports whether an item is a reward of the same campaign as `reward`. */
function isRewardOf(id: string, reward: string): boolean {
  const [slug, kind, ...more] = id.split('__');
  return more.length === 0 && kind !== 'custom-support' && slug === reward.split('__')[0] && slug !== 'addon';
}

/** Updates the item count in the page header and shows or hides the sticky cart bar. */
export function updateCartLink(): void {
  const link = document.querySelector<HTMLAnchorElement>('[data-cart]');
  if (!link) return;
  const count = readCart().reduce((n, i) => n + (i.quantity ?? 1), 0);
  link.href = count || !hasPledged() ? `${root}/checkout/` : `${root}/manage/`;
  link.textContent = count ? say('cart', { count }) : say('cart_empty');
  const bar = document.querySelector('.reach') ?? h('nav', { class: 'reach', 'aria-label': say('cart_empty') });
  bar.replaceChildren(h('a', { class: 'button', href: `${root}/checkout/` }, say('cart_review', { count })));
  if (count && pagesWithBar.has(document.body.dataset.page)) document.body.append(bar);
  else bar.remove();
}

/** Shows the page's item forms and makes them add their items to the cart. */
export function listenToItemForms(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>('form[data-pick]')) {
    form.hidden = false;
    form.noValidate = true;
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      if (!form.checkValidity()) {
        void import('./errors.ts').then(
          (m) => m.validateForm(form),
          () => form.reportValidity(), // offline
        );
        return;
      }
      const data = new FormData(form);
      const variant = form.querySelector<HTMLSelectElement>('select[name=variant]');
      const kind = variant?.selectedOptions[0]?.text.split(' · ')[0];
      const name = (form.dataset.name ?? '') + (kind ? `, ${kind}` : '');
      const id = variant?.value ?? form.dataset.pick ?? '';
      const amount = data.get('amount');
      const rule = { onePerSupporter: 'single' in form.dataset, exclusive: 'alone' in form.dataset };
      const campaign = isPlatformItem({ id }) && document.body.dataset.slug;
      addItem(
        amount === null
          ? { id, name, quantity: 1, ...(campaign ? { campaign } : {}) }
          : { id, name, amount: Number(amount) },
        rule,
      );
    });
  }
}
