// A newcomer's walk through the demo, on a desk in English and on a phone in Spanish: the
// clock on the site, a pledge, its mail, settlement by a button. Prints what each took.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';
import { base, checkout, choose, open, phone, someone, words } from './act.mjs';

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] });

async function walk(lang, options, slug, tier, address) {
  const context = await browser.newContext({ locale: 'en-US', viewport: { width: 1280, height: 900 }, bypassCSP: true, ...options });
  context.setDefaultTimeout(30_000);
  const page = await context.newPage();
  const w = words[lang];
  let began = Date.now();
  const lap = (what) => {
    console.log(`${lang}: ${what} in ${Date.now() - began} ms`);
    began = Date.now();
  };

  await page.goto(`${base}${w.prefix}/`);
  const clock = page.locator('#demo-bar time');
  await clock.filter({ hasText: lang === 'es' ? /^2\d de noviembre de 2026, \d{1,2}:\d\d MST$/ : /^November 2\d, 2026, \d{1,2}:\d\d [AP]M MST$/ }).waitFor(); // as the page writes a time
  await page.getByText(lang === 'es' ? 'Cortometraje' : 'Short film').waitFor();
  await page.locator(`[data-live="${slug}"] progress`).first().waitFor();
  await page.addScriptTag({ path: axe });
  const wrong = await page.evaluate(() => window.axe.run('#demo-bar').then((r) => r.violations.map((v) => v.id)));
  assert.deepEqual(wrong, [], 'the bar is not accessible');
  const width = page.viewportSize();
  await page.setViewportSize({ width: 320, height: 700 });
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320, 'the bar is wider than a small phone');
  await page.setViewportSize(width);
  lap('the site with its clock');

  const email = someone();
  await choose(page, w.prefix, slug, tier);
  await checkout(page, w, email, { address });
  await page.waitForURL('**/pledge-success/');
  lap('a pledge');
  await open(page, email);
  lap('the mail and its pledge link');

  await page.goto(`${base}/demo/`);
  await page.locator(`form[action="/demo/settle/${slug}"] button`).click();
  return { page, lap };
}

const desk = await walk('en', {}, 'tidepool-traders', 'the-game', true);
await desk.page.getByRole('heading', { name: 'Tidepool Traders is settled' }).waitFor();
await desk.page.goto(`${base}/`);
await desk.page.locator('#demo-bar time').filter({ hasText: 'November 22' }).waitFor();
desk.lap('settlement by the button');

const hand = await walk('es', phone, 'night-ferry', 'digital-premiere', false);
await hand.page.getByText('is not funded').waitFor();
hand.lap('a campaign below its goal');
await browser.close();
