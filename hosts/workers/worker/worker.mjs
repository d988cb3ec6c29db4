// The worker's entry point: passes requests and cron triggers to the program.
import { run } from './instance.mjs';
import { fromText, platform } from './platform.mjs';

export { Broadcasts, CheckoutIntents, SettlementCoordinator, TierInventoryCoordinator } from './objects.mjs';

const FRESH = 1000; // milliseconds for which a public response is cached
const KEPT = 500; // maximum number of cached responses

// Headers of responses that the worker creates itself, the same as those of the program.
const OWN = {
  'Content-Type': ['application/json; charset=utf-8'],
  'Cache-Control': ['private, no-store'],
  'X-Content-Type-Options': ['nosniff'],
  'X-Frame-Options': ['DENY'],
  'X-Xss-Protection': ['1; mode=block'],
  'Referrer-Policy': ['strict-origin-when-cross-origin'],
  'Cross-Origin-Resource-Policy': ['same-origin'],
};
const STRICT = { 'Strict-Transport-Security': ['max-age=31536000'] }; // in live mode

const shared = new Map(); // path → { until, answer }

export default {
  async fetch(request, env) {
    const url = new URL(request.url);
    const open = request.method === 'GET' && !url.search;
    const known = open && shared.get(url.pathname);
    if (known && known.until > Date.now()) return respond(known.answer);
    const id = crypto.randomUUID();
    try {
      const answer = await ask(request, url, env, id);
      if (open && answer.shared) keep(url.pathname, answer);
      if (answer.status === 404 && isVisit(request) && env.ASSETS) return await missingPage(url, env, id);
      return respond(request.method === 'HEAD' ? { ...answer, body: { text: '' } } : answer, id);
    } catch (e) {
      console.error(JSON.stringify({ level: 'ERROR', msg: 'request failed', request: id, error: String(e) }));
      return respond(
        {
          status: 503,
          header: env.APP_MODE === 'test' ? OWN : { ...OWN, ...STRICT },
          body: { text: '{"error":"The service is not available","code":"unavailable"}' },
        },
        id,
      );
    }
  },

  async scheduled(event, env) {
    await run(platform(env), event.cron === '0 * * * *' ? 'hourly' : 'minutely', null);
  },
};

async function ask(request, url, env, id) {
  return run(platform(env, request.body), 'request', {
    id,
    method: request.method,
    path: decode(url.pathname),
    query: url.search.slice(1),
    header: Object.fromEntries(request.headers),
    length: Number(request.headers.get('Content-Length')) || 0,
    clientIP: request.headers.get('CF-Connecting-IP') ?? '',
  });
}

// isVisit reports whether a request comes from a browser that shows the response as a page.
const isVisit = ({ method, headers }) => method === 'GET' && headers.get('Accept')?.includes('text/html');

// missingPage returns the site's not-found page in the language of the path.
async function missingPage(url, env, id) {
  const [, language] = url.pathname.split('/');
  let page = await env.ASSETS.fetch(new URL(`/${language}/404`, url));
  if (!page.ok) page = await env.ASSETS.fetch(new URL('/404', url));
  const headers = new Headers(page.headers);
  headers.set('X-Request-Id', id);
  return new Response(page.body, { status: 404, headers });
}

function decode(path) {
  try {
    return decodeURIComponent(path);
  } catch {
    return path; // malformed percent-encoding
  }
}

function keep(path, answer) {
  if (shared.size >= KEPT) shared.clear();
  shared.set(path, { until: Date.now() + FRESH, answer });
}

function respond(answer, id) {
  if (!answer.headers) {
    answer.headers = Object.entries(answer.header).flatMap(([name, values]) => values.map((value) => [name, value]));
    answer.bytes = answer.status === 204 || answer.status === 304 ? null : fromText(answer.body);
  }
  const headers = new Headers(answer.headers);
  if (id) headers.set('X-Request-Id', id);
  return new Response(answer.bytes, { status: answer.status, headers });
}
