// How quickly the dashboard answers on a mid-range phone while a campaign has very many
// supporters: from each key and tap to the next paint, and the first screen. Prints figures.
import { chromium } from 'playwright-core';
import { phone } from './act.mjs';
import { go, open } from './desk.mjs';

const slower = 4; // than this machine: Lighthouse's phone
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] });
const context = await browser.newContext({ ...phone, locale: 'en-US' });
context.setDefaultTimeout(60_000);
const visit = async (options) => {
  const page = await context.newPage();
  if (options.extraHTTPHeaders) await page.setExtraHTTPHeaders(options.extraHTTPHeaders);
  return page;
};
const page = await open(visit, 'en', phone);
const cdp = await context.newCDPSession(page);
await cdp.send('Emulation.setCPUThrottlingRate', { rate: slower });

/** Each interaction by its number, with its longest event. */
const watch = () => {
  window.paints = {};
  new PerformanceObserver((list) => {
    for (const e of list.getEntries()) if (e.interactionId) window.paints[e.interactionId] = Math.max(window.paints[e.interactionId] ?? 0, e.duration);
  }).observe({ type: 'event', durationThreshold: 16, buffered: true });
};
await page.evaluate(watch);

const figures = [];
const share = (all, part) => all.toSorted((a, b) => a - b)[Math.min(all.length - 1, Math.floor(all.length * part))] ?? 0;

/** What somebody does, and how long the page took to paint after each of its so many keys and taps. Those below 16 ms are not told apart. */
async function measure(what, times, act) {
  const before = await page.evaluate(() => Object.keys(window.paints));
  await act();
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 100))));
  const paints = Object.entries(await page.evaluate(() => window.paints)).filter(([id]) => !before.includes(id)).map(([, ms]) => ms);
  while (paints.length < times) paints.push(16);
  figures.push(...paints);
  console.log(`${what}: ${paints.length} interactions, median ${share(paints, 0.5)} ms, p95 ${share(paints, 0.95)} ms, most ${Math.max(...paints)} ms`);
}

const still = () => page.waitForFunction(() => document.querySelector('.screen h1') && !document.querySelector('.screen [aria-busy=true]'));

for (const tab of ['campaigns', 'analytics', 'reports', 'supporters', 'marketing', 'settings', 'home']) {
  await measure(`opening ${tab}`, 1, async () => {
    await page.locator(`nav.tabs a[href="#/${tab}"]`).tap();
    await page.locator(`.screen-${tab} h1`).first().waitFor();
    await still();
  });
}
await go(page, 'supporters?campaign=night-ferry');
await page.getByLabel('Find').waitFor();
await still();
await measure('typing in the search', 24, async () => {
  for (const text of ['ada carter', 's99@', 'wright ben']) {
    await page.getByLabel('Find').fill('');
    await page.getByLabel('Find').pressSequentially(text, { delay: 60 });
    await page.waitForFunction(() => document.querySelector('.screen tbody tr, .screen .empty'));
  }
});
await page.getByLabel('Find').fill('');
await page.getByRole('button', { name: 'Show more' }).waitFor();
await measure('showing more', 8, async () => {
  for (let n = 0; n < 8; n++) {
    const rows = await page.locator('.rows [role=status]').innerText();
    await page.getByRole('button', { name: 'Show more' }).tap();
    await page.waitForFunction((was) => document.querySelector('.rows [role=status]').innerText !== was, rows);
  }
});
await measure('sorting', 6, async () => {
  for (const column of ['Email', 'Name', 'Email', 'Name', 'Email', 'Name']) await page.locator('th button', { hasText: column }).first().tap();
});
await go(page, 'campaigns/night-ferry');
await page.locator('nav.subtabs').waitFor();
await still();
for (const part of await page.locator('nav.subtabs a').evaluateAll((all) => all.map((a) => a.getAttribute('href')))) {
  await measure(`opening ${part.split('/')[3] ?? 'overview'}`, 1, async () => {
    await page.locator(`nav.subtabs a[href="${part}"]`).tap();
    await page.locator(`nav.subtabs a[href="${part}"][aria-current=page]`).waitFor();
    await still();
  });
}
console.log(`all ${figures.length} interactions: median ${share(figures, 0.5)} ms, p95 ${share(figures, 0.95)} ms, most ${Math.max(...figures)} ms`);

const firsts = [];
for (let n = 0; n < 5; n++) {
  await go(page, 'home');
  await page.reload();
  await still();
  firsts.push(await page.evaluate(() => new Promise((done) => new PerformanceObserver((list) => done(list.getEntries().at(-1).startTime)).observe({ type: 'largest-contentful-paint', buffered: true }))));
}
console.log(`first screen, the median of five: largest paint after ${Math.round(share(firsts, 0.5))} ms`);
await browser.close();
