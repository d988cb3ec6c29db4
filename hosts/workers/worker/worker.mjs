// The front worker, which receives all requests. It answers those of supporters itself, and passes
// those of operators to the background worker, because they may need more CPU time.
import { answer, attempt, CLIENT, respond } from './requests.mjs';

const FRESH = 1000; // milliseconds for which a public response is cached
const KEPT = 500; // maximum number of cached responses

const shared = new Map(); // path → { until, answer }

export default {
  fetch(request, env) {
    const url = new URL(request.url);
    const open = request.method === 'GET' && !url.search;
    const known = open && shared.get(url.pathname);
    if (known && known.until > Date.now()) return respond(known.answer);
    return attempt(env, async (id) => {
      const response = url.pathname.startsWith('/admin/')
        ? await forward(request, env)
        : await serve(request, env, id, open && url.pathname);
      const missing = response.status === 404 && isVisit(request) && env.ASSETS;
      return missing ? missingPage(url, env, response.headers.get('X-Request-Id')) : response;
    });
  },
};

// serve answers a request, and caches the answer for the path if it is public.
async function serve(request, env, id, path) {
  const given = await answer(request, env, id, request.headers.get('CF-Connecting-IP'));
  if (path && given.shared) {
    if (shared.size >= KEPT) shared.clear();
    shared.set(path, { until: Date.now() + FRESH, answer: given });
  }
  return respond(given, id);
}

function forward(request, env) {
  const forwarded = new Request(request);
  forwarded.headers.set(CLIENT, request.headers.get('CF-Connecting-IP') ?? '');
  return env.BACKGROUND.fetch(forwarded);
}

// isVisit reports whether a request comes from a browser that shows the response as a page.
const isVisit = ({ method, headers }) => method === 'GET' && headers.get('Accept')?.includes('text/html');

// missingPage returns the site's not-found page in the language of the path.
async function missingPage(url, env, id) {
  const [, language] = url.pathname.split('/');
  let page = language && (await env.ASSETS.fetch(new URL(`/${language}/404`, url)));
  if (!page?.ok) page = await env.ASSETS.fetch(new URL('/404', url));
  const headers = new Headers(page.headers);
  headers.set('X-Request-Id', id);
  return new Response(page.body, { status: 404, headers });
}
