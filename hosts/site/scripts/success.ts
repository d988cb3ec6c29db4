// The success page. After a redirect from Stripe's hosted page it records the pledge, in case the
// webhook has not arrived yet. Then it shows the pledge and the next steps.
import { get, post, root, type Schema } from './api.ts';
import { finishCheckout } from './checkoutstate.ts';
import { h, show } from './dom.ts';
import { notice } from './errors.ts';
import { finishedPledge, type Pledged, takeEmail } from './lastpledge.ts';
import { shareCard } from './sharing.ts';
import { dayOf, money, say } from './words.ts';

type Live = Schema['LiveCampaign'];

export async function success(): Promise<void> {
  const query = new URLSearchParams(location.search);
  const orderId = query.get('orderId');
  const sessionId = query.get('session_id');
  const email = takeEmail() || String((history.state as { email?: string } | null)?.email ?? '');
  history.replaceState(email ? { email } : null, '', location.pathname); // keeps the email for a reload
  let problem: HTMLElement[] = [];
  if (orderId && sessionId) {
    try {
      await post<Schema['Completed']>('/checkout-intent/complete', { orderId, sessionId });
      finishCheckout();
    } catch (error) {
      problem = [notice(error), h('p', {}, say('success_anyway'))];
    }
  }
  const made = finishedPledge();
  if (made && !problem.length) await showThanks(made, email);
  else if (problem.length) show(heading(say('card_saved')), ...problem);
  else showCold();
}

function heading(text: string): HTMLElement {
  document.title = document.title.replace(/^[^·]*/, `${text} `);
  return h('h1', {}, text);
}

/** Shows the page to visitors who have not just made a pledge. */
function showCold(): void {
  show(
    heading(say('success_cold')),
    h('p', { class: 'lead' }, say('success_cold_lead')),
    h('p', {}, h('a', { class: 'button', href: `${root}/links/` }, say('made_links'))),
  );
}

async function showThanks(made: Pledged, email: string): Promise<void> {
  const resend = h('a', { href: `${root}/links/` }, say('success_links'));
  const sent = email ? say('success_sent', { email }) : say('success_sent_plain');
  const steps = h('ol', { class: 'when' });
  const share = h('div', { class: 'shares' });
  show(
    heading(say('success_title')),
    h('p', { class: 'lead', role: 'status' }, sent),
    h('p', { class: 'small' }, resend),
    h('h2', {}, say('success_next_title')),
    steps,
    h('p', {}, say('success_next', { count: made.parts.length })),
    share,
  );
  const answers = await Promise.allSettled(made.parts.map((p) => get<Live>(`/live/${p.slug}`)));
  const parts = made.parts.map((p, i) => {
    const answer = answers[i];
    return { ...p, live: answer?.status === 'fulfilled' ? answer.value : undefined };
  });
  parts.sort((a, b) => ((a.live?.campaign.endsAt ?? '') < (b.live?.campaign.endsAt ?? '') ? -1 : 1));
  steps.replaceChildren(
    step(say('success_saved'), say('success_nothing_charged')),
    ...parts.map((p) =>
      p.live
        ? step(
            say('when_ends', { date: dayOf(p.live.campaign.endsAt), campaign: p.title }),
            say(p.live.campaign.isFunded ? 'success_reached' : 'success_missing', {
              percent: p.live.stats.percentFunded,
              amount: money(p.amount),
            }),
          )
        : step(p.title, say('when_ends_what', { amount: money(p.amount) })),
    ),
  );
  share.replaceChildren(...parts.map((p) => shareCard(p.slug, p.title)));
}

const step = (title: string, text: string): HTMLElement =>
  h('li', {}, h('b', {}, title), h('span', { class: 'small' }, text));
