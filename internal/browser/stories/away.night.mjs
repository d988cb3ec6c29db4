// The API is unreachable for a minute of the page's clock. Loaded data stays visible with its age,
// input is kept, and pages recover without action by the user.
import assert from 'node:assert/strict';
import { base, callAPI, makePledge } from './actions.mjs';
import { expectUsable, openDashboard, openScreen } from './dashboard.mjs';

const texts = {
  en: {
    from: /can’t be reached\. You see figures from .+\. We try again by ourselves/,
    nothing: /can’t be reached\. We try again/,
    unsent: /What you typed is kept\. Try again/,
    email: 'Email',
    add: 'Suppress address',
  },
  es: {
    from: /No se puede conectar con el servidor\. Ves cifras de .+\. Reintentamos/,
    nothing: /No se puede conectar con el servidor\. Reintentamos/,
    unsent: /Conservamos lo que escribiste\. Inténtalo/,
    email: 'Correo',
    add: 'Excluir dirección',
  },
};

/** Opens a page with a controllable clock. */
const timed = (visit) => async (options) => {
  const page = await visit(options);
  await page.clock.install();
  return page;
};

/** Advances the page's clock second by second, so that requests can be answered in between. */
async function advance(page, seconds) {
  for (let n = 0; n < seconds; n++) await page.clock.runFor(1_000);
}

const outage = (lang) => async (visit) => {
  const w = texts[lang];
  const page = await openDashboard(timed(visit), lang);
  const waitForScreen = () =>
    page.waitForFunction(
      () => document.querySelector('main.content h1') && !document.querySelector('main.content [aria-busy=true]'),
    );
  const sums = async () => (await page.locator('main.content').innerText()).match(/\$[\d,.]+|[\d.,]+\s?US\$/g) ?? [];
  const open = new Set();
  page.on('request', (r) => open.add(r));
  for (const end of ['requestfinished', 'requestfailed']) page.on(end, (r) => open.delete(r));
  // Parts of a screen are loaded one after the other.
  const settled = async () => {
    for (let before = await sums(); ; ) {
      await new Promise((go) => setTimeout(go, 500));
      const now = await sums();
      if (!open.size && String(now) === String(before)) return now;
      before = now;
    }
  };
  const seen = {};
  const places = [
    'home',
    'campaigns/night-ferry',
    'campaigns/tidepool-traders/settlement',
    'analytics?campaign=night-ferry',
    'reports?campaign=tidepool-traders&report=pledges',
    'supporters?campaign=tidepool-traders',
  ];
  for (const place of places) {
    await openScreen(page, place, lang);
    await page
      .locator('main.content')
      .getByText(/\$\d|\d\s?US\$|\d[.,]\d\d/)
      .first()
      .waitFor();
    await waitForScreen();
    seen[place] = await settled();
  }
  await openScreen(page, 'marketing?campaign=night-ferry&part=stopped', lang);
  await page.getByLabel(w.email).first().fill(`gone.${lang}@example.com`);
  const requested = [];
  let away = true;
  await page.route(`${base}/**`, (r) => {
    if (!away) return r.fallback();
    requested.push(new URL(r.request().url()).pathname);
    return r.abort();
  });
  const add = page.getByRole('button', { name: w.add });
  await add.click();
  await page.getByText(w.unsent).waitFor();
  assert.equal(await page.getByLabel(w.email).first().inputValue(), `gone.${lang}@example.com`, 'input was lost');
  await expectUsable(page);

  for (const place of places.toReversed()) {
    // all screens are visited within a minute
    await advance(page, 10);
    await openScreen(page, place, lang);
    await page.getByText(w.from).first().waitFor();
    assert.deepEqual(await settled(), seen[place], `${place} lost its data`);
  }
  await expectUsable(page);
  requested.length = 0;
  await advance(page, 60);
  const asked = requested.filter((path) => path === '/admin/summary').length;
  assert.ok(asked >= 2 && asked <= 8, `${asked} requests in a minute`);
  await openScreen(page, 'settings/users', lang); // not loaded before
  await page.getByText(w.nothing).first().waitFor();

  away = false;
  await advance(page, 40);
  await page.locator('main.content tbody tr').first().waitFor();
  await openScreen(page, 'home', lang);
  await advance(page, 40);
  await page.getByText(w.from).waitFor({ state: 'detached' });
  assert.deepEqual(await sums(), seen.home);
};

/** A refused event stream is retried with increasing pauses, and updates resume by themselves. */
async function eventStream(visit) {
  const page = await timed(visit)();
  let refused = 0;
  await page.route('**/live/night-ferry/events', (r) => {
    if (!away) return r.fallback();
    refused++;
    return r.fulfill({ status: 503, json: { error: 'busy', code: 'unavailable' } });
  });
  let away = true;
  await page.goto(`${base}/campaigns/night-ferry/`);
  await page.locator('progress').first().waitFor();
  await advance(page, 60);
  assert.ok(refused >= 4 && refused <= 6, `${refused} stream requests in a minute`);
  const supporters = async () => (await callAPI('/live/night-ferry')).body.stats.supporterCount;
  away = false;
  await advance(page, 60);
  await makePledge('after.the.storm@example.com', 'night-ferry__digital-premiere');
  await page
    .locator('[data-supporters]')
    .first()
    .filter({ hasText: String(await supporters()) })
    .waitFor();
}

export default { 'outage, in English': outage('en'), 'outage, in Spanish': outage('es'), eventStream };
