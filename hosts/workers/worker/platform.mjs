// The platform operations that the program calls by name, with JSON input and output. Messages
// between parts of the program are passed through as strings, because they may contain numbers that
// JavaScript cannot represent.

import siteFile from './site.yml';

const BULK = 100; // maximum keys per bulk read of KV

const KEPT = 16 << 20; // bytes of immutable responses that an isolate keeps

// Immutable responses by URL, in the order in which they were received.
const kept = new Map();
let keptSize = 0;

function remember(url, answer) {
  const size = answer.body.text.length;
  if (kept.has(url) || size > KEPT / 4) return;
  kept.set(url, answer);
  keptSize += size;
  for (const [oldest, { body }] of kept) {
    if (keptSize <= KEPT) break;
    kept.delete(oldest);
    keptSize -= body.text.length;
  }
}

// joined returns the concatenation of chunks.
const joined = async (chunks) => new Uint8Array(await new Blob(chunks).arrayBuffer());

// readUpTo reads a stream, at most limit bytes.
async function readUpTo(stream, limit) {
  const chunks = [];
  let size = 0;
  for await (const chunk of stream ?? []) {
    chunks.push(chunk.subarray(0, limit - size));
    size += chunk.length;
    if (size >= limit) break;
  }
  return joined(chunks);
}

// toText encodes bytes as { text, base64 }: as text if they are valid UTF-8, otherwise as base64.
export function toText(bytes) {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    let binary = '';
    for (let at = 0; at < bytes.length; at += STEP) binary += String.fromCharCode(...bytes.subarray(at, at + STEP));
    return { text: btoa(binary), base64: true };
  }
}

const STEP = 1 << 15; // arguments of one call

// fromText returns the bytes that toText or the program encoded.
export const fromText = ({ text, base64 }) => (base64 ? bytesOf(text) : new TextEncoder().encode(text));

const bytesOf = (base64) => Uint8Array.from(atob(base64 ?? ''), (c) => c.charCodeAt(0));

// derToRaw converts an ECDSA signature from DER, as passkeys produce it, to the two 32-byte numbers
// that Web Crypto expects.
function derToRaw(der) {
  const out = new Uint8Array(64);
  let at = 2; // after the sequence header; a length below 128 takes one byte
  for (const end of [32, 64]) {
    const number = der.subarray(at + 2, at + 2 + der[at + 1]);
    const digits = number.subarray(number.findIndex((b) => b !== 0)); // DER adds a leading zero if the high bit is set
    out.set(digits, end - digits.length);
    at += 2 + number.length;
  }
  if (at !== der.length) throw new Error('not a signature');
  return out;
}

const operations = {
  'kv.get': async (env, { binding, key }) => {
    const { value, metadata } = await env[binding].getWithMetadata(key, 'text');
    return { found: value !== null, value, meta: metadata };
  },

  'kv.list': async (env, { binding, prefix, cursor, limit, values }) => {
    const page = await env[binding].list({ prefix: prefix || undefined, limit, cursor: cursor || undefined });
    const records = page.keys.map(({ name, metadata }) => ({ key: name, meta: metadata ?? null }));
    const next = page.list_complete ? '' : page.cursor;
    if (!values) return { records, next };
    const whole = [];
    for (let i = 0; i < records.length; i += BULK) {
      const some = records.slice(i, i + BULK);
      const found = await env[binding].getWithMetadata(
        some.map((r) => r.key),
        'text',
      );
      for (const { key } of some) {
        const { value = null, metadata = null } = found.get(key) ?? {};
        if (value !== null) whole.push({ key, value, meta: metadata }); // deleted since the listing
      }
    }
    return { records: whole, next };
  },

  // Sequential, so that a failure leaves a prefix of the writes applied.
  'kv.apply': async (env, { binding, writes }) => {
    for (const w of writes) {
      if (w.delete) await env[binding].delete(w.key);
      else await env[binding].put(w.key, w.value, { metadata: w.meta ?? undefined, expirationTtl: w.ttl || undefined });
    }
    return null;
  },

  // Commands have an ID, so they can be retried if the object was moved.
  object: async (env, { binding, name, message }) => {
    for (let attempt = 1; ; attempt++) {
      try {
        const stub = env[binding].get(env[binding].idFromName(name));
        return await stub.do(message);
      } catch (e) {
        if (!e.retryable || attempt === 3) throw e;
      }
    }
  },

  step: async (env, { name, op, input }) => {
    await env.STEPS.get(env.STEPS.idFromName(name)).next(op, input);
    return null;
  },

  fetch: async (env, { binding, method, url, header, body, timeout, maxBody, keep }) => {
    const before = keep && kept.get(url);
    if (before) return before;
    const service = binding ? env[binding] : globalThis;
    const res = await service.fetch(url, {
      method,
      headers: header ?? {},
      body: method === 'GET' ? undefined : fromText(body),
      redirect: 'manual', // credentials must only be sent to their own service
      signal: timeout ? AbortSignal.timeout(timeout) : undefined,
    });
    const answer = {
      status: res.status,
      header: Object.fromEntries(res.headers),
      body: toText(await readUpTo(res.body, maxBody || Infinity)),
    };
    if (keep && res.status === 200) remember(url, answer);
    return answer;
  },

  // The next part of the current request's body.
  body: async (_env, { limit }, request) => {
    if (!request?.body) return { bytes: toText(new Uint8Array()), done: true };
    request.reader ??= request.body.getReader();
    const chunks = [];
    let [size, done] = [0, false];
    while (!done && size < limit) {
      const part = await request.reader.read();
      done = part.done;
      if (part.value) {
        chunks.push(part.value);
        size += part.value.length;
      }
    }
    return { bytes: toText(await joined(chunks)), done };
  },

  verify: async (_env, { algorithm, key, signed, signature }) => {
    try {
      const [spki, data, proof] = [key, signed, signature].map(bytesOf);
      const how =
        algorithm === -7
          ? { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
          : { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
      const imported = await crypto.subtle.importKey('spki', spki, how, false, ['verify']);
      return await crypto.subtle.verify(how, imported, algorithm === -7 ? derToRaw(proof) : proof, data);
    } catch {
      return false; // malformed keys and signatures are invalid
    }
  },

  present: async (env) => Object.keys(env).filter((name) => typeof env[name] === 'object'),
};

// platform returns the object that the program receives with each operation. body is the request's
// body, if there is one.
export function platform(env, body) {
  const request = { body };
  return {
    siteFile,
    call: async (op, input) => {
      const out = await operations[op](env, JSON.parse(input), request);
      return typeof out === 'string' ? out : JSON.stringify(out);
    },
    env: (name) => env[name],
    log: (line) => console.log(line.trimEnd()),
  };
}
