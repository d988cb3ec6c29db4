// Actions of operators and checks of the dashboard, shared by its stories.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { base, callAPI, words } from './actions.mjs';

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

const personal = /@|%40|sign-in=|maya|shore road|amir|priya/i;

let addresses = 0; // each visit has a new client address, because sign-ins are rate-limited

export async function openDashboard(visit, lang, options) {
  const page = await visit({
    bypassCSP: true,
    extraHTTPHeaders: { 'CF-Connecting-IP': `192.0.2.${++addresses}` },
    ...options,
  });
  await page.goto(`${base}/demo/`);
  await page.locator('form[action="/demo/dashboard"] button').click();
  await page.waitForURL(/\/admin\//);
  await page.locator('main.content h1').first().waitFor();
  if (lang === 'es') await page.goto(`${base}/es/admin/`);
  await page.locator('main.content h1').first().waitFor();
  return page;
}

export const openScreen = (page, place, lang = 'en') => page.goto(`${base}${words[lang].prefix}/admin/#/${place}`);

export async function expectUsable(page) {
  // In the middle of a transition, axe would measure intermediate colors.
  await page.evaluate(() =>
    Promise.all(
      document
        .getAnimations()
        .filter((a) => a.effect?.getTiming().iterations !== Number.POSITIVE_INFINITY)
        .map((a) => a.finished.catch(() => undefined)),
    ),
  );
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wide <= 0, `the page is ${wide} px too wide`);
  if (!(await page.evaluate(() => 'axe' in window))) await page.addScriptTag({ path: axe });
  const found = await page.evaluate(async () => {
    const tags = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'];
    const { violations } = await window.axe.run({ runOnly: tags, resultTypes: ['violations'] });
    return violations.map((v) => `${v.id}: ${v.nodes[0].html}`);
  });
  assert.deepEqual(found, []);
}

/** Asserts that the URL, the browser's history, storage and script-readable cookies contain no personal data. */
export async function expectNoPersonalData(page) {
  const left = await page.evaluate(async () =>
    [
      location.href,
      ...navigation.entries().map((e) => e.url),
      document.referrer,
      document.title,
      document.cookie,
      window.name,
      JSON.stringify(history.state),
      ...Object.entries(localStorage).flat(),
      ...Object.entries(sessionStorage).flat(),
      ...(await indexedDB.databases()).map((d) => d.name),
      ...(await caches.keys()),
    ].join('\n'),
  );
  assert.doesNotMatch(left, personal);
}

/** Waits for a mail to an address that matches a pattern, and returns the newest one's text. */
export async function mailTo(email, pattern) {
  for (const until = Date.now() + 30_000; Date.now() < until; ) {
    const { body } = await callAPI('/demo/mail', undefined, { Accept: 'application/json' });
    const mail = (body ?? [])
      .filter((m) => m.to === email && pattern.test(m.text))
      .sort((a, b) => b.sentAt.localeCompare(a.sentAt))[0];
    if (mail) return mail.text;
    await new Promise((go) => setTimeout(go, 50));
  }
  throw new Error(`no mail to ${email}`);
}

/** Returns the code of the newest sign-in mail. */
export const codeFor = async (email) =>
  (await mailTo(email, /sign-in=[\s\S]*\b\d{4} \d{4}\b/)).match(/\b\d{4} \d{4}\b/)[0];

/** Returns the code of the sign-in mail that an action causes to be sent. */
export async function codeAfter(email, act) {
  const { body } = await callAPI('/demo/mail', undefined, { Accept: 'application/json' });
  const before = new Set(
    (body ?? []).filter((m) => m.to === email).flatMap((m) => m.text.match(/\b\d{4} \d{4}\b/g) ?? []),
  );
  await act();
  for (const until = Date.now() + 30_000; Date.now() < until; ) {
    const code = await codeFor(email);
    if (!before.has(code)) return code;
    await new Promise((go) => setTimeout(go, 50));
  }
  throw new Error(`no new mail to ${email}`);
}

/** Publishes the open editor's draft. */
export async function publish(page) {
  await page.getByRole('button', { name: 'Review and publish' }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Publish \d/ })
    .click();
  await page.getByText(/changes? published\. /).waitFor();
}

/** Waits until a page of the site matches a pattern. */
export async function waitForPage(path, pattern) {
  for (const until = Date.now() + 30_000; Date.now() < until; ) {
    const answer = await fetch(base + path);
    if (answer.ok && pattern.test(await answer.text())) return;
    await new Promise((go) => setTimeout(go, 50));
  }
  throw new Error(`${path} has no ${pattern}`);
}

/** Advances the page's clock so that cached API responses count as stale. */
export const expireCache = (page) =>
  page.evaluate(() => {
    const now = Date.now.bind(Date);
    Date.now = () => now() + 3_000;
  });

/** Signs in with an emailed code, from a new client address. */
export async function signIn(visit, email, lang, options) {
  const w = {
    en: { send: 'Email me a sign-in link', code: 'Code in the email', enter: 'Sign in' },
    es: { send: 'Enviarme un enlace de acceso', code: 'Código del correo', enter: 'Iniciar sesión' },
  }[lang];
  const page = await visit({
    bypassCSP: true,
    extraHTTPHeaders: { 'CF-Connecting-IP': `192.0.2.${++addresses}` },
    ...options,
  });
  await page.goto(`${base}${words[lang].prefix}/admin/`);
  await page.locator('[name=email]').fill(email);
  const code = await codeAfter(email, () => page.getByRole('button', { name: w.send }).click());
  await page.getByLabel(w.code).fill(code);
  await page.getByRole('button', { name: w.enter, exact: true }).click();
  await page.locator('main.content h1').first().waitFor();
  return page;
}

/** Publishes field values of a campaign through the API. To replace a value, `was` has to contain it. */
export const publishFields = (page, slug, values, was = {}, reason = '') =>
  page.evaluate(
    async ([slug, values, was, reason]) => {
      const { csrfToken } = await (await fetch('/admin/session', { credentials: 'include' })).json();
      const answer = await fetch('/admin/content/publish', {
        method: 'POST',
        credentials: 'include',
        headers: { 'Content-Type': 'application/json', 'X-Svc-Admin-Csrf': csrfToken },
        body: JSON.stringify({
          campaignSlug: slug,
          changeId: crypto.randomUUID(),
          reason,
          edits: Object.entries(values).map(([path, value]) => ({ path, value, was: was[path] })),
        }),
      });
      if (!answer.ok) throw new Error(await answer.text());
    },
    [slug, values, was, reason],
  );

const settled = new Set(); // the campaigns that stories have settled

/** Settles a campaign unless an earlier story has done so. */
export async function ensureSettled(slug) {
  if (settled.has(slug)) return;
  const headers = { Authorization: `Bearer ${process.env.SECRET}` };
  const settlementStatus = async () => (await callAPI(`/admin/settlement/${slug}`, undefined, headers)).body;
  const { begun, beginsAt } = await settlementStatus();
  if (!begun) {
    const wait =
      Math.ceil(
        (Date.parse(beginsAt) - Date.parse((await callAPI('/demo/clock', { advance: '1m' })).body.now)) / 60_000,
      ) + 1;
    assert.equal((await callAPI('/demo/clock', { advance: `${wait}m` })).status, 200);
    assert.equal((await callAPI(`/admin/settle-dispatch/${slug}`, {}, headers)).status, 200);
  }
  for (const until = Date.now() + 30_000; Date.now() < until; ) {
    if ((await settlementStatus()).job?.status === 'done') {
      settled.add(slug);
      return;
    }
    await new Promise((go) => setTimeout(go, 50));
  }
  throw new Error(`not settled: ${JSON.stringify(await settlementStatus())}`);
}
