// What one has to see at a glance: whether a campaign is funded, about to end or over,
// and which rewards are taken.
import type { Schema } from './api.ts';
import { say } from './words.ts';

type Live = Schema['LiveCampaign'];

const lastHours = 24 * 3_600_000;

export function mark(place: HTMLElement, live: Live): void {
  const { state, isFunded, endsAt } = live.campaign;
  const soon = state === 'live' && Date.parse(endsAt) - Date.parse(live.now) < lastHours;
  const word = state === 'ended' && !isFunded ? 'missed' : soon ? 'last' : isFunded ? 'funded' : undefined;
  const badge = place.querySelector<HTMLElement>('[data-badge]');
  place.toggleAttribute('data-funded', isFunded);
  place.toggleAttribute('data-soon', soon);
  if (badge && word) {
    badge.textContent = word === 'last' && isFunded ? `${say('badge_funded')} · ${say('badge_last')}` : say(`badge_${word}`);
    badge.hidden = false;
  }
  for (const tier of document.querySelectorAll<HTMLElement>('[data-tier]')) claims(tier, live);
}

function claims(tier: HTMLElement, live: Live): void {
  const id = tier.dataset.tier ?? '';
  const count = live.stats.tierCounts[id] ?? 0;
  const chip = tier.querySelector<HTMLElement>('[data-claimed]');
  if (chip && count) {
    chip.textContent = say('claimed', { count });
    chip.hidden = false;
  }
  tier.classList.toggle('gone', live.inventory.tiers[id]?.remaining === 0);
  tier.classList.toggle('locked', Number(tier.dataset.gate) > live.stats.pledgedAmount);
}
