// Walks through the demo, on a desktop in English and on a phone in Spanish: the demo clock, a
// pledge, its mail and the settlement. Prints the duration of each step.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';
import { addReward, base, checkOut, newEmail, openPledge, phone, words } from './actions.mjs';

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  args: ['--no-sandbox', '--disable-gpu'],
});

async function walk(lang, options, slug, tier, address) {
  const context = await browser.newContext({
    locale: 'en-US',
    viewport: { width: 1280, height: 900 },
    bypassCSP: true,
    ...options,
  });
  context.setDefaultTimeout(30_000);
  const page = await context.newPage();
  const w = words[lang];
  let start = Date.now();
  const printLap = (what) => {
    console.log(`${lang}: ${what} in ${Date.now() - start} ms`);
    start = Date.now();
  };

  await page.goto(`${base}${w.prefix}/`);
  const clock = page.locator('#demo-bar time');
  await clock
    .filter({
      hasText:
        lang === 'es'
          ? /^2\d de noviembre de 2026 a las? \d{1,2}:\d\d \(MST\)$/
          : /^November 2\d, 2026, \d{1,2}:\d\d [AP]M MST$/,
    })
    .waitFor(); // in the page's time format
  await page.getByText(lang === 'es' ? /^Cortometraje ·/ : /^Short film ·/).waitFor();
  await page.locator(`[data-live="${slug}"] progress`).first().waitFor();
  await page.addScriptTag({ path: axe });
  const wrong = await page.evaluate(() => window.axe.run('#demo-bar').then((r) => r.violations.map((v) => v.id)));
  assert.deepEqual(wrong, [], 'the demo bar has accessibility violations');
  const width = page.viewportSize();
  await page.setViewportSize({ width: 320, height: 700 });
  assert.equal(
    await page.evaluate(() => document.documentElement.scrollWidth),
    320,
    'the demo bar is wider than a small phone',
  );
  await page.setViewportSize(width);
  printLap('the site with its clock');

  const email = newEmail();
  await addReward(page, w.prefix, slug, tier);
  await checkOut(page, w, email, { address });
  await page.waitForURL('**/pledge-success/');
  printLap('a pledge');
  await openPledge(page, email);
  printLap('the mail and its pledge link');

  await page.goto(`${base}/demo/`);
  await page.locator(`form[action="/demo/settle/${slug}"] button`).click();
  return { page, printLap };
}

/** Moves the clock with the buttons of the demo's page. The operator stays signed in, and no false alarm is shown. */
async function moveClock() {
  const page = await (await browser.newContext({ locale: 'en-US' })).newPage();
  await page.goto(`${base}/demo/`);
  await page.getByRole('button', { name: "Open the dashboard as the demo's operator" }).click();
  await page.locator('main.content h1').first().waitFor();
  const home = page.url();
  await page.goto(`${base}/demo/`);
  const before = await page.locator('strong').first().innerText();
  await page.getByLabel('Move the clock ahead by').selectOption('12 hours');
  await page.getByRole('button', { name: 'Move the clock', exact: true }).click();
  await page.locator('strong').first().filter({ hasNotText: before }).waitFor();
  await page.goto(home);
  await page.getByRole('heading', { name: 'Needs attention' }).waitFor();
  await page.getByRole('heading', { name: 'Service' }).waitFor();
  await page.getByText('No backup yet').first().waitFor();
  assert.deepEqual(await page.locator('.need > li:has(.ic.bad) h3').allInnerTexts(), [], 'there is a critical task');
  assert.equal(await page.getByText(/[Ss]cheduled jobs haven|ran last/).count(), 0, 'there is a false alarm');
  console.log('the clock moves with the operator signed in');
}

await moveClock();
const desk = await walk('en', {}, 'tidepool-traders', 'the-game', true);
await desk.page.getByRole('heading', { name: 'Tidepool Traders is settled' }).waitFor();
await desk.page.goto(`${base}/`);
await desk.page.locator('#demo-bar time').filter({ hasText: 'November 22' }).waitFor();
desk.printLap('settlement by the button');

const mobile = await walk('es', phone, 'night-ferry', 'digital-premiere', false);
await mobile.page.getByText('is not funded').waitFor();
mobile.printLap('a campaign below its goal');
await browser.close();
