// Tells the stories of some files that are named, or all, and prints a line of JSON for each.
import { readdirSync } from 'node:fs';
import { chromium } from 'playwright-core';

const [, , files, only = ''] = process.argv; // how the files' names end
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});
const reviewed = /^\/admin\/campaign-preview\//; // reviewers have nothing but their link's token
const here = new URL('.', import.meta.url);
let failed = false;
let addresses = 0;
for (const file of readdirSync(here).filter((f) => f.endsWith(files)).sort()) {
  const { default: stories } = await import(new URL(file, here));
  for (const [name, story] of Object.entries(stories)) {
    const title = `${file.replace(files, '')}/${name}`;
    if (!title.includes(only)) continue;
    const line = { story: title, ok: true };
    const noise = [];
    const contexts = [];
    // Limits count by address: no story lives off another's. Operators' pages ask for fonts
    // from frames that may not send a header of their own.
    const headers = files.startsWith('.story') ? { 'CF-Connecting-IP': `203.0.113.${++addresses % 255}` } : {};
    const visit = async (options = {}) => {
      const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: 'en-US', timezoneId: 'America/Denver', extraHTTPHeaders: headers, ...options });
      context.setDefaultTimeout(30_000);
      contexts.push(context);
      const page = await context.newPage();
      page.on('request', (r) => {
        const { pathname, search } = new URL(r.url());
        if (pathname.startsWith('/admin/') && !reviewed.test(pathname) && /@|%40|token|[?&](t|q)=/.test(search)) noise.push(`${pathname} is asked with ${search}`);
        if (/@|%40|sign-in=|#/.test(r.headers()['referer'] ?? '')) noise.push(`${r.headers()['referer']} is told to ${pathname}`);
      });
      page.on('pageerror', (error) => noise.push(`${page.url()}: ${error.message}`));
      page.on('console', (m) => {
        if (m.type() === 'error' && !/Failed to load resource/.test(m.text())) noise.push(`${page.url()}: ${m.text()}`);
      });
      return page;
    };
    try {
      await story(visit);
      if (noise.length) throw new Error(`the page complains: ${noise.join('; ')}`);
    } catch (error) {
      failed = true;
      Object.assign(line, { ok: false, error: String(error?.stack ?? error).replace(/\u001b\[\d+m/g, '') });
      const page = contexts.at(-1)?.pages()[0];
      const said = await page?.locator('[role=alert], .wrong, .note').allTextContents().catch(() => []);
      if (said?.length) line.error += `\n${page.url()} says: ${said.join(' | ')}`;
      if (page && process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/failed-${title.replaceAll('/', '-')}.png`, fullPage: true }).catch(() => {});
    }
    for (const context of contexts) await context.close();
    console.log(JSON.stringify(line));
  }
}
await browser.close();
process.exitCode = failed ? 1 : 0;
