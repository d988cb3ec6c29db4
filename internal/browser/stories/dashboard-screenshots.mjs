// Takes screenshots of all screens and states of the dashboard: in English on a desktop in light
// mode, in Spanish on a phone in dark mode.
import { mkdirSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { callAPI, phone } from './actions.mjs';
import { openDashboard, openScreen } from './dashboard.mjs';

const folder = process.env.SHOTS;
mkdirSync(folder, { recursive: true });
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  args: ['--no-sandbox', '--disable-gpu'],
});

const looks = [
  { lang: 'en', name: 'desk-light', options: { viewport: { width: 1280, height: 900 }, colorScheme: 'light' } },
  { lang: 'es', name: 'phone-dark', options: { ...phone, colorScheme: 'dark' } },
];
const visits = [];
for (const look of looks) {
  const visit = async (options) => {
    const context = await browser.newContext({
      locale: 'en-US',
      timezoneId: 'America/Denver',
      reducedMotion: 'reduce',
      ...options,
    });
    context.setDefaultTimeout(60_000);
    return context.newPage();
  };
  visits.push({ ...look, visit, page: await openDashboard(visit, look.lang, look.options) });
}

const waitForScreen = (page) =>
  page.waitForFunction(
    () =>
      document.querySelector('.screen h1') &&
      !document.querySelector('.screen [aria-busy=true]') &&
      (!document.querySelector('[role=search]') || document.querySelector('.screen tbody tr')),
  );

async function shot({ page, name }, what) {
  await page.evaluate(() => document.querySelector('#toast, .toast')?.remove());
  await page.screenshot({ path: `${folder}/dashboard-${what}-${name}.png`, fullPage: true });
}

/** Opens a screen, waits until it is loaded and takes a screenshot. */
async function screenshotAt(v, place, what) {
  await v.page.goto('about:blank'); // discard the previous state
  await openScreen(v.page, place, v.lang);
  await waitForScreen(v.page);
  await shot(v, what);
}

const edited = [
  'settings',
  'content',
  'tiers',
  'support_items',
  'add_ons',
  'stretch_goals',
  'ongoing_items',
  'diary',
  'decisions',
];
const places = {
  home: 'home',
  campaigns: 'campaigns',
  overview: 'campaigns/night-ferry',
  upcoming: 'campaigns/slow-weather',
  ...Object.fromEntries(edited.map((p) => [p.replace('_', '-'), `campaigns/slow-weather/${p}`])),
  blast: 'campaigns/night-ferry/blast',
  waiting: 'campaigns/night-ferry/settlement',
  analytics: 'analytics?campaign=night-ferry',
  'analytics-days': 'analytics?campaign=night-ferry&by=days',
  reports: 'reports?campaign=night-ferry',
  supporters: 'supporters?campaign=night-ferry',
  'reports-empty': 'reports?campaign=slow-weather',
  'add-ons': 'add-ons',
  account: 'account',
  ...Object.fromEntries(
    ['links', 'referrals', 'frame', 'announcement', 'stopped'].map((p) => [
      `marketing-${p}`,
      `marketing?campaign=night-ferry&part=${p}`,
    ]),
  ),
  ...Object.fromEntries(
    ['users', 'sessions', 'audit', 'secrets', 'plan', 'diagnostics', 'site'].map((p) => [
      `settings-${p}`,
      `settings/${p}`,
    ]),
  ),
};
for (const v of visits) {
  for (const [what, place] of Object.entries(places)) await screenshotAt(v, place, what);
  const { page } = v;
  await openScreen(page, 'supporters?campaign=night-ferry', v.lang);
  await page.locator('tbody th a').first().click();
  await page.locator('.history li').first().waitFor();
  await shot(v, 'supporter');
  await page.keyboard.press('Control+k');
  await page.locator('[role=listbox] li').first().waitFor();
  await shot(v, 'palette');
  await page.keyboard.press('Escape');

  await page.route('**/admin/summary', (r) => r.abort());
  await page.route('**/admin/health', (r) => r.abort());
  await page.goto('about:blank');
  await openScreen(page, 'home', v.lang);
  await page.locator('.screen .note.bad').first().waitFor();
  await shot(v, 'away');
  await page.unroute('**/admin/summary');
  await page.route('**/admin/summary', () => undefined); // never responds
  await page.goto('about:blank');
  await openScreen(page, 'campaigns', v.lang);
  await page.locator('.loading').first().waitFor();
  await shot(v, 'busy');
  await page.unrouteAll();
  await page.goto('about:blank');
}

// A conflict: two operators change the same field.
const [desk, mobile] = visits;
for (const v of visits) await screenshotAt(v, 'campaigns/slow-weather/settings', 'unchanged');
await desk.page.getByLabel('Summary').fill('A film about rain.');
await desk.page.getByRole('button', { name: 'Review changes' }).click();
await desk.page.locator('dialog li').first().waitFor();
await shot(desk, 'review');
await desk.page.getByRole('button', { name: 'Publish', exact: true }).click();
await desk.page.getByText(/^Published\. /).waitFor();
await shot(desk, 'published');
await mobile.page.getByLabel('Resumen').fill('Otra cosa.');
await shot(mobile, 'draft');
await mobile.page.locator('.publish-bar button[type=submit]').click();
await mobile.page.locator('.conflict').first().waitFor();
await shot(mobile, 'conflict');

// Before and during a settlement.
for (const v of visits) {
  await openScreen(v.page, 'campaigns/tidepool-traders/settlement', v.lang);
  await v.page.locator('section[aria-labelledby=rehearsal] button').click();
  await v.page
    .locator('section[aria-labelledby=rehearsal] .key-figures, section[aria-labelledby=rehearsal] .note.good')
    .first()
    .waitFor();
  await shot(v, 'rehearsed');
}
await callAPI('/demo/clock', { advance: '33h' });
for (const v of visits) v.page = await openDashboard(v.visit, v.lang, v.options);
for (const v of visits) await screenshotAt(v, 'campaigns/tidepool-traders/settlement', 'ready');
for (const v of visits) await screenshotAt(v, 'home', 'home-ready');
await desk.page.bringToFront();
await openScreen(desk.page, 'campaigns/tidepool-traders/settlement');
await desk.page.getByRole('button', { name: 'See what would be charged' }).click();
await desk.page.getByRole('heading', { name: 'What would be charged now' }).waitFor();
await shot(desk, 'preview');
await desk.page.getByText('Stop all charging', { exact: true }).click();
await desk.page.getByLabel('Why').fill('a doubt');
await desk.page.getByRole('button', { name: 'Stop all charging now' }).click();
await desk.page.getByRole('button', { name: 'Let charging go on' }).waitFor();
for (const v of visits) await screenshotAt(v, 'campaigns/tidepool-traders/settlement', 'stopped');
await desk.page.getByRole('button', { name: 'Let charging go on' }).click();
await desk.page.getByRole('button', { name: 'Let charging go on' }).waitFor({ state: 'detached' });
await desk.page.getByRole('button', { name: /^Start charging/ }).click();
await desk.page.locator('dialog form button').waitFor();
await shot(desk, 'asking');
await desk.page.locator('dialog form button').click();
await desk.page.getByText(/^Complete since/).waitFor();
await desk.page.getByRole('button', { name: 'Compare now' }).click();
await desk.page.getByText(/books and the processor’s agree/).waitFor();
await shot(desk, 'complete');
await screenshotAt(mobile, 'campaigns/tidepool-traders/settlement', 'complete');

// States that the demo does not reach, from simulated API responses.
const held = {
  held: { since: '2026-11-22T08:20:00Z', failed: 12, of: 20, codes: { card_declined: 12 } },
  working: false,
};
const broken = { broken: [{ pledges: 14, endsAt: '2026-11-20T07:00:00Z', goal: 80_000 }] };
for (const [what, change] of Object.entries({ held, broken })) {
  for (const v of visits) {
    await v.page.route('**/admin/settlement/tidepool-traders', async (r) => {
      const answer = await r.fetch();
      await r.fulfill({ response: answer, json: { ...(await answer.json()), ...change } });
    });
    await v.page.goto('about:blank');
    await openScreen(v.page, 'campaigns/tidepool-traders/settlement', v.lang);
    await v.page.locator('.note.bad').first().waitFor();
    await shot(v, what);
    await v.page.unrouteAll();
  }
}
await browser.close();
