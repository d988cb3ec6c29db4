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

// Beside other work a clock tells little: BUSY asks instead how long the page's thread worked
// after each key and tap, times four. That is more than the next paint waits for.
const busy = Boolean(process.env.BUSY);
if (busy) await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
else await cdp.send('Emulation.setCPUThrottlingRate', { rate: slower });

/** Each interaction by its number, with its longest event. Those below 16 ms are not told apart. */
const observe = () => {
  window.paints = {};
  new PerformanceObserver((list) => {
    for (const e of list.getEntries()) if (e.interactionId) window.paints[e.interactionId] = Math.max(window.paints[e.interactionId] ?? 0, e.duration);
  }).observe({ type: 'event', durationThreshold: 16, buffered: true });
};
await page.addInitScript(observe);
await page.evaluate(observe);
const worked = async () => (await cdp.send('Performance.getMetrics')).metrics.find((m) => m.name === 'TaskDuration').value * 1000;
const painted = () => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(() => done({ ...window.paints }), 100))));

const figures = [];
const share = (all, part) => Math.round(all.toSorted((a, b) => a - b)[Math.min(all.length - 1, Math.floor(all.length * part))] ?? 0);

/** Does one thing after the other: each a key or a tap, and what to wait for until the next. */
async function measure(what, steps) {
  const took = [];
  for (const [act, settle] of steps) {
    const before = busy ? await worked() : await painted();
    await act();
    const after = await painted();
    took.push(busy ? (await worked() - before) * slower : Math.max(16, ...Object.entries(after).filter(([id]) => !(id in before)).map(([, ms]) => ms)));
    await settle?.();
  }
  figures.push(...took);
  console.log(`${what}: ${took.length} interactions, median ${share(took, 0.5)} ms, p95 ${share(took, 0.95)} ms, most ${share(took, 1)} ms`);
}

const still = () => page.waitForFunction(() => document.querySelector('.screen h1') && !document.querySelector('.screen [aria-busy=true]'));

for (const tab of ['campaigns', 'analytics', 'reports', 'supporters', 'marketing', 'settings', 'home']) {
  await measure(`opening ${tab}`, [[() => page.locator(`nav.tabs a[href="#/${tab}"]`).tap(), async () => {
    await page.locator(`.screen-${tab} h1`).first().waitFor();
    await still();
  }]]);
}
await go(page, 'supporters?campaign=night-ferry');
const find = page.getByLabel('Find');
await find.waitFor();
await still();
const found = () => page.locator('.screen tbody tr, .screen .empty').first().waitFor();
for (const text of ['ada carter', 's99@', 'wright ben']) {
  await find.fill('');
  await found();
  await find.focus();
  await measure('typing in the search', [...text].map((key) => [() => page.keyboard.press(key === ' ' ? 'Space' : key), found]));
}
await page.goto('about:blank'); // forgets what was searched for
await go(page, 'supporters?campaign=night-ferry');
await page.waitForFunction(() => document.querySelectorAll('.screen tbody tr').length > 20);
const more = page.getByRole('button', { name: 'Show more' });
await more.waitFor();
const said = page.locator('.rows [role=status]');
const drawn = () => page.locator('.table:not([aria-busy=true])').first().waitFor();
await measure('showing more', Array.from({ length: 8 }, (_, n) => [() => more.tap(), async () => {
  await said.filter({ hasText: `${(n + 2) * 25} rows` }).waitFor();
  await drawn();
}]));
console.log(`${await said.innerText()}, ${await page.locator('.screen tbody tr').count()} of them are drawn`);
const back = page.getByRole('button', { name: 'Previous rows' });
await measure('turning back', [[() => back.tap(), drawn], [() => back.tap(), drawn]]);
const sorting = (columns) => columns.map((column) => [() => page.locator('th button').nth(column).tap(), drawn]);
await measure('sorting them', sorting([0, 1, 0, 1, 0, 1]));
await find.focus();
await measure('typing beside them', [...'june'].map((key) => [() => page.keyboard.press(key)]));
await go(page, 'reports?campaign=night-ferry');
await page.locator('.screen tbody tr').first().waitFor();
await measure('sorting a report', sorting([0, 4, 0, 4]));
await go(page, 'campaigns/night-ferry');
await page.locator('nav.subtabs').waitFor();
await still();
for (const part of await page.locator('nav.subtabs a').evaluateAll((all) => all.map((a) => a.getAttribute('href')))) {
  await measure(`opening ${part.split('/')[3] ?? 'overview'}`, [[() => page.locator(`nav.subtabs a[href="${part}"]`).tap(), async () => {
    await page.locator(`nav.subtabs a[href="${part}"][aria-current=page]`).waitFor();
    await still();
  }]]);
}
console.log(`all ${figures.length} interactions: median ${share(figures, 0.5)} ms, p95 ${share(figures, 0.95)} ms, most ${share(figures, 1)} ms`);

const firsts = [];
for (let n = 0; n < 5; n++) {
  await go(page, 'home');
  await page.reload();
  await still();
  firsts.push(await page.evaluate(() => new Promise((done) => new PerformanceObserver((list) => done(list.getEntries().at(-1).startTime)).observe({ type: 'largest-contentful-paint', buffered: true }))));
}
console.log(`first screen, the median of five: largest paint after ${Math.round(share(firsts, 0.5))} ms`);
await browser.close();
