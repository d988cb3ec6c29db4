// Measures the dashboard's response times on a mid-range phone for a campaign with many
// supporters: from each key press and tap to the next paint, and until the first screen is shown.
// Prints the results.
import { chromium } from 'playwright-core';
import { phone } from './actions.mjs';
import { openDashboard, openScreen } from './dashboard.mjs';

const slower = 4; // CPU slowdown of Lighthouse's mobile profile
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  args: ['--no-sandbox', '--disable-gpu'],
});
const context = await browser.newContext({ ...phone, locale: 'en-US' });
context.setDefaultTimeout(60_000);
const visit = async (options) => {
  const page = await context.newPage();
  if (options.extraHTTPHeaders) await page.setExtraHTTPHeaders(options.extraHTTPHeaders);
  return page;
};
const page = await openDashboard(visit, 'en', phone);
const cdp = await context.newCDPSession(page);

// On a busy machine wall-clock times mean little. With BUSY set, the script measures the CPU time
// that the page's thread spends on each interaction, multiplied by the slowdown. That
// overestimates the time to the next paint.
const busy = Boolean(process.env.BUSY);
if (busy) await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
else await cdp.send('Emulation.setCPUThrottlingRate', { rate: slower });

/** Records the longest event of each interaction by its ID. The resolution is 16 ms. */
const observe = () => {
  window.paints = {};
  new PerformanceObserver((list) => {
    for (const e of list.getEntries())
      if (e.interactionId) window.paints[e.interactionId] = Math.max(window.paints[e.interactionId] ?? 0, e.duration);
  }).observe({ type: 'event', durationThreshold: 16, buffered: true });
};
await page.addInitScript(observe);
await page.evaluate(observe);
const cpuTime = async () =>
  (await cdp.send('Performance.getMetrics')).metrics.find((m) => m.name === 'TaskDuration').value * 1000;
const paintTimes = () =>
  page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => setTimeout(() => done({ ...window.paints }), 100))),
  );

const figures = [];
const percentile = (all, part) =>
  Math.round(all.toSorted((a, b) => a - b)[Math.min(all.length - 1, Math.floor(all.length * part))] ?? 0);

/** Runs steps in order, each an interaction and an optional wait, and prints their durations. */
async function measure(what, steps) {
  const took = [];
  for (const [act, settle] of steps) {
    const before = busy ? await cpuTime() : await paintTimes();
    await act();
    const after = await paintTimes();
    took.push(
      busy
        ? ((await cpuTime()) - before) * slower
        : Math.max(
            16,
            ...Object.entries(after)
              .filter(([id]) => !(id in before))
              .map(([, ms]) => ms),
          ),
    );
    await settle?.();
  }
  figures.push(...took);
  console.log(
    `${what}: ${took.length} interactions, median ${percentile(took, 0.5)} ms, p95 ${percentile(took, 0.95)} ms, most ${percentile(took, 1)} ms`,
  );
}

const waitForScreen = () =>
  page.waitForFunction(
    () => document.querySelector('.screen h1') && !document.querySelector('.screen [aria-busy=true]'),
  );

for (const tab of ['campaigns', 'analytics', 'reports', 'supporters', 'marketing', 'settings', 'home']) {
  await measure(`opening ${tab}`, [
    [
      () => page.locator(`nav.tabs a[href="#/${tab}"]`).tap(),
      async () => {
        await page.locator(`.screen-${tab} h1`).first().waitFor();
        await waitForScreen();
      },
    ],
  ]);
}
await openScreen(page, 'supporters?campaign=night-ferry');
const find = page.getByLabel('Find');
await find.waitFor();
await waitForScreen();
const found = () => page.locator('.screen tbody tr, .screen .empty').first().waitFor();
for (const text of ['ada carter', 's99@', 'wright ben']) {
  await find.fill('');
  await found();
  await find.focus();
  await measure(
    'typing in the search',
    [...text].map((key) => [() => page.keyboard.press(key === ' ' ? 'Space' : key), found]),
  );
}
await page.goto('about:blank'); // clears the search
await openScreen(page, 'supporters?campaign=night-ferry');
await page.waitForFunction(() => document.querySelectorAll('.screen tbody tr').length > 20);
const more = page.getByRole('button', { name: 'Show more' });
await more.waitFor();
const rowStatus = page.locator('.rows [role=status]');
const drawn = () => page.locator('.table:not([aria-busy=true])').first().waitFor();
await measure(
  'showing more',
  Array.from({ length: 8 }, (_, n) => [
    () => more.tap(),
    async () => {
      await rowStatus.filter({ hasText: `${(n + 2) * 25} rows` }).waitFor();
      await drawn();
    },
  ]),
);
console.log(`${await rowStatus.innerText()}, ${await page.locator('.screen tbody tr').count()} of them rendered`);
const back = page.getByRole('button', { name: 'Previous rows' });
await measure('paging back', [
  [() => back.tap(), drawn],
  [() => back.tap(), drawn],
]);
const sorting = (columns) => columns.map((column) => [() => page.locator('th button').nth(column).tap(), drawn]);
await measure('sorting supporters', sorting([0, 1, 0, 1, 0, 1]));
await find.focus();
await measure(
  'typing with many rows',
  [...'june'].map((key) => [() => page.keyboard.press(key)]),
);
await openScreen(page, 'reports?campaign=night-ferry');
await page.locator('.screen tbody tr').first().waitFor();
await measure('sorting a report', sorting([0, 4, 0, 4]));
await openScreen(page, 'campaigns/night-ferry');
await page.locator('nav.subtabs').waitFor();
await waitForScreen();
for (const part of await page.locator('nav.subtabs a').evaluateAll((all) => all.map((a) => a.getAttribute('href')))) {
  await measure(`opening ${part.split('/')[3] ?? 'overview'}`, [
    [
      () => page.locator(`nav.subtabs a[href="${part}"]`).tap(),
      async () => {
        await page.locator(`nav.subtabs a[href="${part}"][aria-current=page]`).waitFor();
        await waitForScreen();
      },
    ],
  ]);
}
console.log(
  `all ${figures.length} interactions: median ${percentile(figures, 0.5)} ms, p95 ${percentile(figures, 0.95)} ms, maximum ${percentile(figures, 1)} ms`,
);

const firstPaints = [];
for (let n = 0; n < 5; n++) {
  await openScreen(page, 'home');
  await page.reload();
  await waitForScreen();
  firstPaints.push(
    await page.evaluate(
      () =>
        new Promise((done) =>
          new PerformanceObserver((list) => done(list.getEntries().at(-1).startTime)).observe({
            type: 'largest-contentful-paint',
            buffered: true,
          }),
        ),
    ),
  );
}
console.log(
  `first screen, median of five: largest contentful paint after ${Math.round(percentile(firstPaints, 0.5))} ms`,
);
await browser.close();
