// The add-ons that the checkout page offers, each with its picture, price, stock and button.
import { addItem, readCart } from './cart.ts';
import { h } from './dom.ts';
import type { AddOn, Catalogue, Live } from './offers.ts';
import { price, say } from './words.ts';

type Stock = Live['inventory']['addOns'];

/** Returns the available add-ons of a campaign, or of the platform for ''. Returns null if there are none. */
export function addOnOffers(
  all: Catalogue,
  slug: string,
  from: string,
  stock: Stock,
  changed: () => void,
): HTMLElement | null {
  const products = (slug === '' ? all.products : (all.campaigns.get(slug)?.addOns ?? [])).filter(
    (p) => stock[p.id]?.remaining !== 0,
  );
  if (products.length === 0) return null;
  return h(
    'details',
    { class: 'adds', open: true },
    h('summary', {}, say(slug === '' ? 'addons_platform' : 'addons_campaign', { from })),
    h('ul', {}, ...products.map((p) => card(p, slug, stock, changed))),
  );
}

function card(product: AddOn, slug: string, stock: Stock, changed: () => void): HTMLElement {
  const base = slug === '' ? `addon__${product.id}` : `${slug}__addon__${product.id}`;
  const kinds = (product.variants ?? []).filter((v) => stock[`${product.id}/${v.id}`]?.remaining !== 0);
  const select = h(
    'select',
    { 'aria-label': product.name },
    ...kinds.map((v) => h('option', { value: v.id }, v.label)),
  );
  const inCart = !kinds.length && readCart().some((i) => i.id === base);
  const add = h(
    'button',
    { type: 'button', class: 'quiet', disabled: inCart },
    say(inCart ? 'addon_added' : 'addon_add'),
    h('span', { class: 'unseen' }, `: ${product.name}`),
  );
  add.addEventListener('click', () => {
    const kind = kinds.find((v) => v.id === select.value);
    const item = kind
      ? { id: `${base}__variant__${kind.id}`, name: `${product.name}, ${kind.label}` }
      : { id: base, name: product.name };
    addItem({ ...item, quantity: 1 });
    changed();
  });
  const left = stock[product.id]?.remaining;
  return h(
    'li',
    {},
    product.image ? h('img', { src: product.image, alt: '', width: 76, height: 76, loading: 'lazy' }) : null,
    h(
      'p',
      {},
      h('b', {}, product.name),
      h('span', { class: 'price' }, price(product.price)),
      left !== undefined && left <= 10 ? h('span', { class: 'hint' }, say('left', { count: left })) : null,
    ),
    h('div', {}, kinds.length ? select : null, add),
  );
}
