// The subscription page, with a button that unsubscribes or resubscribes. Opening the page does not
// unsubscribe, because mail scanners open links.
import { APIError, getWithToken, post, root, type Schema } from './api.ts';
import { h, pageHeading, show, singleFlight } from './dom.ts';
import { notice } from './errors.ts';
import { takeToken } from './token.ts';
import { say } from './words.ts';

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

/**
 * Shows a question with a button to unsubscribe. If the subscription has ended or was just changed,
 * shows its state with a button for the opposite change instead.
 */
function showSubscription(token: string, s: Subscription, changed = false): void {
  const asks = s.subscribed && !changed;
  const heading = pageHeading(asks ? question(s) : say(s.subscribed ? 'mails_back' : 'mails_done'));
  const button = h(
    'button',
    { type: 'button', class: asks ? undefined : 'quiet' },
    say(s.subscribed ? 'mails_stop' : 'mails_again'),
  );
  const keep = asks && h('a', { class: 'button quiet', href: `${root}/` }, say('mails_keep'));
  const actions = h('p', { class: 'row' }, button, keep);
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
      actions.after(notice(error));
    }
  });
  button.addEventListener('click', () => {
    actions.parentElement?.querySelector('[role=alert]')?.remove();
    void change();
  });
  const state = asks ? '' : `${subscriptionText(s)} `;
  show(h('p', { class: 'lead' }, state + say('mails_pledge')), actions);
  if (changed) heading.focus();
}

/** Returns the question whether to stop the emails of a subscription. */
function question(s: Subscription): string {
  const campaign = s.campaignTitle ?? s.campaignSlug ?? '';
  return say(`unsubscribe_${s.topic}${s.topic === 'cart' && !campaign ? 's' : ''}`, { campaign });
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
