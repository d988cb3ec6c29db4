// The subscription page, with a button that unsubscribes or resubscribes. Opening the page changes
// nothing, because mail scanners open links.
import { APIError, getWithToken, post, type Schema } from './api.ts';
import { h, show, singleFlight } from './dom.ts';
import { notice } from './errors.ts';
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
    showSubscription(token, await getWithToken<Subscription>('/subscription', token));
  } catch (error) {
    show(
      error instanceof APIError && error.status === 401
        ? h('p', { class: 'note bad', role: 'alert' }, say('mails_expired'))
        : notice(error),
    );
  }
}

function showSubscription(token: string, s: Subscription, lead = false): void {
  const statusText = h('p', { class: 'lead', tabindex: -1 }, subscriptionText(s));
  const button = h('button', { type: 'button' }, say(s.subscribed ? 'mails_stop' : 'mails_again'));
  const change = singleFlight(button, async () => {
    try {
      showSubscription(
        token,
        await post<Subscription>(s.subscribed ? '/unsubscribe' : '/resubscribe', {
          token,
        } satisfies Schema['TokenRequest']),
        true,
      );
    } catch (error) {
      button.after(notice(error));
    }
  });
  button.addEventListener('click', () => {
    button.parentElement?.querySelector('[role=alert]')?.remove();
    void change();
  });
  show(statusText, h('p', {}, say('mails_pledge')), h('div', {}, button));
  if (lead) {
    announce(subscriptionText(s));
    statusText.focus();
  }
}

/** Returns the subscription's state as a sentence. */
function subscriptionText(s: Subscription): string {
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
