// Opens all tabs and sections with each permission. No screen has layout or accessibility problems
// or requests data that the user may not see.
import assert from 'node:assert/strict';
import { phone } from './actions.mjs';
import { expectNoPersonalData, expectUsable, openDashboard, openScreen, signIn } from './dashboard.mjs';

const tabs = {
  en: {
    home: 'Home',
    campaigns: 'Campaigns',
    analytics: 'Analytics',
    reports: 'Reports',
    supporters: 'Supporters',
    marketing: 'Marketing',
  },
  es: {
    home: 'Inicio',
    campaigns: 'Campañas',
    analytics: 'Analítica',
    reports: 'Informes',
    supporters: 'Mecenas',
    marketing: 'Marketing',
  },
};
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

/** Waits until a screen is loaded, and asserts that it shows no error. */
async function waitForScreen(page) {
  await page.locator('main.content h1').first().waitFor();
  await page.waitForFunction(() => !document.querySelector('main.content [aria-busy=true]'));
  assert.deepEqual(await page.locator('main.content [role=alert]').allInnerTexts(), [], `${page.url()} shows an error`);
}

// On a phone the sidebar's links are in a drawer.
const sidebar = '.app > .wide-only';
const tabLinks = `${sidebar} nav > a[href^="#"]`;
const sectionLinks = `${sidebar} .subnav > a[href^="#"]`;

const places = (page, links) => page.locator(links).evaluateAll((all) => all.map((a) => a.getAttribute('href')));

async function openEach(page, links, look) {
  for (const href of await places(page, links)) {
    await page.evaluate((to) => {
      location.hash = to;
    }, href);
    await page.locator(`${sidebar} nav a[href="${href}"][aria-current]`).waitFor({ state: 'attached' });
    await waitForScreen(page);
    await look(page);
  }
}

/** Opens all screens that the user can reach and checks each. */
async function openAll(page, lang, look) {
  const refused = [];
  page.on('response', (r) => r.status() === 403 && refused.push(r.url()));
  await openEach(page, tabLinks, look);
  await openScreen(page, 'campaigns/night-ferry', lang);
  await waitForScreen(page);
  const parts = (await places(page, sectionLinks)).map((href) => href.split('/')[3] ?? 'overview');
  await openEach(page, sectionLinks, look);
  assert.deepEqual(refused, [], 'a screen requests forbidden data');
  await expectNoPersonalData(page);
  return parts;
}

const noCheck = () => undefined;

/** A user with one permission, in one language on a desktop and in the other on a phone. */
// Proves AAU-28.
const role =
  (permission, seen, parts, desk = 'en', hand = 'es') =>
  async (visit) => {
    for (const [lang, size, look] of [
      [desk, {}, noCheck],
      [hand, phone, expectUsable],
    ]) {
      const page = await signIn(visit, `${permission}.${lang}@example.com`, lang, size);
      assert.deepEqual(
        await page.locator(`${tabLinks} > span:not(.n)`).allTextContents(),
        ['home', 'campaigns', ...seen].map((t) => tabs[lang][t]),
      );
      assert.deepEqual(await openAll(page, lang, look), parts);
    }
  };

/** A super admin sees all screens. */
// Proves SIT-29.
const platform = (lang, size) => async (visit) => {
  const page = await openDashboard(visit, lang, size);
  assert.deepEqual(await openAll(page, lang, expectUsable), ['overview', ...edited, 'blast', 'settlement']);
};

export default {
  'super admin': platform('en', {}),
  'super admin, in Spanish, on a phone': platform('es', phone),
  content: role('content', [], ['overview', ...edited]),
  supporters: role('supporters', ['supporters'], ['overview'], 'es', 'en'),
  money: role('money', ['analytics'], ['overview']),
  fulfilment: role('fulfilment', ['reports'], ['overview'], 'es', 'en'),
  mails: role('mails', ['marketing'], ['overview', 'blast']),
};
