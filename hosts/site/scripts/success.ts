// The card is saved. Where the processor's page led back here, the pledge is recorded
// now, if its event has not come yet.
import { post, type Schema } from './api.ts';
import { h, show } from './dom.ts';
import { notice } from './problem.ts';
import { finish } from './underway.ts';
import { say } from './words.ts';

export async function success(): Promise<void> {
  const query = new URLSearchParams(location.search);
  const orderId = query.get('orderId');
  const sessionId = query.get('session_id');
  history.replaceState(null, '', location.pathname);
  if (!orderId || !sessionId) return;
  try {
    await post<Schema['Completed']>('/checkout-intent/complete', { orderId, sessionId });
    finish();
    show(h('p', { class: 'note good', role: 'status' }, say('success_recorded')));
  } catch (error) {
    show(notice(error), h('p', {}, say('success_anyway')));
  }
}
