// The platform as the program sees it: operations by name, JSON in and JSON out. What
// one part of the program says to another passes as a text: it may hold numbers that
// JavaScript has not.

const BULK = 100; // keys that KV reads at once

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
