// The results of closed decisions. They are public, and supporters also see their own vote.
import type { Schema } from './api.ts';
import { h } from './dom.ts';
import { say } from './words.ts';

type Tally = Pick<Schema['LiveCampaign']['results'][string], 'results' | 'totalVotes'>;

/** Shows the results of all closed decisions on the page. */
export function showOutcomes(results: Schema['LiveCampaign']['results']): void {
  for (const container of document.querySelectorAll<HTMLElement>('[data-decision]')) {
    const tally = results[container.dataset.decision ?? ''];
    if (tally) showOutcome(container, tally);
  }
}

/**
 * Shows the votes for each option as a bar, and marks the option with the most votes and the
 * supporter's own (`mine`). A note is shown if several options have the most votes or none has any.
 */
export function showOutcome(container: HTMLElement, tally: Tally, mine?: string): void {
  const options = [...container.querySelectorAll<HTMLElement>('.options li')];
  const count = (li: HTMLElement): number => tally.results[li.dataset.option ?? ''] ?? 0;
  const best = Math.max(0, ...options.map(count));
  const [first, second] = options.filter((li) => count(li) === best);
  container.querySelector('[data-result]')?.remove();
  if (second ?? !best)
    container.querySelector('.options')?.before(h('p', { 'data-result': true }, say(best ? 'vote_tied' : 'vote_none')));
  for (const li of options) {
    const option = li.dataset.option ?? '';
    const marks = [li === first && !second && best && say('vote_most'), option === mine && say('vote_yours')];
    const votes = say('vote_count', { count: count(li) });
    li.replaceChildren(
      ...li.querySelectorAll('img'),
      h('p', { class: 'tally' }, h('span', {}, option), h('span', {}, votes)),
      h('progress', { max: tally.totalVotes || 1, value: count(li), 'aria-label': `${option}: ${votes}` }),
      h('p', { class: 'small' }, marks.filter(Boolean).join(' ')),
    );
    li.classList.toggle('best', li === first && !second && best > 0);
  }
}
