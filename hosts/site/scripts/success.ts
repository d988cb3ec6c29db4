// The success page. After a redirect from Stripe's hosted page it records the pledge, in case the
// webhook has not arrived yet. Then it shows the pledge and the next steps.
import { get, post, root, type Schema } from './api.ts';
import { finishCheckout } from './checkoutstate.ts';
import { h, show } from './dom.ts';
import { notice } from './errors.ts';
import { lastPledge, recordPledge } from './lastpledge.ts';
import { deadline, money, say } from './words.ts';

export async function success(): Promise<void> {
  const query = new URLSearchParams(location.search);
  const orderId = query.get('orderId');
  const sessionId = query.get('session_id');
  history.replaceState(null, '', location.pathname);
  if (orderId || lastPledge()) recordPledge();
  try {
    if (orderId && sessionId) {
      await post<Schema['Completed']>('/checkout-intent/complete', { orderId, sessionId });
      finishCheckout();
    }
    show(orderId ? h('p', { class: 'note good', role: 'status' }, say('success_recorded')) : null, await summary());
  } catch (error) {
    show(notice(error), h('p', {}, say('success_anyway')));
  }
}

async function summary(): Promise<HTMLElement> {
  const kept = lastPledge();
  const links = h('p', {}, h('a', { href: `${root}/links/` }, say('success_links')));
  if (!kept) return h('div', {}, links);
  const answers = await Promise.allSettled(kept.slugs.map((slug) => get<Schema['LiveCampaign']>(`/live/${slug}`)));
  const dates = answers.flatMap((a) =>
    a.status === 'fulfilled'
      ? [
          h(
            'li',
            {},
            say('success_date', { campaign: a.value.campaign.title, date: deadline(a.value.campaign.endsAt) }),
          ),
        ]
      : [],
  );
  return h(
    'div',
    {},
    h('p', {}, h('strong', {}, say('success_sum', { amount: money(kept.amount) }))),
    h('ul', {}, ...dates),
    h('p', {}, say('success_next')),
    links,
  );
}
