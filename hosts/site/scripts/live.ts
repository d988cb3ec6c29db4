// Live campaign data: pledged amount, stock and remaining time.
import { apiBase, get, type Schema } from './api.ts';
import { showBadges } from './badges.ts';
import { h } from './dom.ts';
import { showOutcomes } from './outcome.ts';
import { localTime, price, say } from './words.ts';

type Live = Schema['LiveCampaign'];

export async function live(): Promise<void> {
  const places = [...document.querySelectorAll<HTMLElement>('[data-live]')];
  await Promise.all(places.map(startUpdates));
}

async function startUpdates(container: HTMLElement): Promise<void> {
  const shown = container.dataset.state === 'upcoming' ? container.dataset.starts : container.dataset.ends;
  if (shown && document.body.dataset.page === 'campaign') showLocalTime(container, shown);
  if (container.dataset.state === 'upcoming') return;
  const path = `/live/${container.dataset.live ?? ''}`;
  if (document.body.dataset.page === 'campaign' && 'events' in document.body.dataset) {
    subscribe(container, path);
    return;
  }
  await fetchOnce(container, path);
}

const maxPause = 60_000; // maximum milliseconds between reconnects

/** Subscribes to updates. A refused stream is retried with exponential backoff. */
function subscribe(container: HTMLElement, path: string, pause = 2_000): void {
  const events = new EventSource(`${apiBase}${path}/events`);
  const close = (): void => events.close();
  let next = pause;
  events.addEventListener('message', (event) => {
    next = 2_000;
    apply(container, JSON.parse(event.data as string) as Live);
  });
  events.addEventListener('error', () => {
    // the browser reconnects an interrupted stream by itself
    if (events.readyState !== EventSource.CLOSED) return;
    window.removeEventListener('pagehide', close);
    void fetchOnce(container, path);
    window.setTimeout(() => subscribe(container, path, Math.min(2 * next, maxPause)), next);
  });
  window.addEventListener('pagehide', close);
}

async function fetchOnce(container: HTMLElement, path: string): Promise<void> {
  try {
    apply(container, await get<Live>(path));
  } catch {
    // the page keeps its static figures
  }
}

/** Adds a date in the visitor's time zone, if it differs. */
function showLocalTime(container: HTMLElement, at: string): void {
  const text = localTime(at);
  if (text) container.append(h('p', { class: 'small', 'data-local': true }, text));
}

function apply(container: HTMLElement, campaign: Live): void {
  const { state, isFunded, endsAt } = campaign.campaign;
  container.dataset.state = state;
  if (state === 'ended') {
    container.dataset.outcome = isFunded ? 'funded' : 'missed';
    setText(container, '[data-left]', say(`outcome_${container.dataset.outcome}`));
  } else if (state === 'live') countdown(container, Date.parse(endsAt), Date.parse(campaign.now) - Date.now());
  const { pledgedAmount, goalAmount, supporterCount } = campaign.stats;
  setText(container, '[data-pledged]', say('pledged', { amount: price(pledgedAmount), goal: price(goalAmount) }));
  setText(container, '[data-supporters]', say('supporters', { count: supporterCount }));
  setText(container, '[data-percent]', say('percent', { percent: campaign.stats.percentFunded }));
  showBadges(container, campaign);
  showGoals(pledgedAmount);
  const bar = container.querySelector('progress');
  if (bar) {
    bar.hidden = false;
    bar.value = goalAmount ? Math.min(100, (pledgedAmount * 100) / goalAmount) : 0;
    bar.textContent = `${campaign.stats.percentFunded} %`;
  }
  updateTiers(campaign);
  showOutcomes(campaign.results);
}

function setText(container: ParentNode, selector: string, text: string): void {
  const element = container.querySelector(selector);
  if (element) element.textContent = text;
}

/** Disables rewards that are sold out or locked, and enables the others. */
function updateTiers(campaign: Live): void {
  for (const tier of document.querySelectorAll<HTMLElement>('[data-tier]')) {
    const button = tier.querySelector<HTMLButtonElement>('.pick button');
    const left = campaign.inventory.tiers[tier.dataset.tier ?? '']?.remaining;
    const gate = Number(tier.dataset.gate);
    const soldOut = Number(tier.dataset.limit) > 0 && left !== undefined && left <= 0;
    const locked = gate > campaign.stats.pledgedAmount;
    if (left !== undefined && Number(tier.dataset.limit) > 0) {
      setText(tier, '[data-stock]', soldOut ? say('sold_out') : say('left', { count: left }));
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

/** Shows the stretch goals up to and including the first that is not reached. */
function showGoals(pledged: number): void {
  for (const goal of document.querySelectorAll<HTMLElement>('[data-goal-at]')) {
    const next = goal.nextElementSibling;
    const reached = pledged >= Number(goal.dataset.goalAt);
    if (reached && !goal.querySelector('[data-reached]'))
      goal.append(h('p', { class: 'small', 'data-reached': true }, say('goal_reached')));
    if (reached && next instanceof HTMLElement) next.hidden = false;
  }
  const more = document.querySelector<HTMLElement>('[data-more-goals]');
  if (more) more.hidden = !document.querySelector('[data-goal-at][hidden]');
}

const timers = new WeakMap<HTMLElement, number>();

/** Shows the remaining time by the server's clock and schedules the next update. */
function countdown(container: HTMLElement, ends: number, ahead: number): void {
  const element = container.querySelector('[data-left]');
  if (!element) return;
  const tick = (): void => {
    const left = ends - Date.now() - ahead;
    if (left <= 0) {
      element.textContent = say('ended'); // the result follows with the next update
      return;
    }
    const [id, unit] = steps.find(([, ms]) => left >= ms) ?? steps[2];
    element.textContent = say(id, { count: Math.max(1, Math.floor(left / unit)) });
    timers.set(container, window.setTimeout(tick, Math.min((left % unit) + 50, 3_600_000)));
  };
  window.clearTimeout(timers.get(container));
  tick();
}
