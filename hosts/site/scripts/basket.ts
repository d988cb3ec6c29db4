// What is in the cart, by campaigns, with the price of each line. What would be refused
// later is said here, or cannot be chosen.
import { read, write, type Chosen } from './cart.ts';
import { h } from './dom.ts';
import { offer, slugOf, type Catalogue, type Offer, type Standing } from './offers.ts';
import { focusIn } from './problem.ts';
import { announce, deadline, money, say } from './words.ts';

const most = 1000; // units of one thing in a cart

/** The cart as a part of the form. It calls changed when something was removed. */
export class Basket {
  readonly element = h('fieldset', { class: 'basket', 'data-field': 'items' });
  private live: Standing = { campaigns: new Map(), products: {} };

  constructor(private readonly all: Catalogue | null, private readonly changed: () => void) {
    this.show();
  }

  /** Whether anything is sent by post. */
  sent(): boolean {
    return read().some((item) => this.all && offer(this.all, item)?.sent);
  }

  /** Takes in what is left and how far the campaigns are. */
  stock(live: Standing): void {
    this.live = live;
    this.judge();
  }

  /** Says at each line what stands in its way, and returns the first that has something. */
  judge(): HTMLElement | undefined {
    const rows = [...this.element.querySelectorAll<HTMLElement>('.chosen')];
    const items = read();
    return rows.filter((row) => {
      const item = items[Number(row.dataset.at)];
      const text = item ? this.trouble(item) : '';
      row.querySelector(':scope > .lasting')?.remove();
      if (text) row.append(h('p', { class: 'wrong lasting' }, text));
      return text !== '';
    })[0];
  }

  private trouble(item: Chosen): string {
    if (!this.all) return '';
    const found = offer(this.all, item);
    if (!found) return say('wrong_gone');
    const { tier } = found;
    const slug = slugOf(item.id);
    if (tier && this.all.campaigns.get(slug)?.singleTierOnly && this.tiers(slug) > 1) return say('wrong_one_reward');
    const now = this.live.campaigns.get(slug);
    if (now && (tier?.requiresThreshold ?? 0) > now.stats.pledgedAmount) return say('wrong_locked', { amount: money(tier?.requiresThreshold ?? 0) });
    const stock = tier ? now?.inventory.tiers[tier.id] : (slug === '' ? this.live.products : now?.inventory.addOns)?.[found.stock ?? ''];
    const left = stock?.remaining;
    if (left !== undefined && left <= 0) return say('sold_out');
    return left !== undefined && (item.quantity ?? 1) > left ? say('wrong_left', { count: left }) : '';
  }

  private tiers(slug: string): number {
    return read().filter((i) => slugOf(i.id) === slug && this.all && offer(this.all, i)?.tier).length;
  }

  private show(): void {
    const groups = new Map<string, HTMLElement[]>();
    read().forEach((item, i) => {
      const slug = slugOf(item.id);
      groups.set(slug, [...(groups.get(slug) ?? []), this.row(item, i)]);
    });
    const sorted = [...groups].sort(([a], [b]) => Number(a === '') - Number(b === ''));
    this.element.replaceChildren(h('legend', { tabindex: -1 }, say('checkout_chosen')), ...sorted.flatMap(([slug, rows]) => [this.heading(slug), ...rows]));
    this.judge();
  }

  /** Whose the lines are, and until when they can be changed. */
  private heading(slug: string): HTMLElement | '' {
    const campaign = this.all?.campaigns.get(slug);
    const title = slug === '' ? document.querySelector('.brand')?.textContent?.trim() : campaign?.title;
    if (!title) return '';
    const ends = campaign && this.all ? h('p', { class: 'small' }, say('checkout_deadline', { date: deadline(campaign.endsAt) })) : null;
    return h('div', { class: 'whose' }, h('h2', {}, title), ends);
  }

  private row(item: Chosen, i: number): HTMLElement {
    const found = this.all ? offer(this.all, item) : undefined;
    if (found?.single && item.quantity !== 1) this.put(item, { quantity: 1 });
    const name = found?.name ?? item.name;
    const total = h('p', { class: 'price' }, priceOf(found, read()[i] ?? item));
    const remove = h('button', { type: 'button', class: 'link' }, say('checkout_remove'), h('span', { class: 'unseen' }, `: ${name}`));
    remove.addEventListener('click', () => this.remove(item, name));
    const amount = found?.single ? h('p', { class: 'small' }, say('checkout_single')) : this.amount(item, i, name, found, total);
    return h('div', { class: 'chosen', 'data-field': `items[${i}]`, 'data-at': i }, h('p', { class: 'what' }, name), total, amount, remove);
  }

  /** The number of units, or the amount, to be changed. */
  private amount(item: Chosen, i: number, name: string, found: Offer | undefined, total: HTMLElement): HTMLElement {
    const kind = item.amount === undefined ? 'quantity' : 'amount';
    const bounds = kind === 'quantity' ? { min: 1, max: most } : { min: found?.least ?? 1, max: found?.most };
    const input = h('input', { type: 'number', inputmode: 'numeric', required: true, ...bounds, step: 1, value: item.amount ?? item.quantity ?? 1, name: `items[${i}].${kind}` });
    input.addEventListener('input', () => {
      const now = Math.max(1, Math.floor(Number(input.value)) || 1); // the form sees it too, and asks for a quote
      this.put(item, { [kind]: now });
      total.textContent = priceOf(found, { ...item, [kind]: now });
      this.judge();
    });
    const each = kind === 'quantity' && found?.price !== undefined ? h('span', { class: 'hint' }, say('checkout_each', { price: money(found.price) })) : null;
    return h('label', {}, say(`checkout_${kind}`), h('span', { class: 'unseen' }, `: ${name}`), each, input);
  }

  private put(item: Chosen, change: Partial<Chosen>): void {
    write(read().map((other) => (other.id === item.id ? { ...other, ...change } : other)));
  }

  private remove(item: Chosen, name: string): void {
    write(read().filter((other) => other.id !== item.id));
    announce(say('checkout_removed', { name }));
    this.show();
    focusIn(this.element);
    this.changed();
  }
}

function priceOf(found: Offer | undefined, item: Chosen): string {
  if (item.amount !== undefined) return money(item.amount * 100);
  return found?.price === undefined ? '' : money(found.price * (item.quantity ?? 1));
}
