// The cart on the checkout page, grouped by campaign, with line totals. Problems that would make
// checkout fail are reported at the line or prevented by the controls.
import { type CartItem, readCart, writeCart } from './cart.ts';
import { h } from './dom.ts';
import { focusIn } from './errors.ts';
import { type Catalogue, findOffer, type LiveData, type Offer, slugOf } from './offers.ts';
import { announce, deadline, money, price, say } from './words.ts';

const maxQuantity = 1000; // per item

/** The cart as a part of the checkout form. Calls `changed` when an item is removed. */
export class Basket {
  readonly element = h('fieldset', { class: 'basket', 'data-field': 'items' });
  private live: LiveData = { campaigns: new Map(), products: {} };

  constructor(
    private readonly all: Catalogue | null,
    private readonly changed: () => void,
  ) {
    this.render();
  }

  /** Reports whether the cart contains physical items. */
  hasPhysicalItems(): boolean {
    return readCart().some((item) => this.all && findOffer(this.all, item)?.physical);
  }

  /** Updates stock levels and campaign progress. */
  update(live: LiveData): void {
    this.live = live;
    this.validate();
  }

  /** Shows each line's problem and returns the first line that has one. */
  validate(): HTMLElement | undefined {
    const rows = [...this.element.querySelectorAll<HTMLElement>('.chosen')];
    const items = readCart();
    return rows.filter((row) => {
      const item = items[Number(row.dataset.at)];
      const text = item ? this.problemOf(item) : '';
      row.querySelector(':scope > .lasting')?.remove();
      if (text) row.append(h('p', { class: 'wrong lasting' }, text));
      return text !== '';
    })[0];
  }

  private problemOf(item: CartItem): string {
    if (!this.all) return '';
    const found = findOffer(this.all, item);
    if (!found) return say('wrong_gone');
    const { tier } = found;
    const slug = slugOf(item.id);
    if (tier && this.all.campaigns.get(slug)?.singleTierOnly && this.rewardCount(slug) > 1)
      return say('wrong_one_reward');
    const now = this.live.campaigns.get(slug);
    if (now && (tier?.requiresThreshold ?? 0) > now.stats.pledgedAmount)
      return say('wrong_locked', { amount: price(tier?.requiresThreshold ?? 0) });
    const stock = tier
      ? now?.inventory.tiers[tier.id]
      : (slug === '' ? this.live.products : now?.inventory.addOns)?.[found.stockKey ?? ''];
    const left = stock?.remaining;
    if (left !== undefined && left <= 0) return say('sold_out');
    return left !== undefined && (item.quantity ?? 1) > left ? say('wrong_left', { count: left }) : '';
  }

  private rewardCount(slug: string): number {
    return readCart().filter((i) => slugOf(i.id) === slug && this.all && findOffer(this.all, i)?.tier).length;
  }

  private render(): void {
    const groups = new Map<string, HTMLElement[]>();
    readCart().forEach((item, i) => {
      const slug = slugOf(item.id);
      groups.set(slug, [...(groups.get(slug) ?? []), this.row(item, i)]);
    });
    const sorted = [...groups].sort(([a], [b]) => Number(a === '') - Number(b === ''));
    this.element.replaceChildren(
      h('legend', { tabindex: -1 }, say('checkout_chosen')),
      ...sorted.flatMap(([slug, rows]) => [this.heading(slug), ...rows]),
    );
    this.validate();
  }

  /** Returns the heading of a campaign's lines, with its deadline. */
  private heading(slug: string): HTMLElement | '' {
    const campaign = this.all?.campaigns.get(slug);
    const title = slug === '' ? document.querySelector('.brand')?.textContent?.trim() : campaign?.title;
    if (!title) return '';
    const ends =
      campaign && this.all
        ? h('p', { class: 'small' }, say('checkout_deadline', { date: deadline(campaign.endsAt) }))
        : null;
    return h('div', { class: 'whose' }, h('h2', {}, title), ends);
  }

  private row(item: CartItem, i: number): HTMLElement {
    const found = this.all ? findOffer(this.all, item) : undefined;
    if (found?.onePerSupporter && item.quantity !== 1) this.updateItem(item, { quantity: 1 });
    const name = found?.name ?? item.name;
    const total = h('p', { class: 'price' }, lineTotal(found, readCart()[i] ?? item));
    const remove = h(
      'button',
      { type: 'button', class: 'link' },
      say('checkout_remove'),
      h('span', { class: 'unseen' }, `: ${name}`),
    );
    remove.addEventListener('click', () => this.remove(item, name));
    const amount = found?.onePerSupporter
      ? h('p', { class: 'small' }, say('checkout_single'))
      : this.amountField(item, i, name, found, total);
    return h(
      'div',
      { class: 'chosen', 'data-field': `items[${i}]`, 'data-at': i },
      h('p', { class: 'what' }, name),
      total,
      amount,
      remove,
    );
  }

  /** Returns the input for a line's quantity or amount. */
  private amountField(
    item: CartItem,
    i: number,
    name: string,
    found: Offer | undefined,
    total: HTMLElement,
  ): HTMLElement {
    const kind = item.amount === undefined ? 'quantity' : 'amount';
    const bounds =
      kind === 'quantity' ? { min: 1, max: maxQuantity } : { min: found?.minAmount ?? 1, max: found?.maxAmount };
    const input = h('input', {
      type: 'number',
      inputmode: 'numeric',
      required: true,
      ...bounds,
      step: 1,
      value: item.amount ?? item.quantity ?? 1,
      name: `items[${i}].${kind}`,
    });
    input.addEventListener('input', () => {
      const now = Math.max(1, Math.floor(Number(input.value)) || 1); // the event also reaches the form, which requests a new quote
      this.updateItem(item, { [kind]: now });
      total.textContent = lineTotal(found, { ...item, [kind]: now });
      this.validate();
    });
    const each =
      kind === 'quantity' && found?.price !== undefined
        ? h('span', { class: 'hint' }, say('checkout_each', { price: price(found.price) }))
        : null;
    return h('label', {}, say(`checkout_${kind}`), h('span', { class: 'unseen' }, `: ${name}`), each, input);
  }

  private updateItem(item: CartItem, change: Partial<CartItem>): void {
    writeCart(readCart().map((other) => (other.id === item.id ? { ...other, ...change } : other)));
  }

  private remove(item: CartItem, name: string): void {
    writeCart(readCart().filter((other) => other.id !== item.id));
    announce(say('checkout_removed', { name }));
    this.render();
    focusIn(this.element);
    this.changed();
  }
}

function lineTotal(found: Offer | undefined, item: CartItem): string {
  if (item.amount !== undefined) return money(item.amount * 100);
  return found?.price === undefined ? '' : money(found.price * (item.quantity ?? 1));
}
