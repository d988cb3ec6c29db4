// The platform as the program sees it: operations by name, JSON in and JSON out. What
// one part of the program says to another passes as a text: it may hold numbers that
// JavaScript has not.

const BULK = 100; // keys that KV reads at once

const bytesOf = (base64) => Uint8Array.from(atob(base64 ?? ""), (c) => c.charCodeAt(0));

// rawOf turns an ECDSA signature from DER, as passkeys make it, into the two numbers of 32
// bytes that Web Cryptography takes.
function rawOf(der) {
  const out = new Uint8Array(64);
  let at = 2; // behind the sequence, which is shorter than 128 bytes
  for (const end of [32, 64]) {
    const number = der.subarray(at + 2, at + 2 + der[at + 1]);
    const digits = number.subarray(number.findIndex((b) => b !== 0)); // a sign's zero may lead
    out.set(digits, end - digits.length);
    at += 2 + number.length;
  }
  if (at !== der.length) throw new Error("not a signature");
  return out;
}

const operations = {
  "kv.get": async (env, { binding, key }) => {
    const { value, metadata } = await env[binding].getWithMetadata(key, "text");
    return { found: value !== null, value, meta: metadata };
  },

  "kv.list": async (env, { binding, prefix, cursor, limit, values }) => {
    const page = await env[binding].list({ prefix: prefix || undefined, limit, cursor: cursor || undefined });
    const records = page.keys.map(({ name, metadata }) => ({ key: name, meta: metadata ?? null }));
    const next = page.list_complete ? "" : page.cursor;
    if (!values) return { records, next };
    const whole = [];
    for (let i = 0; i < records.length; i += BULK) {
      const some = records.slice(i, i + BULK);
      const found = await env[binding].getWithMetadata(some.map((r) => r.key), "text");
      for (const { key } of some) {
        const { value = null, metadata = null } = found.get(key) ?? {};
        if (value !== null) whole.push({ key, value, meta: metadata }); // one may have gone meanwhile
      }
    }
    return { records: whole, next };
  },

  // In their order, so that what has happened when one fails is a beginning of them.
  "kv.apply": async (env, { binding, writes }) => {
    for (const w of writes) {
      if (w.delete) await env[binding].delete(w.key);
      else await env[binding].put(w.key, w.value, { metadata: w.meta ?? undefined, expirationTtl: w.ttl || undefined });
    }
    return null;
  },

  // A command has an identity, so that it may be sent again when its object was moved.
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

  fetch: async (env, { method, url, header, body }) => {
    const res = await fetch(url, { method, headers: header ?? {}, body: method === "GET" ? undefined : (body ?? "") });
    return { status: res.status, header: Object.fromEntries(res.headers), body: await res.text() };
  },

  verify: async (env, { algorithm, key, signed, signature }) => {
    try {
      const [spki, data, proof] = [key, signed, signature].map(bytesOf);
      const how = algorithm === -7 ? { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } : { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
      const imported = await crypto.subtle.importKey("spki", spki, how, false, ["verify"]);
      return await crypto.subtle.verify(how, imported, algorithm === -7 ? rawOf(proof) : proof, data);
    } catch {
      return false; // what can't be read is nobody's signature
    }
  },

  present: async (env) => Object.keys(env).filter((name) => typeof env[name] === "object"),
};

// platform is what one piece of work is given.
export function platform(env) {
  return {
    call: async (op, input) => {
      const out = await operations[op](env, JSON.parse(input));
      return typeof out === "string" ? out : JSON.stringify(out);
    },
    env: (name) => env[name],
    log: (line) => console.log(line.trimEnd()),
  };
}
