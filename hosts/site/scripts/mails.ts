// Which mails somebody gets, and the button that stops them. Opening the page changes
// nothing: mailboxes open links by themselves.
import { post, read, Refused, type Schema } from './api.ts';
import { h, once, show } from './dom.ts';
import { notice } from './problem.ts';
import { takeToken } from './token.ts';
import { announce, say } from './words.ts';

type Subscription = Schema['Subscription'];

export async function mails(): Promise<void> {
  const token = takeToken('mails');
  if (!token) {
    show(h('p', { class: 'note' }, say('mails_no_link')));
    return;
  }
  try {
    fill(token, await read<Subscription>('/subscription', token));
  } catch (error) {
    show(error instanceof Refused && error.status === 401 ? h('p', { class: 'note bad', role: 'alert' }, say('mails_expired')) : notice(error));
  }
}

function fill(token: string, s: Subscription, lead = false): void {
  const told = h('p', { class: 'lead', tabindex: -1 }, sentence(s));
  const button = h('button', { type: 'button' }, say(s.subscribed ? 'mails_stop' : 'mails_again'));
  const change = once(button, async () => {
    try {
      fill(token, await post<Subscription>(s.subscribed ? '/unsubscribe' : '/resubscribe', { token } satisfies Schema['TokenRequest']), true);
    } catch (error) {
      button.after(notice(error));
    }
  });
  button.addEventListener('click', () => {
    button.parentElement?.querySelector('[role=alert]')?.remove();
    void change();
  });
  show(told, h('p', {}, say('mails_pledge')), h('div', {}, button));
  if (lead) {
    announce(sentence(s));
    told.focus();
  }
}

/** What comes, or no longer does. */
function sentence(s: Subscription): string {
  const campaign = s.campaignTitle ?? s.campaignSlug ?? '';
  switch (s.topic) {
    case 'update':
      return say(s.subscribed ? 'mails_update' : 'mails_no_update', { campaign });
    case 'launch':
      return say(s.subscribed ? 'mails_launch' : 'mails_no_launch', { campaign });
    case 'cart':
      if (!campaign) return say(s.subscribed ? 'mails_carts' : 'mails_no_carts');
      return say(s.subscribed ? 'mails_cart' : 'mails_no_cart', { campaign });
  }
}
