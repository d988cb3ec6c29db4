// The worker that runs kvtest's calls. Each test store ("world") has its own KV namespace and its
// own objects.
import { run } from './instance.mjs';
import { platform } from './platform.mjs';

export { CheckoutIntents } from './objects.mjs';

export default {
  async fetch(request, env) {
    const asked = await request.json();
    const inner = platform(env);
    const isolated = (op, json) => {
      if (op !== 'object') return inner.call(op, json);
      const input = JSON.parse(json);
      return inner.call(
        op,
        JSON.stringify({ ...input, name: `${asked.world}/${JSON.parse(input.message).class}/${input.name}` }),
      );
    };
    try {
      return Response.json({ answer: await run({ ...inner, call: isolated }, asked.op, asked) });
    } catch (e) {
      return Response.json({ failed: String(e) });
    }
  },
};
