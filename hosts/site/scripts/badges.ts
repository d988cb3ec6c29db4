// Badges of campaigns and the states of rewards: few left, sold out, locked, claimed, in the cart.
import type { Schema } from './api.ts';
import { readCart } from './cart.ts';
import { price, say } from './words.ts';

type Live = Schema['LiveCampaign'];

const day = 86_400_000;
const fewLeft = 10; // a reward with at most this many remaining units is marked as running out

/** Returns the message IDs of a campaign's badge: none, one or two. */
export function badgeOf({ campaign: { state, isFunded, endsAt }, now }: Pick<Live, 'campaign' | 'now'>): string[] {
  if (state === 'upcoming') return [];
  if (state === 'ended') return [isFunded ? 'badge_funded' : 'badge_missed'];
  const last = Date.parse(endsAt) - 1000; // the last second
  const left = last - Date.parse(now);
  const today = new Date(last).toDateString() === new Date(now).toDateString();
  const soon = today ? 'badge_last' : left < 2 * day ? 'badge_two_days' : '';
  return [isFunded ? 'badge_reached' : '', soon].filter(Boolean);
}

export function showBadges(container: HTMLElement, live: Live): void {
  const keys = badgeOf(live);
  const badge = container.querySelector<HTMLElement>('[data-badge]');
  container.toggleAttribute('data-funded', live.campaign.isFunded);
  container.toggleAttribute('data-soon', keys.includes('badge_last') || keys.includes('badge_two_days'));
  if (!badge || live.campaign.state === 'upcoming') return;
  badge.textContent = keys.map((key) => say(key)).join(' · ');
  badge.hidden = !keys.length;
}

/** Updates the stock and the buttons of the rewards on the page. */
export function showRewards(live: Live): void {
  for (const tier of document.querySelectorAll<HTMLElement>('[data-tier]')) showReward(tier, live);
}

function showReward(tier: HTMLElement, { stats, inventory }: Live): void {
  const id = tier.dataset.tier ?? '';
  const limit = Number(tier.dataset.limit);
  const gate = Number(tier.dataset.gate);
  const left = limit > 0 ? inventory.tiers[id]?.remaining : undefined;
  const soldOut = left !== undefined && left <= 0;
  const locked = gate > stats.pledgedAmount;
  tier.classList.toggle('gone', soldOut);
  tier.classList.toggle('locked', locked);
  if (left !== undefined) {
    setText(tier, '[data-stock]', soldOut ? say('sold_out') : say('left_of', { count: left, limit }));
    setText(tier, '[data-few]', say('few_left', { count: left }));
  }
  setHidden(tier, '[data-few]', locked || left === undefined || soldOut || left > fewLeft);
  setHidden(tier, '[data-locked]', !locked);
  setText(tier, '[data-distance]', locked ? say('distance', { amount: price(gate - stats.pledgedAmount) }) : '');
  const claimed = stats.tierCounts[id] ?? 0;
  setText(tier, '[data-claimed]', String(claimed));
  setHidden(tier, '[data-claimed-row]', !claimed);
  const button = tier.querySelector<HTMLButtonElement>('.pick button');
  if (!button) return;
  button.disabled = soldOut || locked;
  if (button.firstChild)
    button.firstChild.textContent = soldOut
      ? say('sold_out')
      : locked
        ? say('unlocks_at', { amount: price(gate) })
        : say('add_to_cart');
}

/** Marks the rewards that are in the cart. */
export function showChosenRewards(): void {
  const cart = readCart();
  for (const form of document.querySelectorAll<HTMLFormElement>('.tier form[data-pick]')) {
    const item = cart.find((i) => i.id === form.dataset.pick);
    const mark = form.closest('.tier')?.querySelector<HTMLElement>('[data-in-cart]');
    if (!mark) continue;
    mark.textContent = item ? say('in_cart', { count: item.quantity ?? 1 }) : '';
    mark.hidden = !item;
  }
}

export function setText(container: ParentNode, selector: string, text: string): void {
  const element = container.querySelector(selector);
  if (element && element.textContent !== text) element.textContent = text;
}

export function setHidden(container: ParentNode, selector: string, hidden: boolean): void {
  const element = container.querySelector<HTMLElement>(selector);
  if (element) element.hidden = hidden;
}
