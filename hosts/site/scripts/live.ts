// Live campaign data: pledged amount, stock and remaining time.
import { apiBase, get, type Schema } from './api.ts';
import { setHidden, setText, showBadges, showRewards } from './badges.ts';
import { h } from './dom.ts';
import { showOutcomes } from './outcome.ts';
import { price, say, visitorTime } from './words.ts';

type Live = Schema['LiveCampaign'];

export async function live(): Promise<void> {
  showVisitorTime();
  await Promise.all([...document.querySelectorAll<HTMLElement>('[data-live]')].map(startUpdates));
}

/** Updates the figures in a campaign's element: once or, on the campaign's page, from a stream if there is one. */
export async function startUpdates(container: HTMLElement): Promise<void> {
  if (container.dataset.state === 'upcoming') return;
  const path = `/live/${container.dataset.live ?? ''}`;
  if (document.body.dataset.page === 'campaign' && 'events' in document.body.dataset) {
    subscribe(container, path);
    return;
  }
  await fetchOnce(container, path);
}

const maxPause = 60_000; // maximum milliseconds between reconnects

/** Subscribes to updates of a campaign. A rejected stream is retried with exponential backoff. */
function subscribe(container: HTMLElement, path: string, pause = 2_000): void {
  const events = new EventSource(`${apiBase}${path}/events`);
  const close = (): void => events.close();
  let next = pause;
  events.addEventListener('message', (event) => {
    next = 2_000;
    apply(container, JSON.parse(event.data as string) as Live);
  });
  events.addEventListener('error', () => {
    setHidden(document, '[data-stale]', false); // shown until the next figures arrive
    // An interrupted stream is not closed; the browser reconnects automatically.
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
    setHidden(document, '[data-stale]', false); // shows the time of the build's figures, which are kept
  }
}

/** Shows the start or deadline of the page's campaign in the visitor's local time. */
function showVisitorTime(): void {
  const place = document.querySelector<HTMLElement>('[data-when]');
  const { state, starts, ends } = document.querySelector<HTMLElement>('[data-live]')?.dataset ?? {};
  const at = state === 'upcoming' ? starts : ends;
  if (!place || !at) return;
  const { moment, zone } = visitorTime(at);
  place.replaceChildren(
    h('b', {}, say(state === 'upcoming' ? 'launches' : 'ends', { moment })),
    h('span', { class: 'small', 'data-local': true }, say('visitor_zone', { zone })),
  );
}

function apply(container: HTMLElement, campaign: Live): void {
  const { state, isFunded, endsAt } = campaign.campaign;
  container.dataset.state = state;
  const { pledgedAmount, goalAmount, supporterCount, percentFunded } = campaign.stats;
  const onCampaign = document.body.dataset.page === 'campaign';
  if (state === 'ended') {
    container.dataset.outcome = isFunded ? 'funded' : 'missed';
    if (onCampaign)
      for (const note of ['unknown', 'missed', 'funded']) showOutcomeNote(note, container.dataset.outcome);
    setNumber(container, '[data-left]', onCampaign ? say('ended') : say(`outcome_${container.dataset.outcome}`));
  } else if (state === 'live') countdown(container, Date.parse(endsAt), Date.parse(campaign.now) - Date.now());
  setText(container, '[data-pledged]', price(pledgedAmount));
  setText(container, '[data-of]', say('pledged_of', { goal: price(goalAmount) }));
  setNumber(container, '[data-supporters]', say('supporters', { count: supporterCount }));
  setNumber(container, '[data-percent]', say(onCampaign ? 'percent_of_goal' : 'percent', { percent: percentFunded }));
  showBadges(container, campaign);
  setHidden(document, '[data-stale]', true);
  setHidden(document, '[data-promise=open]', isFunded);
  setHidden(document, '[data-promise=funded]', !isFunded);
  showGoals(pledgedAmount);
  const bar = container.querySelector('progress');
  if (bar) {
    bar.hidden = false;
    bar.value = goalAmount ? Math.min(100, (pledgedAmount * 100) / goalAmount) : 0;
  }
  showRewards(campaign);
  showOutcomes(campaign.results);
}

const showOutcomeNote = (note: string, outcome: string): void =>
  setHidden(document, `.account [data-outcome=${note}]`, note !== outcome);

/** Shows a text with its number in bold, as the page's template does. */
function setNumber(container: ParentNode, selector: string, text: string): void {
  const element = container.querySelector(selector);
  if (!element || element.textContent === text) return;
  const [, before = '', number = '', after = ''] = /^(\D*?)([\d.,]*\d(?:\s?%)?)?(\D*)$/s.exec(text) ?? [];
  element.replaceChildren(before, ...(number ? [h('b', {}, number)] : []), after);
}

const steps = [
  ['days', 86_400_000],
  ['hours', 3_600_000],
  ['minutes', 60_000],
] as const;

/** Marks the reached stretch goals, and shows the hidden ones up to the first that is not reached. */
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

/**
 * Shows the remaining time and schedules the next update. `ahead` is how many milliseconds the
 * server's clock is ahead of the browser's.
 */
function countdown(container: HTMLElement, ends: number, ahead: number): void {
  const set = (text: string): void => setNumber(container, '[data-left]', text);
  const tick = (): void => {
    const left = ends - Date.now() - ahead;
    if (left <= 0) {
      set(say('ended')); // the next update shows the result
      return;
    }
    const [id, unit] = steps.find(([, ms]) => left >= ms) ?? steps[2];
    set(say(id, { count: Math.max(1, Math.floor(left / unit)) }));
    timers.set(container, window.setTimeout(tick, Math.min((left % unit) + 50, 3_600_000)));
  };
  window.clearTimeout(timers.get(container));
  tick();
}
