// The page for a supporter who returns to a finished checkout, for example in a second tab or with the
// back button.
import { root } from './api.ts';
import { h, removeIntroduction, show } from './dom.ts';
import type { Pledged } from './lastpledge.ts';
import { list, money, say, visitorClock } from './words.ts';

export function showAlreadyMade(made: Pledged): void {
  removeIntroduction();
  const heading = h('h2', { tabindex: -1 }, say('made_title'));
  show(
    heading,
    h(
      'p',
      {},
      say('made_lead', {
        count: made.parts.length,
        campaigns: list(made.parts.map((p) => `${p.title} (${money(p.amount)})`)),
        time: visitorClock(made.at),
      }),
    ),
    h(
      'p',
      { class: 'row' },
      h('a', { class: 'button', href: `${root}/links/` }, say('made_links')),
      h('a', { class: 'button quiet', href: `${root}/` }, say('made_home')),
    ),
  );
  heading.focus();
}
