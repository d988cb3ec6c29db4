// Decisions: what was asked, what one has answered, how it stands.
import { get, post, read, Refused, type Schema } from './api.ts';
import { arrived, h, once } from './dom.ts';
import { outcome, outcomes } from './outcome.ts';
import { notice } from './problem.ts';
import { takeToken } from './token.ts';
import { announce, say } from './words.ts';

type Standing = Schema['Standings']['decisions'][string];

export async function community(): Promise<void> {
  const token = takeToken();
  const slug = document.body.dataset.slug;
  if (!token) { // the page says how to come here to vote
    await get<Schema['LiveCampaign']>(`/live/${slug ?? ''}`).then((live) => outcomes(live.results), () => undefined);
    return;
  }
  try {
    const standings = await read<Schema['Standings']>('/votes', token);
    if (standings.campaignSlug !== slug) return;
    arrived();
    for (const place of document.querySelectorAll<HTMLElement>('[data-decision]')) {
      const standing = standings.decisions[place.dataset.decision ?? ''];
      if (standing) fill(token, place, standing);
    }
  } catch (error) {
    if (!(error instanceof Refused && error.status === 401)) document.querySelector('[data-app]')?.prepend(notice(error));
  }
}

function fill(token: string, place: HTMLElement, s: Standing): void {
  const id = place.dataset.decision ?? '';
  if (s.status === 'closed') {
    outcome(place, s, s.hasVoted ? s.userChoice : undefined);
    return;
  }
  const options = [...place.querySelectorAll<HTMLElement>('.options li')].map((li) => li.dataset.option ?? '');
  const button = h('button', { type: 'submit' }, say(s.hasVoted ? 'vote_change' : 'vote_cast'));
  const form = h(
    'form',
    {},
    h('fieldset', {}, h('legend', { class: 'unseen' }, place.querySelector('h2')?.textContent ?? ''),
      ...options.map((o) => h('label', {}, h('input', { type: 'radio', name: 'option', value: o, checked: o === s.userChoice, required: true }), ` ${o} `, s.hasVoted ? h('span', { class: 'small' }, say('vote_count', { count: s.results[o] ?? 0 })) : null))),
    button,
  );
  const cast = once(button, async () => {
    form.querySelector('[role=alert]')?.remove();
    const option = new FormData(form).get('option');
    if (option === null) return;
    try {
      const done = await post<Schema['Voted']>('/votes', { token, decisionId: id, option: String(option) });
      announce(say('vote_done'));
      fill(token, place, { hasVoted: true, userChoice: done.userChoice, status: 'open', results: done.results, totalVotes: done.totalVotes });
    } catch (error) {
      const barred = error instanceof Refused && error.problem.code === 'forbidden';
      form.append(barred ? h('p', { class: 'note bad', role: 'alert' }, say('vote_barred')) : notice(error));
    }
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void cast();
  });
  place.querySelector('form')?.remove();
  const list = place.querySelector<HTMLElement>('.options');
  if (list) list.hidden = true;
  place.append(form);
}
