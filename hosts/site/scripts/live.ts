// Numbers that change: what is pledged, what is left, and for how long.
import { get, service, type Schema } from './api.ts';
import { mark } from './marks.ts';
import { money, say } from './words.ts';

type Live = Schema['LiveCampaign'];

export async function live(): Promise<void> {
  const places = [...document.querySelectorAll<HTMLElement>('[data-live]')];
  await Promise.all(places.map(fill));
}

async function fill(place: HTMLElement): Promise<void> {
  const ends = place.dataset.ends;
  if (ends && place.dataset.state === 'live') countdown(place, new Date(ends).getTime() + 1000);
  if (place.dataset.state === 'upcoming') return;
  const path = `/live/${place.dataset.live ?? ''}`;
  if (document.body.dataset.page === 'campaign' && 'events' in document.body.dataset) {
    const events = new EventSource(`${service}${path}/events`);
    events.addEventListener('message', (event) => apply(place, JSON.parse(event.data as string) as Live));
    events.addEventListener('error', () => {
      if (events.readyState === EventSource.CLOSED) void once(place, path); // too many watch
    });
    window.addEventListener('pagehide', () => events.close());
    return;
  }
  await once(place, path);
}

async function once(place: HTMLElement, path: string): Promise<void> {
  try {
    apply(place, await get<Live>(path));
  } catch {
    // the page says what it knows without
  }
}

function apply(place: HTMLElement, campaign: Live): void {
  if (campaign.campaign.state === 'ended') put(place, '[data-left]', say('ended'));
  const { pledgedAmount, goalAmount, pledgeCount } = campaign.stats;
  put(place, '[data-pledged]', say('pledged', { amount: money(pledgedAmount), goal: money(goalAmount) }));
  put(place, '[data-supporters]', say('supporters', { count: pledgeCount }));
  put(place, '[data-percent]', say('percent', { percent: campaign.stats.percentFunded }));
  mark(place, campaign);
  const bar = place.querySelector('progress');
  if (bar) {
    bar.hidden = false;
    bar.value = goalAmount ? Math.min(100, (pledgedAmount * 100) / goalAmount) : 0;
    bar.textContent = `${campaign.stats.percentFunded} %`;
  }
  tiers(campaign);
}

function put(place: ParentNode, selector: string, text: string): void {
  const element = place.querySelector(selector);
  if (element) element.textContent = text;
}

/** Closes what is sold out or not open yet, and opens what is. */
function tiers(campaign: Live): void {
  for (const tier of document.querySelectorAll<HTMLElement>('[data-tier]')) {
    const button = tier.querySelector<HTMLButtonElement>('.pick button');
    const left = campaign.inventory.tiers[tier.dataset.tier ?? '']?.remaining;
    const gate = Number(tier.dataset.gate);
    const soldOut = Number(tier.dataset.limit) > 0 && left !== undefined && left <= 0;
    const locked = gate > campaign.stats.pledgedAmount;
    if (left !== undefined && Number(tier.dataset.limit) > 0) {
      put(tier, '[data-stock]', soldOut ? say('sold_out') : say('left', { count: left }));
    }
    if (!locked) tier.querySelector('[data-lock]')?.remove();
    if (button) {
      button.disabled = soldOut || locked;
      button.dataset.label ??= button.firstChild?.textContent ?? '';
      if (button.firstChild) button.firstChild.textContent = soldOut ? say('sold_out') : button.dataset.label;
    }
  }
}

const steps = [
  ['days', 86_400_000],
  ['hours', 3_600_000],
  ['minutes', 60_000],
] as const;

/** Says how long is left, and looks again when that changes. */
function countdown(place: HTMLElement, ends: number): void {
  const element = place.querySelector('[data-left]');
  if (!element) return;
  const tick = (): void => {
    const left = ends - Date.now();
    if (left <= 0) {
      element.textContent = say('ended');
      return;
    }
    const [id, unit] = steps.find(([, ms]) => left >= ms) ?? steps[2];
    element.textContent = say(id, { count: Math.max(1, Math.floor(left / unit)) });
    window.setTimeout(tick, Math.min((left % unit) + 50, 3_600_000));
  };
  tick();
}
