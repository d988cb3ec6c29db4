// What operators do in the dashboard, in words that its stories share.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { ask, base, words } from './act.mjs';

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

const personal = /@|%40|sign-in=|maya|shore road|amir|priya/i;

let addresses = 0; // each visit has its own: one may sign in a few times a minute

export async function open(visit, lang, options) {
  const page = await visit({ bypassCSP: true, extraHTTPHeaders: { 'CF-Connecting-IP': `192.0.2.${++addresses}` }, ...options });
  await page.goto(`${base}/demo/`);
  await page.locator('form[action="/demo/dashboard"] button').click();
  await page.waitForURL(/\/admin\//);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.locator('nav.tabs').waitFor();
  if (lang === 'es') await page.goto(`${base}/es/admin/`);
  await page.locator('nav.tabs').waitFor();
  return page;
}

export const go = (page, place, lang = 'en') => page.goto(`${base}${words[lang].prefix}/admin/#/${place}`);

export async function looksRight(page) {
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wide <= 0, `the page is ${wide} px too wide`);
  await page.addScriptTag({ path: axe });
  const { violations } = await page.evaluate(() => window.axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'] }));
  assert.deepEqual(violations.map((v) => `${v.id}: ${v.nodes[0].html}`), []);
}

/** Nothing of people is where others could read it: the address and those before it, storage of any kind, cookies of scripts. */
export async function keepsToItself(page) {
  const left = await page.evaluate(async () => [
    location.href, ...navigation.entries().map((e) => e.url), document.referrer, document.title, document.cookie, window.name, JSON.stringify(history.state),
    ...Object.entries(localStorage).flat(), ...Object.entries(sessionStorage).flat(), ...(await indexedDB.databases()).map((d) => d.name), ...(await caches.keys()),
  ].join('\n'));
  assert.doesNotMatch(left, personal);
}

/** The text of the newest mail to somebody in which a pattern is. */
export async function mailTo(email, pattern) {
  for (const until = Date.now() + 30_000; Date.now() < until;) {
    const { body } = await ask('/demo/mail', undefined, { Accept: 'application/json' });
    const mail = (body ?? []).filter((m) => m.to === email && pattern.test(m.text)).sort((a, b) => b.sentAt.localeCompare(a.sentAt))[0];
    if (mail) return mail.text;
    await new Promise((go) => setTimeout(go, 50));
  }
  throw new Error(`no mail to ${email}`);
}

/** The eight digits of the newest mail to sign in with. */
export const codeFor = async (email) => (await mailTo(email, /sign-in=[^]*\b\d{4} \d{4}\b/)).match(/\b\d{4} \d{4}\b/)[0];

/** The digits of a mail that an act sends, and of none before it. */
export async function codeBy(email, act) {
  const { body } = await ask('/demo/mail', undefined, { Accept: 'application/json' });
  const before = new Set((body ?? []).filter((m) => m.to === email).flatMap((m) => m.text.match(/\b\d{4} \d{4}\b/g) ?? []));
  await act();
  for (const until = Date.now() + 30_000; Date.now() < until;) {
    const code = await codeFor(email);
    if (!before.has(code)) return code;
    await new Promise((go) => setTimeout(go, 50));
  }
  throw new Error(`no new mail to ${email}`);
}

export async function publish(page) {
  await page.getByRole('button', { name: 'Review changes' }).click();
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await page.getByText(/^Published\. /).waitFor();
}

/** Asks for a page of the site until a pattern is in it. */
export async function served(path, pattern) {
  for (const until = Date.now() + 30_000; Date.now() < until;) {
    const answer = await fetch(base + path);
    if (answer.ok && pattern.test(await answer.text())) return;
    await new Promise((go) => setTimeout(go, 50));
  }
  throw new Error(`${path} has no ${pattern}`);
}

/** Has the page's clock go on by more than what was read counts as fresh. */
export const later = (page) => page.evaluate(() => {
  const now = Date.now.bind(Date);
  Date.now = () => now() + 3_000;
});

/** Somebody signs in by the code of a mail, each from an address of their own. */
export async function enter(visit, email, lang, options) {
  const w = { en: { send: 'Email me a link', code: 'Code', enter: 'Sign in' }, es: { send: 'Envíame un enlace', code: 'Código', enter: 'Iniciar sesión' } }[lang];
  const page = await visit({ bypassCSP: true, extraHTTPHeaders: { 'CF-Connecting-IP': `192.0.2.${++addresses}` }, ...options });
  await page.goto(`${base}${words[lang].prefix}/admin/`);
  await page.locator('[name=email]').fill(email);
  await page.getByRole('button', { name: w.send }).click();
  await page.getByLabel(w.code).fill(await codeFor(email));
  await page.getByRole('button', { name: w.enter, exact: true }).click();
  await page.locator('nav.tabs').waitFor();
  return page;
}
