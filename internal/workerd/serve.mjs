// Runs a folder of modules on workerd until its standard input is closed. The first input line is
// the options as JSON. Each further line is a command: a cron expression triggers scheduled work,
// and "keys BINDING PREFIX" reads the values of the keys with a prefix. Output lines of this
// script start with @: first the worker's URL, then the result of each command.
import { readdirSync, readFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import undici from 'undici';

// Miniflare serializes its configuration, which includes the program, into a buffer that grows by
// 4 KiB and is copied each time: with a program of 40 MB that takes twelve seconds. Let the buffer
// grow by 16 MiB instead. Miniflare has no option for it.
const compile = Module.prototype._compile;
Module.prototype._compile = function (source, ...rest) {
  return compile.call(
    this,
    source.replace('MIN_SINGLE_SEGMENT_GROWTH = 4096', 'MIN_SINGLE_SEGMENT_GROWTH = 1 << 24'),
    ...rest,
  );
};
const { Miniflare } = createRequire(import.meta.url)('miniflare');

// Disable connection reuse in Miniflare's own connection pool, for the reason given at Transport
// in workerd.go. Miniflare has no option for it.
undici.Pool = class extends undici.Pool {
  constructor(origin, options) {
    super(origin, { ...options, pipelining: 0 });
  }
};

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const o = JSON.parse((await lines.next()).value);
const kinds = { '.mjs': 'ESModule', '.js': 'ESModule', wasm: 'CompiledWasm', '.yml': 'Text' };
const names = readdirSync(o.folder);
const modulesOf = (entry) =>
  [entry, ...names.filter((n) => n !== entry)].map((name) => ({
    type: kinds[name.slice(-4)] ?? kinds[name.slice(-3)],
    path: join(o.folder, name),
    contents: readFileSync(join(o.folder, name)),
  }));
// The site's files, by the implementation that wrangler dev uses, which is Cloudflare's own.
const assetsOf = (first) =>
  o.assets
    ? {
        directory: o.assets.directory,
        binding: o.assets.binding,
        routerConfig: { has_user_worker: true, invoke_user_worker_ahead_of_assets: first },
        assetConfig: { html_handling: o.assets.html_handling, not_found_handling: o.assets.not_found_handling },
      }
    : undefined;
const objectsOf = (objects, scriptName) =>
  Object.fromEntries(
    Object.entries(objects).map(([binding, className]) => [binding, { className, scriptName, useSQLite: true }]),
  );
const common = {
  modulesRoot: o.folder,
  compatibilityDate: '2026-04-01',
  bindings: o.variables ?? {},
  kvNamespaces: o.namespaces,
};
const workers = [
  {
    ...common,
    name: 'front',
    modules: modulesOf(o.entry),
    assets: assetsOf(false),
    durableObjects: objectsOf(o.objects, o.background ? 'background' : undefined),
    serviceBindings: o.background ? { BACKGROUND: 'background' } : {},
  },
];
if (o.background) {
  workers.push({
    ...common,
    name: 'background',
    modules: modulesOf(o.background.entry),
    assets: assetsOf(true),
    durableObjects: objectsOf({ ...o.objects, ...o.background.objects }),
  });
}
const mf = new Miniflare({
  host: '127.0.0.1',
  port: o.port,
  cf: false,
  verbose: false,
  workers,
  kvPersist: join(o.data, 'kv'),
  durableObjectsPersist: join(o.data, 'objects'),
});
console.log(`@${await mf.ready}`);
for await (const line of lines) {
  try {
    if (line.startsWith('keys ')) {
      const [, binding, prefix] = line.split(' ');
      const kv = await mf.getKVNamespace(binding);
      const { keys } = await kv.list({ prefix });
      console.log(`@${JSON.stringify(await Promise.all(keys.map(({ name }) => kv.get(name, 'text'))))}`);
      continue;
    }
    const { outcome } = await (await mf.getWorker(workers.at(-1).name)).scheduled({ cron: line });
    console.log(`@${outcome}`);
  } catch (e) {
    console.log(`@${e}`);
  }
}
await mf.dispose();
