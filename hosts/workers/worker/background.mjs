// The background worker: the objects, the scheduled work and its steps, and operators' requests. Only
// the front worker can send it requests.
import { run } from './instance.mjs';
import { platform } from './platform.mjs';
import { answer, attempt, CLIENT, respond } from './requests.mjs';

export { Broadcasts, CheckoutIntents, SettlementCoordinator, TierInventoryCoordinator } from './objects.mjs';
export { Steps } from './steps.mjs';

export default {
  fetch: (request, env) =>
    attempt(env, async (id) => respond(await answer(request, env, id, request.headers.get(CLIENT)), id)),

  async scheduled(event, env) {
    await run(platform(env), event.cron === '0 * * * *' ? 'hourly' : 'minutely', null);
  },
};
