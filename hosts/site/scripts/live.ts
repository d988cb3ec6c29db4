// Numbers that change: what is pledged, what is left, and for how long.
import { get, service, type Schema } from './api.ts';
import { h } from './dom.ts';
import { mark } from './marks.ts';
import { outcomes } from './outcome.ts';
import { money, say, yours } from './words.ts';

type Live = Schema['LiveCampaign'];

export async function live(): Promise<void> {
  const places = [...document.querySelectorAll<HTMLElement>('[data-live]')];
  await Promise.all(places.map(fill));
}

async function fill(place: HTMLElement): Promise<void> {
  const shown = place.dataset.state === 'upcoming' ? place.dataset.starts : place.dataset.ends;
  if (shown && document.body.dataset.page === 'campaign') local(place, shown);
  if (place.dataset.state === 'upcoming') return;
  const path = `/live/${place.dataset.live ?? ''}`;
  if (document.body.dataset.page === 'campaign' && 'events' in document.body.dataset) {
    follow(place, path);
    return;
  }
  await once(place, path);
}

const longest = 60_000; // milliseconds until a stream is asked for again

/** Follows what changes. A stream that is refused is asked for again, each time later. */
function follow(place: HTMLElement, path: string, pause = 2_000): void {
  const events = new EventSource(`${service}${path}/events`);
  const close = (): void => events.close();
  let next = pause;
  events.addEventListener('message', (event) => {
    next = 2_000;
    apply(place, JSON.parse(event.data as string) as Live);
  });
  events.addEventListener('error', () => { // the browser itself goes on with one that broke off
    if (events.readyState !== EventSource.CLOSED) return;
    window.removeEventListener('pagehide', close);
    void once(place, path);
    window.setTimeout(() => follow(place, path, Math.min(2 * next, longest)), next);
  });
  window.addEventListener('pagehide', close);
}

async function once(place: HTMLElement, path: string): Promise<void> {
  try {
    apply(place, await get<Live>(path));
  } catch {
    // the page says what it knows without
  }
}

/** The deadline by the visitor's own clock, where that is another. */
function local(place: HTMLElement, at: string): void {
  const text = yours(at);
  if (text) place.append(h('p', { class: 'small', 'data-local': true }, text));
}

function apply(place: HTMLElement, campaign: Live): void {
  const { state, isFunded, endsAt } = campaign.campaign;
  place.dataset.state = state;
  if (state === 'ended') {
    place.dataset.outcome = isFunded ? 'funded' : 'missed';
    put(place, '[data-left]', say(`outcome_${place.dataset.outcome}`));
  } else if (state === 'live') countdown(place, Date.parse(endsAt), Date.parse(campaign.now) - Date.now());
  const { pledgedAmount, goalAmount, supporterCount } = campaign.stats;
  put(place, '[data-pledged]', say('pledged', { amount: money(pledgedAmount), goal: money(goalAmount) }));
  put(place, '[data-supporters]', say('supporters', { count: supporterCount }));
  put(place, '[data-percent]', say('percent', { percent: campaign.stats.percentFunded }));
  mark(place, campaign);
  goals(pledgedAmount);
  const bar = place.querySelector('progress');
  if (bar) {
    bar.hidden = false;
    bar.value = goalAmount ? Math.min(100, (pledgedAmount * 100) / goalAmount) : 0;
    bar.textContent = `${campaign.stats.percentFunded} %`;
  }
  tiers(campaign);
  outcomes(campaign.results);
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

/** Shows the stretch goals up to the first that is not reached. */
function goals(pledged: number): void {
  for (const goal of document.querySelectorAll<HTMLElement>('[data-goal-at]')) {
    const next = goal.nextElementSibling;
    const reached = pledged >= Number(goal.dataset.goalAt);
    if (reached && !goal.querySelector('[data-reached]')) goal.append(h('p', { class: 'small', 'data-reached': true }, say('goal_reached')));
    if (reached && next instanceof HTMLElement) next.hidden = false;
  }
  const more = document.querySelector<HTMLElement>('[data-more-goals]');
  if (more) more.hidden = !document.querySelector('[data-goal-at][hidden]');
}

const timers = new WeakMap<HTMLElement, number>();

/** Says how long is left by the service's clock, and looks again when that changes. */
function countdown(place: HTMLElement, ends: number, ahead: number): void {
  const element = place.querySelector('[data-left]');
  if (!element) return;
  const tick = (): void => {
    const left = ends - Date.now() - ahead;
    if (left <= 0) {
      element.textContent = say('ended'); // and how, with the next figures
      return;
    }
    const [id, unit] = steps.find(([, ms]) => left >= ms) ?? steps[2];
    element.textContent = say(id, { count: Math.max(1, Math.floor(left / unit)) });
    timers.set(place, window.setTimeout(tick, Math.min((left % unit) + 50, 3_600_000)));
  };
  window.clearTimeout(timers.get(place));
  tick();
}
