// Pages keep their layout on a phone while scripts and live figures are loaded.
import assert from 'node:assert/strict';
import { addReward, base, linkFor, makePledge, newEmail, phone } from './actions.mjs';

/** Sums the layout shifts of a page, except those that follow input. */
const observe = (page) =>
  page.addInitScript(() => {
    window.shifts = [];
    new PerformanceObserver((list) => {
      for (const e of list.getEntries())
        if (!e.hadRecentInput)
          window.shifts.push({
            by: e.value,
            what: e.sources.map((s) => s.node?.parentElement?.outerHTML?.slice(0, 120) ?? ''),
          });
    }).observe({ type: 'layout-shift', buffered: true });
  });

/** Delays live figures by half a second, until after the first paint. */
const delayFigures = (page) =>
  page.route('**/live/**', async (route) => {
    await new Promise((go) => setTimeout(go, 500));
    await route.continue();
  });

/** Asserts that the layout shifts by at most 0.02 until an element, fonts and live figures are loaded. */
async function expectSteady(page, where, element) {
  await page.locator(element).first().waitFor();
  await page.evaluate(() => document.fonts.ready);
  await page.waitForLoadState('networkidle').catch(() => {}); // a stream of figures never ends
  const shifts = await page.evaluate(
    () => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(() => go(window.shifts)))),
  );
  const sum = shifts.reduce((all, s) => all + s.by, 0);
  assert.ok(sum <= 0.02, `${where} shifts by ${sum}: ${JSON.stringify(shifts).slice(0, 900)}`);
}

const steady = (prefix) => async (visit) => {
  const page = await visit(phone);
  await observe(page);
  await delayFigures(page);
  await page.goto(`${base}${prefix}/`);
  await expectSteady(page, 'home', '[data-live="night-ferry"] [data-left] b');
  const figures = page.waitForResponse(/\/live\/night-ferry/);
  await page.goto(`${base}${prefix}/campaigns/night-ferry/`);
  await figures;
  await expectSteady(page, 'campaign', '[data-local]');
  await addReward(page, prefix, 'night-ferry', 'bluray');
  await page.goto(`${base}${prefix}/checkout/`);
  await expectSteady(page, 'checkout', '[name=email]');
  const email = newEmail();
  await makePledge(email, 'night-ferry__bluray');
  await page.goto(await linkFor(email));
  await expectSteady(page, 'pledge', '.timeline');
};

export default { 'layout, en': steady(''), 'layout, es': steady('/es') };
