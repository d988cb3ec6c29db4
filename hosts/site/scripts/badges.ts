// Badges on campaigns and rewards: funded, ending soon, ended, number claimed, sold out, locked.
import type { Schema } from './api.ts';
import { say } from './words.ts';

type Live = Schema['LiveCampaign'];

const soonPeriod = 24 * 3_600_000;

export function showBadges(container: HTMLElement, live: Live): void {
  const { state, isFunded, endsAt } = live.campaign;
  const soon = state === 'live' && Date.parse(endsAt) - Date.parse(live.now) < soonPeriod;
  const word = state === 'ended' && !isFunded ? 'missed' : soon ? 'last' : isFunded ? 'funded' : undefined;
  const badge = container.querySelector<HTMLElement>('[data-badge]');
  container.toggleAttribute('data-funded', isFunded);
  container.toggleAttribute('data-soon', soon);
  if (badge && word) {
    badge.textContent =
      word === 'last' && isFunded ? `${say('badge_funded')} · ${say('badge_last')}` : say(`badge_${word}`);
    badge.hidden = false;
  }
  for (const tier of document.querySelectorAll<HTMLElement>('[data-tier]')) updateTierBadge(tier, live);
}

function updateTierBadge(tier: HTMLElement, live: Live): void {
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
