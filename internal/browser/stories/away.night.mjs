// The service is away for a minute of the page's clock. What was seen stays with its time, what
// was typed stays too, and all comes back without anybody doing anything.
import assert from 'node:assert/strict';
import { ask, base, pledge } from './act.mjs';
import { go, looksRight, open } from './desk.mjs';

const texts = {
  en: { from: /can't be reached\. What you see is from .+\. It’s asked for again by itself/, nothing: /can't be reached\. It’s asked for again/, unsent: /What you typed stays here: try again/, email: 'Address', add: 'Stop mails to it' },
  es: { from: /No se puede conectar con el servicio\. Lo que ves es de .+\. Se vuelve a pedir solo/, nothing: /No se puede conectar con el servicio\. Se vuelve a pedir solo/, unsent: /Lo que has escrito sigue aquí: inténtalo/, email: 'Dirección', add: 'No enviarle más' },
};

/** A visit whose clock can be moved. */
const timed = (visit) => async (options) => {
  const page = await visit(options);
  await page.clock.install();
  return page;
};

/** Lets seconds go by, and what they set off be answered. */
async function pass(page, seconds) {
  for (let n = 0; n < seconds; n++) await page.clock.runFor(1_000);
}

const awayIn = (lang) => async (visit) => {
  const w = texts[lang];
  const page = await open(timed(visit), lang);
  const still = () => page.waitForFunction(() => document.querySelector('.screen h1') && !document.querySelector('.screen [aria-busy=true]'));
  const sums = async () => (await page.locator('.screen').innerText()).match(/\$[\d,]+\.\d\d/g) ?? [];
  const seen = {};
  const places = ['home', 'campaigns/night-ferry', 'campaigns/tidepool-traders/settlement', 'analytics?campaign=night-ferry', 'reports?campaign=tidepool-traders', 'supporters?campaign=tidepool-traders'];
  for (const place of places) {
    await go(page, place, lang);
    await page.locator('.screen').getByText(/\$[\d,]+\.\d\d|\d+\.\d\d/).first().waitFor();
    await still();
    seen[place] = await sums();
  }
  await go(page, 'marketing?campaign=night-ferry&part=stopped', lang);
  await page.getByLabel(w.email).first().fill(`gone.${lang}@example.com`);
  const tried = [];
  let away = true;
  await page.route(`${base}/**`, (r) => {
    if (!away) return r.fallback();
    tried.push(new URL(r.request().url()).pathname);
    return r.abort();
  });
  const add = page.getByRole('button', { name: w.add });
  await add.click();
  await page.getByText(w.unsent).waitFor();
  assert.equal(await page.getByLabel(w.email).first().inputValue(), `gone.${lang}@example.com`, 'what was typed is gone');
  await looksRight(page);

  for (const place of places.toReversed()) { // to and fro while a minute goes by
    await pass(page, 10);
    await go(page, place, lang);
    await page.getByText(w.from).first().waitFor();
    assert.deepEqual(await sums(), seen[place], `${place} lost what was seen`);
  }
  await looksRight(page);
  tried.length = 0;
  await pass(page, 60);
  const asked = tried.filter((path) => path === '/admin/summary').length;
  assert.ok(asked >= 2 && asked <= 8, `in a minute the service was asked ${asked} times`);
  await go(page, 'settings/users', lang); // not seen before
  await page.getByText(w.nothing).first().waitFor();

  away = false;
  await pass(page, 40);
  await page.locator('.screen tbody tr').first().waitFor();
  await go(page, 'home', lang);
  await pass(page, 40);
  await page.getByText(w.from).waitFor({ state: 'detached' });
  assert.deepEqual(await sums(), seen.home);
};

/** A stream that is refused is asked for again, each time later; then the page goes on by itself. */
async function stream(visit) {
  const page = await timed(visit)();
  let refused = 0;
  await page.route('**/live/night-ferry/events', (r) => (away ? (refused++, r.fulfill({ status: 503, json: { error: 'busy', code: 'unavailable' } })) : r.fallback()));
  let away = true;
  await page.goto(`${base}/campaigns/night-ferry/`);
  await page.locator('progress').first().waitFor();
  await pass(page, 60);
  assert.ok(refused >= 4 && refused <= 6, `in a minute the stream was asked for ${refused} times`);
  const supporters = async () => (await ask('/live/night-ferry')).body.stats.supporterCount;
  away = false;
  await pass(page, 60);
  await pledge('after.the.storm@example.com', 'night-ferry__digital-premiere');
  await page.locator('[data-supporters]').first().filter({ hasText: String(await supporters()) }).waitFor();
}

export default { 'en': awayIn('en'), 'es': awayIn('es'), stream };
