// The community page: open votes and results of decisions.
import { APIError, get, getWithToken, post, type Schema } from './api.ts';
import { h, removeIntroduction, singleFlight } from './dom.ts';
import { notice } from './errors.ts';
import { showOutcome, showOutcomes } from './outcome.ts';
import { takeToken } from './token.ts';
import { announce, say } from './words.ts';

type Decision = Schema['Standings']['decisions'][string];

export async function community(): Promise<void> {
  const token = takeToken();
  const slug = document.body.dataset.slug;
  if (!token) {
    // Without a link the visitor cannot vote. The page explains how to get one.
    await get<Schema['LiveCampaign']>(`/live/${slug ?? ''}`).then(
      (live) => showOutcomes(live.results),
      () => undefined,
    );
    return;
  }
  try {
    const standings = await getWithToken<Schema['Standings']>('/votes', token);
    if (standings.campaignSlug !== slug) return;
    removeIntroduction();
    for (const container of document.querySelectorAll<HTMLElement>('[data-decision]')) {
      const standing = standings.decisions[container.dataset.decision ?? ''];
      if (standing) showDecision(token, container, standing);
    }
  } catch (error) {
    if (!(error instanceof APIError && error.status === 401))
      document.querySelector('[data-app]')?.prepend(notice(error));
  }
}

function showDecision(token: string, container: HTMLElement, s: Decision): void {
  const id = container.dataset.decision ?? '';
  if (s.status === 'closed') {
    showOutcome(container, s, s.hasVoted ? s.userChoice : undefined);
    return;
  }
  const options = [...container.querySelectorAll<HTMLElement>('.options li')];
  const button = h('button', { type: 'submit' }, say(s.hasVoted ? 'vote_change' : 'vote_cast'));
  const form = h(
    'form',
    { novalidate: true },
    h(
      'fieldset',
      { class: 'picks' },
      h('legend', { class: 'unseen' }, container.querySelector('h2')?.textContent ?? ''),
      ...options.map((li) => {
        const o = li.dataset.option ?? '';
        return h(
          'label',
          {},
          h('input', { type: 'radio', name: 'option', value: o, checked: o === s.userChoice, required: true }),
          li.querySelector('img')?.cloneNode(),
          h('span', {}, o),
          s.hasVoted ? h('span', { class: 'small' }, say('vote_count', { count: s.results[o] ?? 0 })) : null,
        );
      }),
    ),
    button,
  );
  const cast = singleFlight(button, async () => {
    form.querySelector('[role=alert]')?.remove();
    const option = new FormData(form).get('option');
    if (option === null) {
      form.append(h('p', { class: 'wrong', role: 'alert' }, say('vote_choose')));
      form.querySelector('input')?.focus();
      return;
    }
    try {
      const done = await post<Schema['Voted']>('/votes', { token, decisionId: id, option: String(option) });
      announce(say('vote_done'));
      showDecision(token, container, {
        hasVoted: true,
        userChoice: done.userChoice,
        status: 'open',
        results: done.results,
        totalVotes: done.totalVotes,
      });
    } catch (error) {
      const barred = error instanceof APIError && error.problem.code === 'forbidden';
      form.append(barred ? h('p', { class: 'note bad', role: 'alert' }, say('vote_barred')) : notice(error));
    }
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void cast();
  });
  container.querySelector('form')?.remove();
  const list = container.querySelector<HTMLElement>('.options');
  if (list) list.hidden = true;
  container.append(form);
}
