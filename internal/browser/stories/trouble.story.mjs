// What goes wrong, and what the page says then.
import assert from 'node:assert/strict';
import { ask, base, carried, checkout, choose, cleared, linkFor, open, phone, pledge, someone, words } from './act.mjs';

/** A card that the bank refuses to be saved, and then another. */
async function declined(visit) {
  const page = await visit();
  const email = someone();
  await choose(page, '', 'night-ferry', 'digital-premiere');
  await checkout(page, words.en, email, { card: 'declined' });
  await page.getByRole('alert').waitFor();
  await page.locator('input[name=card][value=ok]').check();
  await page.getByRole('button', { name: words.en.card }).click();
  await page.waitForURL('**/pledge-success/');
}

/** Somebody else was faster: it is said, and the cart is still there. */
async function soldOut(visit) {
  const page = await visit();
  await choose(page, '', 'night-ferry', 'night-on-board');
  await page.locator('[data-cart]').click();
  await page.locator('[name=email]').fill(someone());
  const { remaining } = (await ask('/live/night-ferry')).body.inventory.tiers['night-on-board'];
  for (let n = 0; n < remaining; n++) { // each from an address of its own, which holds a share
    const r = await ask('/checkout-intent/start', { email: someone(), items: [{ id: 'night-ferry__night-on-board' }] }, { 'CF-Connecting-IP': `192.0.2.${n + 1}` });
    assert.equal(r.status, 200, JSON.stringify(r.body));
  }
  await page.getByRole('button', { name: words.en.next }).click();
  await page.locator('.wrong, [role=alert]').first().waitFor();
  assert.match(await page.locator('.wrong, [role=alert]').first().textContent(), /sold out|left|remain|available/i);
  assert.equal(await page.getByRole('button', { name: /^Remove/ }).count(), 1);
  const other = await visit(); // with nothing in its cache
  await other.goto(`${base}/campaigns/night-ferry/`);
  await other.locator('[data-tier=night-on-board]').getByText('Sold out').first().waitFor();
  assert.equal(await other.locator('[data-tier=night-on-board] button').isDisabled(), true);
  assert.equal(await other.locator('[data-tier=festival-poster] button').isDisabled(), true, 'a tier behind its threshold is open');
}

/** No connection: nothing is lost, and the same button works again. */
async function offline(visit) {
  const page = await visit();
  await choose(page, '', 'night-ferry', 'digital-premiere');
  await page.locator('[data-cart]').click();
  await page.locator('.bill').waitFor();
  await page.locator('[name=email]').fill(someone());
  await page.context().setOffline(true);
  await page.getByRole('button', { name: words.en.next }).click();
  await page.getByText(words.en.offline).waitFor();
  await page.getByText(words.en.noQuote).waitFor(); // and the quote that fails meanwhile takes nothing away
  await page.getByText(words.en.offline).waitFor();
  await page.context().setOffline(false);
  await page.getByRole('button', { name: words.en.next }).click();
  await page.locator('input[name=card]').first().waitFor();
}

/** A link that is broken or old. */
async function links(visit) {
  const page = await visit();
  for (const link of ['#t=nonsense', '#t=caf%C3%A9%0A%F0%9F%98%80', '?t=nonsense']) {
    await page.goto('about:blank');
    await page.goto(`${base}/manage/${link}`);
    await page.getByText('This link has expired').waitFor();
    cleared(page);
    assert.equal(await page.evaluate(() => sessionStorage.getItem('token')), null);
  }
  await page.goto(`${base}/manage/`);
  await page.getByText('Open this page with the link').waitFor();
}

/** A token is in no address that a server sees, in no referrer, and gone with the tab. */
async function tokens(visit) {
  const page = await visit();
  const email = someone();
  await pledge(email, 'night-ferry__digital-premiere');
  const token = carried(await linkFor(email));
  const sent = [];
  page.on('request', (r) => sent.push(r.url().replace(/#.*/, ''), r.headers().referer ?? ''));
  await open(page, email);
  await page.getByRole('link', { name: 'Night Ferry' }).click();
  await page.locator('progress').first().waitFor();
  await page.goto(`${base}/community/night-ferry/#t=${token}`);
  await page.locator('[data-decision] form').first().waitFor();
  assert.deepEqual(sent.filter((s) => s.includes(token)), [], 'a server sees the token');
  const kept = await page.evaluate(() => JSON.stringify(localStorage) + document.cookie + location.href + document.referrer);
  assert.equal(kept.includes(token), false, 'the token outlives the tab');
  const other = await page.context().newPage();
  await other.goto(`${base}/manage/`);
  await other.getByText('Open this page with the link').waitFor();
}

/** The link of an earlier release has the token in its query: it is sent once, and nowhere else. */
async function earlier(visit) {
  const page = await visit();
  const email = someone();
  await pledge(email, 'night-ferry__digital-premiere');
  const token = carried(await linkFor(email));
  const sent = [];
  page.on('request', (r) => sent.push(r.url(), r.headers().referer ?? ''));
  await page.goto(`${base}/manage/?t=${token}&do=cancel`);
  await page.locator('.sheet').getByRole('button', { name: words.en.cancel }).waitFor();
  cleared(page);
  assert.deepEqual(sent.filter((s) => s.includes(token)), [`${base}/manage/?t=${token}&do=cancel`], 'the token is sent elsewhere');
}

/** Another link that is opened in the tab of one shows its own pledge. */
async function another(visit) {
  const page = await visit();
  const [first, second] = [someone(), someone()];
  await pledge(first, 'night-ferry__digital-premiere');
  await pledge(second, 'tidepool-traders__the-game');
  await open(page, first);
  await page.evaluate((link) => location.assign(link), await linkFor(second));
  await page.getByRole('heading', { name: 'Tidepool Traders' }).waitFor();
  cleared(page);
}

/** A community page keeps the token for its tab alone: nowhere else, and in no cookie. */
// Proves SUP-13.
async function community(visit) {
  const page = await visit();
  const email = someone();
  await pledge(email, 'tidepool-traders__the-game');
  const link = new URL(await linkFor(email));
  const token = carried(link);
  const decisions = (of) => of.locator('[data-decision] form');
  await page.goto(`${base}/community/tidepool-traders/${link.hash}`);
  await decisions(page).first().waitFor();
  assert.equal(await page.evaluate(() => Object.values(sessionStorage).join()), token);
  const { cookies, origins } = await page.context().storageState({ indexedDB: true });
  assert.deepEqual(cookies, [], 'there is a cookie');
  assert.equal(JSON.stringify(origins).includes(token), false, 'the token outlives the tab');
  await page.reload();
  await decisions(page).first().waitFor();
  const other = await page.context().newPage();
  const asked = [];
  other.on('request', (r) => asked.push(r.url()));
  await other.goto(`${base}/community/tidepool-traders/`, { waitUntil: 'networkidle' });
  assert.equal(asked.some((url) => url.includes('/votes')), false, 'another tab has the token');
}

/** The processor's own form: its script is fetched from its host and told the secret. */
// Proves SUP-10.
async function processorForm(visit) {
  const page = await visit();
  await page.addInitScript(() => {
    document.addEventListener('DOMContentLoaded', () => document.body.removeAttribute('data-processor'), { capture: true });
    new MutationObserver(() => document.body?.removeAttribute('data-processor')).observe(document, { childList: true, subtree: true });
  });
  await page.route('https://js.stripe.com/**', (route) =>
    route.fulfill({
      contentType: 'text/javascript',
      body: `window.Stripe = (key, options) => ({ initCheckout: ({ clientSecret }) => ({
        createPaymentElement: () => ({ mount: (place) => place.append(key + ' ' + options.locale) }),
        loadActions: async () => ({ type: 'success', actions: { confirm: async () => {
          window.asked = (window.asked ?? 0) + 1;
          if (window.asked === 1) return { type: 'error', error: { message: 'Your card was declined.' } };
          const session = clientSecret.split('_secret')[0];
          await fetch('/_sim/complete', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ session, card: 'ok' }) });
          return { type: 'success' };
        } } }) }) });`,
    }),
  );
  const email = someone();
  let lost = 1; // the first answer of the service is lost, after the card was saved
  await page.route('**/checkout-intent/complete', (route) => (lost-- > 0 ? route.abort() : route.continue()));
  await choose(page, '', 'night-ferry', 'digital-premiere');
  await page.locator('[data-cart]').click();
  await page.locator('[name=email]').fill(email);
  await page.getByRole('button', { name: words.en.next }).click();
  await page.getByText('pk_test_simulator en').waitFor();
  await page.getByRole('button', { name: words.en.card }).click();
  await page.getByText('Your card was declined.').waitFor();
  await page.getByRole('button', { name: words.en.card }).click();
  await page.waitForURL('**/pledge-success/');
  await page.getByText('Your pledge is confirmed.').waitFor();
  assert.equal(await page.evaluate(() => localStorage.getItem('cart')), null, 'the cart is still full');

  await open(page, email);
  await page.getByRole('button', { name: 'Use a different card' }).click();
  await page.getByText("You won't be charged now.").waitFor();
  await page.getByText('pk_test_simulator en').waitFor();
  await page.getByRole('button', { name: words.en.card }).click();
  await page.getByText('Your card was declined.').waitFor();
  await page.getByRole('button', { name: words.en.card }).click();
  await page.getByText('Your card is saved.').waitFor();
}

const charging = {
  en: { why: 'declined the payment without a reason', due: ' is due', charge: /^Charge \$[\d.,]+ now with a new card$/, save: /^Save card and pay \$[\d.,]+ now$/, paid: 'You were charged' },
  es: { why: 'rechazó el pago sin un motivo', due: 'por pagar', charge: /^Cobrar \$[\d.,]+ ahora a otra tarjeta$/, save: /^Guardar tarjeta y pagar \$[\d.,]+ ahora$/, paid: 'Te cobramos' },
};

/** The page of a failed charge says why, what is charged now, and at once what came of it. */
async function declinedAgain(page, email, w) {
  await open(page, email);
  await page.locator('.note.bad', { hasText: w.why }).waitFor();
  const said = await page.locator('main').innerText();
  assert.doesNotMatch(said, /Charged today|Cobrado hoy/);
  assert.ok(said.includes(w.due), said);
  const failures = () => page.locator('details tr').count();
  const before = await failures();
  for (const card of ['charge_declined', 'ok']) {
    await page.getByRole('button', { name: w.charge }).click();
    await page.locator(`input[name=card][value=${card}]`).check();
    await page.getByRole('button', { name: w.save }).click();
    if (card === 'ok') break;
    await shown(page, async () => (await failures()) > before);
    await page.locator('.note.bad', { hasText: w.why }).waitFor();
  }
  await shown(page, () => page.getByText(w.paid).isVisible());
}

/**
 * Waits for what came of a charge. On a machine with much else to do a webhook may have
 * to come a second time, a minute later, and the page is opened again for it, as it says.
 */
async function shown(page, there) {
  for (const until = Date.now() + 180_000; Date.now() < until; await page.reload(), await page.locator('details tr').first().waitFor({ state: 'attached' })) {
    for (const turn = Date.now() + 30_000; Date.now() < turn;) {
      if (await there()) return;
      await new Promise((go) => setTimeout(go, 100));
    }
  }
  assert.fail(await page.locator('main').innerText());
}

/** After the deadline: a bank that wants to be asked, and a card that is refused. */
async function afterTheDeadline(visit) {
  const approve = someone();
  const replace = someone();
  await pledge(approve, 'tidepool-traders__the-game', 'auth_always', 12);
  await pledge(replace, 'tidepool-traders__the-game', 'charge_declined', 12);
  const sustituye = someone();
  await pledge(sustituye, 'tidepool-traders__the-game', 'charge_declined', 1, 'es');
  const spanish = someone();
  await pledge(spanish, 'tidepool-traders__the-game', 'ok', 1, 'es');
  const token = carried(await linkFor(spanish));
  assert.equal((await ask('/votes', { token, decisionId: 'fifth-shell', option: 'A toy castle' })).status, 200);
  await ask('/demo/clock', { to: '2026-11-23T08:00:00-07:00' });
  const settled = await ask('/admin/settle/tidepool-traders', {}, { Authorization: `Bearer ${process.env.SECRET}` });
  assert.equal(settled.status, 200, JSON.stringify(settled.body));

  const page = await visit();
  await open(page, approve);
  await page.getByText('Your bank wants you to approve this payment yourself. Approve the payment').waitFor();
  await page.getByRole('button', { name: /^Approve payment of \$/ }).click();
  await page.getByText('You were charged').waitFor();

  await declinedAgain(page, replace, charging.en);
  await declinedAgain(await visit(phone), sustituye, charging.es);

  const small = await visit(phone);
  await open(small, spanish);
  assert.equal(new URL(small.url()).pathname, '/es/manage/');
  await small.getByText('Te cobramos').waitFor();

  await page.goto(`${base}/campaigns/tidepool-traders/`);
  await page.getByText('This campaign has ended').waitFor();
  assert.equal(await page.locator('form.pick').count(), 0);
  const stranger = await visit(phone); // how a vote ended is everybody's to read
  for (const path of ['/campaigns/tidepool-traders/', '/community/tidepool-traders/']) {
    await page.goto(base + path);
    await page.getByText('Result: A toy castle, with 1 of 1 votes.').waitFor();
    await stranger.goto(`${base}/es${path}`);
    await stranger.getByText('Resultado: A toy castle, con 1 de 1 votos.').waitFor();
    await stranger.locator('.options li', { hasText: 'A toy castle' }).getByText('1 voto').waitFor();
  }
}

export default { declined, offline, links, tokens, earlier, another, community, processorForm, soldOut, afterTheDeadline };
