// What both workers do with requests: pass them to the program, and turn its answers into responses.
import { run } from './instance.mjs';
import { fromText, platform } from './platform.mjs';

// CLIENT is the header with which the front worker passes on the client's address.
export const CLIENT = 'X-Client-Address';

// Headers of responses that a worker creates itself, the same as those of the program.
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

// answer passes a request to the program and returns its answer, for respond.
export async function answer(request, env, id, clientIP) {
  const url = new URL(request.url);
  const given = await run(platform(env, request.body), 'request', {
    id,
    method: request.method,
    path: decode(url.pathname),
    query: url.search.slice(1),
    header: Object.fromEntries(request.headers),
    length: Number(request.headers.get('Content-Length')) || 0,
    clientIP: clientIP ?? '',
  });
  return request.method === 'HEAD' ? { ...given, body: { text: '' } } : given;
}

function decode(path) {
  try {
    return decodeURIComponent(path);
  } catch {
    return path; // malformed percent-encoding
  }
}

// respond returns the response for an answer, which it prepares for further responses.
export function respond(given, id) {
  if (!given.headers) {
    given.headers = Object.entries(given.header).flatMap(([name, values]) => values.map((value) => [name, value]));
    given.bytes = given.status === 204 || given.status === 304 ? null : fromText(given.body);
  }
  const headers = new Headers(given.headers);
  if (id) headers.set('X-Request-Id', id);
  return new Response(given.bytes, { status: given.status, headers });
}

// attempt returns the response of a handler, or status 503 if it fails.
export async function attempt(env, handler) {
  const id = crypto.randomUUID();
  try {
    return await handler(id);
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
}
