// Runs the stories whose titles contain a text, from all files with a name suffix. Prints one line of
// JSON per story, with the note that it returns. Without a text and without ALL, a story in several
// languages and sizes runs in one of these combinations, a different one from story to story.
import { readdirSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { chromium } from 'playwright-core';

const [, , suffix, only = ''] = process.argv;
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
});
const reviewed = /^\/admin\/campaign-preview\//; // reviewers authenticate with their link's token
const combination = /(, (in (English|Spanish)|en|es))?(, (on a )?(desktop|phone))?$/;
const everything = Boolean(only || process.env.ALL);
let groups = 0;

/** Returns the stories of a file that run. */
function selected(stories) {
  if (everything) return Object.entries(stories);
  const byName = new Map();
  for (const entry of Object.entries(stories)) {
    const name = entry[0].replace(combination, '');
    byName.set(name, [...(byName.get(name) ?? []), entry]);
  }
  return [...byName.values()].map((same) => (same.length > 1 ? same[groups++ % same.length] : same[0]));
}

const here = new URL('.', import.meta.url);
let failed = false;
let addresses = 0;
for (const file of readdirSync(here)
  .filter((f) => f.endsWith(suffix))
  .sort()) {
  const { default: stories } = await import(new URL(file, here));
  for (const [name, story] of selected(stories)) {
    const title = `${file.replace(suffix, '')}/${name}`;
    if (!title.includes(only)) continue;
    const line = { story: title, ok: true };
    const noise = [];
    const contexts = [];
    // Rate limits are per client address, so each story has its own. Dashboard stories set no header
    // here, because previews load fonts in sandboxed frames, where an extra header needs CORS.
    const headers = suffix.startsWith('.story') ? { 'CF-Connecting-IP': `203.0.113.${++addresses % 255}` } : {};
    const visit = async (options = {}) => {
      const context = await browser.newContext({
        viewport: { width: 1280, height: 900 },
        locale: 'en-US',
        timezoneId: 'America/Denver',
        extraHTTPHeaders: headers,
        ...options,
      });
      context.setDefaultTimeout(30_000);
      contexts.push(context);
      const page = await context.newPage();
      page.on('request', (r) => {
        const { pathname, search } = new URL(r.url());
        if (pathname.startsWith('/admin/') && !reviewed.test(pathname) && /@|%40|token|[?&](t|q)=/.test(search))
          noise.push(`${pathname} was requested with ${search}`);
        if (/@|%40|sign-in=|#/.test(r.headers().referer ?? ''))
          noise.push(`the Referer ${r.headers().referer} was sent to ${pathname}`);
      });
      page.on('pageerror', (error) => noise.push(`${page.url()}: ${error.message}`));
      page.on('console', (m) => {
        if (m.type() === 'error' && !/Failed to load resource/.test(m.text())) noise.push(`${page.url()}: ${m.text()}`);
      });
      return page;
    };
    try {
      const note = await story(visit);
      if (note) line.note = note;
      if (noise.length) throw new Error(`page errors: ${noise.join('; ')}`);
    } catch (error) {
      failed = true;
      const said = stripVTControlCharacters(String(error?.stack ?? error));
      Object.assign(line, { ok: false, error: said.slice(0, 8_000) }); // a diff may be larger than a line that Go reads
      const page = contexts.at(-1)?.pages()[0];
      const shown = await page
        ?.locator('[role=alert], .wrong, .note')
        .allTextContents()
        .catch(() => []);
      if (shown?.length) line.error += `\n${page.url()} shows: ${shown.join(' | ')}`;
      if (page && process.env.SHOTS)
        await page
          .screenshot({ path: `${process.env.SHOTS}/failed-${title.replaceAll('/', '-')}.png`, fullPage: true })
          .catch(() => {});
    }
    for (const context of contexts) await context.close();
    console.log(JSON.stringify(line));
  }
}
await browser.close();
process.exitCode = failed ? 1 : 0;
