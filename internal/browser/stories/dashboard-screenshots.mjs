// Takes screenshots of all screens of the dashboard: on a desktop and a phone, in light and dark
// mode and in both languages. States that need an action are shown in English on a desktop in
// light mode and in Spanish on a phone in dark mode.
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

const sizes = { desk: { viewport: { width: 1440, height: 900 } }, phone };
const looks = ['en', 'es'].flatMap((lang) =>
  Object.entries(sizes).flatMap(([size, options]) =>
    ['light', 'dark'].map((colorScheme) => ({
      lang,
      name: `${size}-${colorScheme}-${lang}`,
      options: { ...options, colorScheme },
    })),
  ),
);
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
      document.querySelector('main.content h1') &&
      !document.querySelector('main.content [aria-busy=true]') &&
      (!document.querySelector('[role=search]') || document.querySelector('main.content tbody tr')),
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

const edited = {
  settings: 'slow-weather',
  content: 'slow-weather',
  tiers: 'night-ferry',
  support_items: 'night-ferry',
  add_ons: 'tidepool-traders',
  stretch_goals: 'night-ferry',
  ongoing_items: 'slow-weather',
  diary: 'tidepool-traders',
  decisions: 'night-ferry',
};
const settings = [
  'platform',
  'brand_seo',
  'checkout',
  'pricing',
  'tax',
  'shipping',
  'campaign_runner_reports',
  'design',
  'users',
  'admin_sessions',
  'audit_log',
  'plan_usage',
  'advanced_performance',
  'debug',
  'secrets',
  'runtime_diagnostics',
];
const places = {
  home: 'home',
  campaigns: 'campaigns',
  overview: 'campaigns/night-ferry',
  upcoming: 'campaigns/slow-weather',
  ...Object.fromEntries(
    Object.entries(edited).map(([part, slug]) => [`campaign-${part.replace('_', '-')}`, `campaigns/${slug}/${part}`]),
  ),
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
  ...Object.fromEntries(settings.map((p) => [`settings-${p.replaceAll('_', '-')}`, `settings/${p}`])),
};
for (const v of visits) {
  for (const [what, place] of Object.entries(places)) await screenshotAt(v, place, what);
}
const named = (name) => visits.find((v) => v.name === name);
const [desk, mobile] = [named('desk-light-en'), named('phone-dark-es')];
const two = [desk, mobile];
for (const v of two) {
  const { page } = v;
  await openScreen(page, 'supporters?campaign=night-ferry', v.lang);
  await page.locator('tbody th a').first().click();
  await page.locator('aside.panel .time li').first().waitFor();
  await shot(v, 'supporter');
  await page.keyboard.press('Control+k');
  await page.locator('[role=listbox] li').first().waitFor();
  await shot(v, 'palette');
  await page.keyboard.press('Escape');

  await page.route('**/admin/summary', (r) => r.abort());
  await page.route('**/admin/health', (r) => r.abort());
  await page.goto('about:blank');
  await openScreen(page, 'home', v.lang);
  await page.locator('.home-error').waitFor();
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
for (const v of two) await screenshotAt(v, 'campaigns/slow-weather/settings', 'unchanged');
await desk.page.getByLabel('Summary').fill('A film about rain.');
await desk.page.getByRole('button', { name: 'Review and publish' }).click();
await desk.page.locator('dialog .ch').first().waitFor();
await shot(desk, 'review');
await desk.page.getByRole('button', { name: /^Publish \d/ }).click();
await desk.page.getByText(/change published\./).waitFor();
await shot(desk, 'published');
await mobile.page.getByLabel('Resumen').fill('Otra cosa.');
await shot(mobile, 'draft');
await mobile.page.locator('.savebar .btn.primary').click();
await mobile.page.locator('dialog fieldset').first().waitFor();
await shot(mobile, 'conflict');

// Before and during a settlement.
for (const v of two) {
  await openScreen(v.page, 'campaigns/tidepool-traders/settlement', v.lang);
  await v.page.getByRole('button', { name: { en: /^Rehearse/, es: /nsayar$/ }[v.lang] }).click();
  await v.page.getByText({ en: /banks can still decline/, es: /bancos pueden rechazar/ }[v.lang]).waitFor();
  await shot(v, 'rehearsed');
}
await callAPI('/demo/clock', { advance: '33h' });
for (const v of two) v.page = await openDashboard(v.visit, v.lang, v.options);
for (const v of two) await screenshotAt(v, 'campaigns/tidepool-traders/settlement', 'ready');
for (const v of two) await screenshotAt(v, 'home', 'home-ready');
await desk.page.bringToFront();
await openScreen(desk.page, 'campaigns/tidepool-traders/settlement');
await desk.page.getByRole('button', { name: 'Preview charges' }).click();
await desk.page.locator('dialog[open]').getByText('maya@example.com').waitFor();
await shot(desk, 'preview');
await desk.page.keyboard.press('Escape');
await desk.page.getByText('Stop all charging', { exact: true }).click();
await desk.page.getByRole('button', { name: 'Stop all charging…' }).click();
await desk.page.getByLabel('Reason').fill('a doubt');
await desk.page.locator('dialog[open]').getByRole('button', { name: 'Stop all charging' }).click();
const resume = desk.page.getByRole('button', { name: 'Resume all charging…' });
await resume.waitFor();
for (const v of two) await screenshotAt(v, 'campaigns/tidepool-traders/settlement', 'stopped');
await resume.click();
await desk.page.locator('dialog[open]').getByRole('button', { name: 'Resume all charging' }).click();
await resume.waitFor({ state: 'detached' });
await desk.page.getByRole('button', { name: /^Charge \d+ supporters now$/ }).click();
await desk.page.locator('dialog[open] button[type=submit]').waitFor();
await shot(desk, 'asking');
await desk.page.locator('dialog[open] button[type=submit]').click();
await desk.page.getByText(/^Charging finished on /).waitFor();
await desk.page.getByRole('button', { name: 'Compare now' }).click();
await desk.page.getByText('Matches the processor.').waitFor();
await shot(desk, 'complete');
await screenshotAt(mobile, 'campaigns/tidepool-traders/settlement', 'complete');

// States that the demo does not reach, from simulated API responses.
const held = {
  held: { since: '2026-11-22T08:20:00Z', failed: 12, of: 20, codes: { card_declined: 12 } },
  working: false,
};
const broken = { broken: [{ pledges: 14, endsAt: '2026-11-20T07:00:00Z', goal: 80_000 }] };
for (const [what, change] of Object.entries({ held, broken })) {
  for (const v of two) {
    await v.page.route('**/admin/settlement/tidepool-traders', async (r) => {
      const answer = await r.fetch();
      await r.fulfill({ response: answer, json: { ...(await answer.json()), ...change } });
    });
    await v.page.goto('about:blank');
    await openScreen(v.page, 'campaigns/tidepool-traders/settlement', v.lang);
    await v.page.locator('.notice.bad').first().waitFor();
    await shot(v, what);
    await v.page.unrouteAll();
  }
}
await browser.close();
