// The details that a supporter checks before saving a card: email, address, delivery, and the next
// steps with their dates.
import { addressLine } from './address.ts';
import type { Schema } from './api.ts';
import { h } from './dom.ts';
import type { Catalogue } from './offers.ts';
import { dayOf, money, say } from './words.ts';

type Started = Schema['Started'];

/** Returns the email, address and delivery of a checkout, each with a button that calls `change`. */
export function checkedDetails(s: Started, change: () => void): HTMLElement {
  const row = (name: string, value: string): HTMLElement[] => {
    const button = h(
      'button',
      { type: 'button', class: 'link' },
      say('confirm_change'),
      h('span', { class: 'unseen' }, `: ${name}`),
    );
    button.addEventListener('click', change);
    return [h('dt', {}, name), h('dd', {}, h('span', {}, value), button)];
  };
  const delivery = s.shippingAddress ? say(`option_${s.shippingOption || 'standard'}`) : '';
  return h(
    'dl',
    { class: 'details' },
    ...row(say('checkout_email'), s.email),
    ...(s.shippingAddress ? row(say('confirm_ships_to'), addressLine(s.shippingAddress)) : []),
    ...(delivery ? row(say('option'), delivery) : []),
  );
}

/** Returns the list of what happens today and after each campaign's deadline. */
export function timeline(s: Started, all: Catalogue | null): HTMLElement {
  const parts = s.campaigns
    .map((c) => ({ ...c, ends: all?.campaigns.get(c.campaignSlug)?.endsAt ?? '' }))
    .sort((a, b) => (a.ends < b.ends ? -1 : 1));
  return h(
    'ol',
    { class: 'when' },
    h(
      'li',
      {},
      h('b', {}, say('when_today')),
      h('span', { class: 'small' }, say('when_today_what', { amount: money(0) })),
    ),
    ...parts.map((c) =>
      h(
        'li',
        {},
        h('b', {}, c.ends ? say('when_ends', { date: dayOf(c.ends), campaign: c.campaignTitle }) : c.campaignTitle),
        h('span', { class: 'small' }, say('when_ends_what', { amount: money(c.combined?.total ?? c.amount) })),
      ),
    ),
  );
}

/** Returns a notice that the total differs from the one that the form showed, or null if it does not. */
export function changedTotal(before: number | undefined, after: number, change: () => void): HTMLElement | null {
  if (before === undefined || before === after) return null;
  const button = h('button', { type: 'button', class: 'link' }, say('confirm_change_cart'));
  button.addEventListener('click', change);
  const id = after > before ? 'confirm_more' : 'confirm_less';
  return h(
    'div',
    { class: 'note bad', role: 'alert' },
    h('p', {}, h('strong', {}, say(id, { delta: money(Math.abs(after - before)) }))),
    h('p', {}, say('confirm_totals', { before: money(before), after: money(after) }), ' ', button),
  );
}
