// The server renders the demo's bar into every page, so that it causes no layout shift. Pages stay
// compressed.
import assert from 'node:assert/strict';
import { base, phone } from './actions.mjs';

/** Collects layout shifts, starting with the first paint. */
const collectShifts = () => {
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries())
      if (!entry.hadRecentInput)
        window.shifts.push({ value: entry.value, of: entry.sources.map((s) => s.node?.id || s.node?.className || '') });
  }).observe({ type: 'layout-shift', buffered: true });
};

async function bar(visit) {
  for (const [prefix, device, text] of [
    ['', {}, 'Demo: no real money. The clock says'],
    ['/es', phone, 'Demo: sin dinero real. El reloj marca'],
  ]) {
    const page = await visit(device);
    await page.addInitScript(collectShifts);
    for (const path of ['/campaigns/night-ferry/', '/terms/']) {
      const answer = await page.goto(base + prefix + path);
      assert.equal((await answer.allHeaders())['content-encoding'], 'gzip', `${path} is not compressed`);
      const sent = await answer.text();
      assert.ok(sent.includes(text), `${path} is sent without the bar`);
      const clock = page.waitForResponse('**/demo/clock?*');
      await page.reload();
      await clock;
      await page.evaluate(() => document.fonts.ready);
      if (path.startsWith('/campaigns')) await page.locator('[data-live] progress').first().waitFor();
      const shifts = await page.evaluate(
        () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(window.shifts)))),
      );
      const sum = shifts.reduce((all, s) => all + s.value, 0);
      const moved = JSON.stringify(shifts);
      assert.ok(!shifts.some((s) => s.of.includes('top') || s.of.includes('main')), `the bar moves the page: ${moved}`);
      if (path === '/terms/') assert.ok(sum <= 0.02, `${prefix}${path} moves by ${sum}: ${moved}`);
    }
  }
}

export default { 'demo bar without layout shift': bar };
