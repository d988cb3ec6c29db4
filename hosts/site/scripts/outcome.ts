// How decisions ended: everybody may read that, and supporters see their own choice in it.
import type { Schema } from './api.ts';
import { h } from './dom.ts';
import { say } from './words.ts';

type Tally = Pick<Schema['LiveCampaign']['results'][string], 'results' | 'totalVotes'>;

/** Shows the results of decisions that are closed, where the page has them. */
export function outcomes(results: Schema['LiveCampaign']['results']): void {
  for (const place of document.querySelectorAll<HTMLElement>('[data-decision]')) {
    const tally = results[place.dataset.decision ?? ''];
    if (tally) outcome(place, tally);
  }
}

/** Says how a decision ended, and how many chose each option. */
export function outcome(place: HTMLElement, tally: Tally, mine?: string): void {
  const options = [...place.querySelectorAll<HTMLElement>('.options li')];
  const count = (li: HTMLElement): number => tally.results[li.dataset.option ?? ''] ?? 0;
  const best = Math.max(0, ...options.map(count));
  const [first, second] = options.filter((li) => count(li) === best);
  const ended = second ? say('vote_tied') : say('vote_result', { option: first?.dataset.option ?? '', count: best, total: tally.totalVotes });
  place.querySelector('[data-result]')?.remove();
  place.querySelector('.options')?.before(h('p', { 'data-result': true }, h('strong', {}, best > 0 ? ended : say('vote_none'))));
  for (const li of options) {
    li.querySelector('.small')?.remove();
    const own = mine !== undefined && li.dataset.option === mine ? ` · ${say('vote_yours')}` : '';
    li.append(h('span', { class: 'small' }, ` · ${say('vote_count', { count: count(li) })}${own}`));
  }
}
