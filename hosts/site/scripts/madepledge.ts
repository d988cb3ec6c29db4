// The page for a supporter who returns to a checkout that is already finished, through a second
// tab, the back button or the cart.
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
