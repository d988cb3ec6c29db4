// The cart on the checkout page, grouped by campaign, with line totals. Problems that would make
// the checkout fail are shown at their line or prevented by the controls.
import { addOnOffers } from './addons.ts';
import { type CartItem, isPlatformItem, readCart, writeCart } from './cart.ts';
import { h } from './dom.ts';
import { focusIn } from './errors.ts';
import { type Catalogue, findOffer, type LiveData, type Offer, slugOf } from './offers.ts';
import { campaignsOf, movePlatformItems, platformCampaign } from './platform.ts';
import { platformName } from './tip.ts';
import { announce, deadline, list, money, monthOf, price, say } from './words.ts';

const maxQuantity = 10; // of an item in one pledge

/** The cart as a part of the checkout form. Calls `changed` when items are added, moved or removed. */
export class Basket {
  readonly element = h('fieldset', { class: 'basket', 'data-field': 'items' });
  private live: LiveData = { campaigns: new Map(), products: {} };
  private readonly wrong = new Map<string, string>(); // invalid input by item ID

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

  /** Reports whether all physical items in the cart can be shipped to a country. */
  reaches(country: string): boolean {
    return readCart().every((item) => {
      const found = this.all && findOffer(this.all, item);
      return !found?.physical || !found.shipsTo?.length || found.shipsTo.includes(country);
    });
  }

  /** Reports whether the quantity or amount of a line is invalid. */
  hasWrongQuantity(): boolean {
    return this.wrong.size > 0;
  }

  /** Returns the slug of the campaign whose pledge gets the platform's add-ons, or '' if there are none. */
  platformCampaign(): string {
    return platformCampaign(readCart(), this.all?.campaigns ?? new Map(), this.live.campaigns);
  }

  /** Updates stock levels and campaign progress without replacing the inputs that are being edited. */
  update(live: LiveData): void {
    const before = this.platformCampaign();
    this.live = live;
    if (this.platformCampaign() !== before) this.redraw();
    for (const input of this.element.querySelectorAll<HTMLInputElement>('input[name$=".quantity"]')) {
      const item = readCart()[Number(input.closest<HTMLElement>('.chosen')?.dataset.at)];
      if (item) input.max = String(this.most(item));
    }
    this.validate();
  }

  /** Shows the stored cart again, for example after a change in another tab. */
  redraw(): void {
    const at = document.activeElement?.getAttribute('name');
    this.wrong.clear();
    this.render();
    if (at) this.element.querySelector<HTMLElement>(`[name="${at}"]`)?.focus();
  }

  /** Returns the maximum quantity of an item in the cart: 10 or the remaining units, but at least 1. */
  private most(item: CartItem): number {
    return Math.max(1, Math.min(maxQuantity, this.left(item) ?? maxQuantity));
  }

  /** Returns the remaining units of an item, or undefined if they are unlimited or unknown. */
  private left(item: CartItem): number | undefined {
    const found = this.all ? findOffer(this.all, item) : undefined;
    const slug = slugOf(item.id);
    const now = this.live.campaigns.get(slug);
    const stock = found?.tier
      ? now?.inventory.tiers[found.tier.id]
      : (slug === '' ? this.live.products : now?.inventory.addOns)?.[found?.stockKey ?? ''];
    return stock?.remaining;
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
    const left = this.left(item);
    if (left !== undefined && left <= 0) return say(tier ? 'sold_out' : 'sold_out_addon');
    const count = this.wrong.get(item.id) ?? item.quantity ?? 1;
    if (left !== undefined && left < maxQuantity && Number(count) > left) return say('wrong_left', { count: left });
    if (item.amount === undefined && (this.wrong.has(item.id) || Number(count) > maxQuantity))
      return say('wrong_at_most', { least: 1, most: this.most(item) });
    return this.wrong.has(item.id) ? say('wrong_amount') : '';
  }

  private rewardCount(slug: string): number {
    return readCart().filter((i) => slugOf(i.id) === slug && this.all && findOffer(this.all, i)?.tier).length;
  }

  private render(): void {
    const groups = new Map<string, HTMLElement[]>();
    const anchor = this.platformCampaign();
    const items = readCart();
    items.forEach((item, i) => {
      const slug = slugOf(item.id) || anchor;
      groups.set(slug, [...(groups.get(slug) ?? []), this.row(item, i)]);
    });
    const sorted = [...groups].sort(([a], [b]) => Number(a === '') - Number(b === ''));
    this.element.replaceChildren(
      h('legend', { tabindex: -1 }, say('checkout_chosen')),
      sorted.length > 1 && !groups.has('')
        ? h('p', { class: 'small' }, say('cart_several', { count: sorted.length }))
        : '',
      ...sorted.flatMap(([slug, rows]) => [
        this.heading(slug),
        ...rows,
        slug && slug === anchor ? this.platformNote(slug) : '',
        (slug && this.all && this.addOns(slug)) || '',
      ]),
      ...[this.all && this.addOns('')].filter((e) => e !== null),
    );
    this.validate();
  }

  /** Returns the heading of a campaign's lines, with its deadline. */
  private heading(slug: string): HTMLElement | '' {
    const campaign = this.all?.campaigns.get(slug);
    const title = slug === '' ? platformName() : campaign?.title;
    if (!title) return '';
    const ends = campaign
      ? h('p', { class: 'small' }, say('checkout_deadline', { date: deadline(campaign.endsAt) }))
      : null;
    return h('div', { class: 'whose' }, h('h2', { lang: campaign?.lang }, title), ends);
  }

  /**
   * Returns a note that names the campaign whose pledge gets the platform's add-ons, with a control
   * to move them.
   */
  private platformNote(slug: string): HTMLElement {
    const title = (of: string): string => this.all?.campaigns.get(of)?.title ?? of;
    const names = readCart()
      .filter(isPlatformItem)
      .map((i) => (this.all && findOffer(this.all, i)?.name) ?? i.name);
    const others = campaignsOf(readCart()).filter((of) => of !== slug);
    return h(
      'p',
      { class: 'note small', 'data-platform': slug },
      say('addon_with', { items: list(names), count: names.length, platform: platformName(), campaign: title(slug) }),
      ...others.map((other) => {
        const move = h('button', { type: 'button', class: 'link' }, say('addon_move', { campaign: title(other) }));
        move.addEventListener('click', () => {
          movePlatformItems(other);
          announce(say('addon_moved', { campaign: title(other) }));
          this.redraw();
          this.element.querySelector<HTMLElement>('[data-platform] button')?.focus();
          this.changed();
        });
        return move;
      }),
    );
  }

  /** Returns the add-ons of a campaign, or of the platform for '', that can be added to the cart. */
  private addOns(slug: string): HTMLElement | null {
    if (!this.all || campaignsOf(readCart()).length === 0) return null;
    const stock = slug === '' ? this.live.products : this.live.campaigns.get(slug)?.inventory.addOns;
    const from = slug === '' ? platformName() : (this.all.campaigns.get(slug)?.title ?? '');
    return addOnOffers(this.all, slug, from, stock ?? {}, () => {
      this.redraw();
      this.changed();
    });
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
    const detail = isPlatformItem(item)
      ? say('cart_from', { platform: platformName() })
      : found?.delivery
        ? say('cart_delivery', { month: monthOf(found.delivery) })
        : '';
    return h(
      'div',
      { class: 'chosen', 'data-field': `items[${i}]`, 'data-at': i },
      found?.image ? h('img', { src: found.image, alt: '', width: 88, height: 66, loading: 'lazy' }) : null,
      h(
        'p',
        { class: 'what' },
        h('span', { lang: this.langOf(item) }, name),
        detail ? h('span', { class: 'hint' }, detail) : null,
      ),
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
      kind === 'quantity' ? { min: 1, max: this.most(item) } : { min: found?.minAmount ?? 1, max: found?.maxAmount };
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
      const valid = input.validity.valid && input.value !== '';
      if (valid) this.wrong.delete(item.id);
      else this.wrong.set(item.id, input.value);
      const now = Number(input.value); // the form also gets the event and requests a new quote
      if (valid) this.updateItem(item, { [kind]: now });
      total.textContent = valid ? lineTotal(found, { ...item, [kind]: now }) : '—';
      this.validate();
    });
    const each =
      kind === 'quantity' && found?.price !== undefined
        ? h('span', { class: 'hint' }, say('checkout_each', { price: price(found.price) }))
        : null;
    return h('label', {}, say(`checkout_${kind}`), h('span', { class: 'unseen' }, `: ${name}`), each, input);
  }

  /** Returns the language of an item's name, if it is a text of the campaign. */
  private langOf({ id }: CartItem): string | undefined {
    return id.endsWith('__custom-support') ? undefined : this.all?.campaigns.get(slugOf(id))?.lang;
  }

  private updateItem(item: CartItem, change: Partial<CartItem>): void {
    writeCart(readCart().map((other) => (other.id === item.id ? { ...other, ...change } : other)));
  }

  private remove(item: CartItem, name: string): void {
    writeCart(readCart().filter((other) => other.id !== item.id));
    this.wrong.delete(item.id);
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
