// Every tab and every part of it, for everybody who may open it: nothing is out of place,
// and no screen asks for what its reader may not see.
import assert from 'node:assert/strict';
import { phone } from './act.mjs';
import { enter, go, keepsToItself, looksRight, open } from './desk.mjs';

const tabs = {
  en: { home: 'Home', campaigns: 'Campaigns', analytics: 'Analytics', reports: 'Reports', supporters: 'Supporters', marketing: 'Marketing' },
  es: { home: 'Inicio', campaigns: 'Campañas', analytics: 'Analítica', reports: 'Informes', supporters: 'Mecenas', marketing: 'Marketing' },
};
const edited = ['settings', 'content', 'tiers', 'support_items', 'add_ons', 'stretch_goals', 'ongoing_items', 'diary', 'decisions'];

/** Waits for a screen and all that it reads. */
async function whole(page, name) {
  await page.locator(`.screen-${name} h1`).first().waitFor();
  await page.waitForFunction(() => !document.querySelector('.screen [aria-busy=true]'));
  assert.deepEqual(await page.locator('.screen [role=alert]').allInnerTexts(), [], `${page.url()} shows an error`);
}

const places = (page, nav) => page.locator(`nav.${nav} a[href^="#"]`).evaluateAll((all) => all.map((a) => a.getAttribute('href')));

async function through(page, nav, look) {
  for (const href of await places(page, nav)) {
    await page.locator(`nav.${nav} a[href="${href}"]`).first().click();
    await page.locator(`nav.${nav} a[href="${href}"][aria-current=page]`).waitFor();
    await whole(page, href.match(/^#\/([\w-]+)/)[1]);
    await look(page);
  }
}

/** Opens all that there is, and looks at each. */
async function walk(page, lang, look) {
  const refused = [];
  page.on('response', (r) => r.status() === 403 && refused.push(r.url()));
  await through(page, 'tabs', async () => {
    await look(page);
    if (await page.locator('nav.subtabs').count()) await through(page, 'subtabs', look);
  });
  await go(page, 'campaigns/night-ferry', lang);
  await whole(page, 'campaigns');
  const parts = (await places(page, 'subtabs')).map((href) => href.split('/')[3] ?? 'overview');
  await through(page, 'subtabs', look);
  assert.deepEqual(refused, [], 'a screen asks for what its reader may not see');
  await keepsToItself(page);
  return parts;
}

const none = () => undefined;

/** Somebody with one permission, in one language on a desk and in the other on a phone. */
// Proves AAU-28.
const one = (permission, seen, parts, desk = 'en', hand = 'es') => async (visit) => {
  for (const [lang, size, look] of [[desk, {}, none], [hand, phone, looksRight]]) {
    const page = await enter(visit, `${permission}.${lang}@example.com`, lang, size);
    assert.deepEqual(await page.locator('nav.tabs li').allInnerTexts(), ['home', 'campaigns', ...seen].map((t) => tabs[lang][t]));
    assert.deepEqual(await walk(page, lang, look), parts);
  }
};

/** A super admin sees everything there is. */
// Proves SIT-29.
const platform = (lang, size) => async (visit) => {
  const page = await open(visit, lang, size);
  assert.deepEqual(await walk(page, lang, looksRight), ['overview', ...edited, 'blast', 'settlement']);
};

export default {
  'a super admin': platform('en', {}),
  'a super admin on a phone, in Spanish': platform('es', phone),
  content: one('content', [], ['overview', ...edited]),
  supporters: one('supporters', ['supporters'], [], 'es', 'en'),
  money: one('money', ['analytics'], []),
  fulfilment: one('fulfilment', ['reports'], [], 'es', 'en'),
  mails: one('mails', ['marketing'], ['overview', 'blast']),
};
