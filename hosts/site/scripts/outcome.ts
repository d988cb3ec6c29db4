// Results of closed decisions. They are public; supporters also see their own vote.
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

/** Shows a decision's winner and the votes for each option, marking the supporter's own vote. */
export function showOutcome(container: HTMLElement, tally: Tally, mine?: string): void {
  const options = [...container.querySelectorAll<HTMLElement>('.options li')];
  const count = (li: HTMLElement): number => tally.results[li.dataset.option ?? ''] ?? 0;
  const best = Math.max(0, ...options.map(count));
  const [first, second] = options.filter((li) => count(li) === best);
  const ended = second
    ? say('vote_tied')
    : say('vote_result', { option: first?.dataset.option ?? '', count: best, total: tally.totalVotes });
  container.querySelector('[data-result]')?.remove();
  container
    .querySelector('.options')
    ?.before(h('p', { 'data-result': true }, h('strong', {}, best > 0 ? ended : say('vote_none'))));
  for (const li of options) {
    li.querySelector('.small')?.remove();
    const own = mine !== undefined && li.dataset.option === mine ? ` · ${say('vote_yours')}` : '';
    li.append(h('span', { class: 'small' }, ` · ${say('vote_count', { count: count(li) })}${own}`));
  }
}
