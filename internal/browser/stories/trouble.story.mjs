// Failures: declined cards, sold-out rewards, lost connections, invalid links and failed charges.
import assert from 'node:assert/strict';
import {
  addReward,
  base,
  callAPI,
  checkOut,
  expectTokenRemoved,
  linkFor,
  linkParameter,
  makePledge,
  newEmail,
  openPledge,
  smallPhone as phone,
  words,
} from './actions.mjs';
import { expectFits, expectNoViolations } from './checks.mjs';

/** The bank declines to save a card, and the supporter enters another one. */
async function declined(visit) {
  const page = await visit();
  const email = newEmail();
  await addReward(page, '', 'night-ferry', 'digital-premiere');
  await checkOut(page, words.en, email, { card: 'declined' });
  await page.getByRole('alert').waitFor();
  await page.locator('input[name=card][value=ok]').check();
  await page.getByRole('button', { name: words.en.card }).click();
  await page.waitForURL('**/pledge-success/');
}

/** A reward sells out during checkout: an error is shown and the cart is kept. */
async function soldOut(visit) {
  const page = await visit();
  await addReward(page, '', 'night-ferry', 'night-on-board');
  await page.locator('[data-cart]').click();
  await page.locator('[name=email]').fill(newEmail());
  const { remaining } = (await callAPI('/live/night-ferry')).body.inventory.tiers['night-on-board'];
  for (let n = 0; n < remaining; n++) {
    // from different client addresses, because reservations per address are limited
    const r = await callAPI(
      '/checkout-intent/start',
      { email: newEmail(), items: [{ id: 'night-ferry__night-on-board' }] },
      { 'CF-Connecting-IP': `192.0.2.${n + 1}` },
    );
    assert.equal(r.status, 200, JSON.stringify(r.body));
  }
  await page.getByRole('button', { name: words.en.next }).click();
  await page.locator('.wrong, [role=alert]').first().waitFor();
  assert.match(await page.locator('.wrong, [role=alert]').first().textContent(), /sold out|left|remain|available/i);
  assert.equal(await page.getByRole('button', { name: /^Remove/ }).count(), 1);
  const other = await visit(); // with an empty cache
  await other.goto(`${base}/campaigns/night-ferry/`);
  await other.locator('[data-tier=night-on-board]').getByText('Sold out').first().waitFor();
  assert.equal(await other.locator('[data-tier=night-on-board] button').isDisabled(), true);
  assert.equal(
    await other.locator('[data-tier=festival-poster] button').isDisabled(),
    true,
    'a locked tier is available',
  );
}

/** Without a connection no input is lost, and the same button works again later, at both steps. */
async function offline(visit) {
  const page = await visit();
  await addReward(page, '', 'night-ferry', 'digital-premiere');
  await page.locator('[data-cart]').click();
  await page.locator('.bill').waitFor();
  const email = newEmail();
  await page.locator('[name=email]').fill(email);
  await page.context().setOffline(true);
  await page.getByRole('button', { name: words.en.next }).click();
  await page.getByText(words.en.offline).waitFor();
  await page.getByText(words.en.noQuote).waitFor(); // the failing quote does not replace the error
  await page.getByText(words.en.offline).waitFor();
  assert.equal(await page.locator('[name=email]').inputValue(), email);
  await expectNoViolations(page, 'a checkout without a connection');
  await page.context().setOffline(false);
  await page.getByRole('button', { name: words.en.next }).click();
  const card = page.locator('input[name=card][value=auth_always]');
  await card.check();
  await page.context().setOffline(true);
  await page.getByRole('button', { name: words.en.card }).click();
  await page.getByRole('alert').getByText(words.en.offline).waitFor();
  assert.equal(await card.isChecked(), true);
  await page.context().setOffline(false);
  await page.getByRole('button', { name: words.en.card }).click();
  await page.getByRole('heading', { name: words.en.thanks }).waitFor();
}

/** Invalid and expired links. */
async function invalidLinks(visit) {
  const page = await visit();
  for (const link of ['#t=nonsense', '#t=caf%C3%A9%0A%F0%9F%98%80', '?t=nonsense']) {
    await page.goto('about:blank');
    await page.goto(`${base}/manage/${link}`);
    await page.getByText('This link has expired').waitFor();
    expectTokenRemoved(page);
    assert.equal(await page.evaluate(() => sessionStorage.getItem('token')), null);
  }
  await page.goto(`${base}/manage/`);
  await page.getByText('Open this page with the link').waitFor();
}

/** A token is never in a requested URL or a Referer header, and is deleted with the tab. */
async function tokens(visit) {
  const page = await visit();
  const email = newEmail();
  await makePledge(email, 'night-ferry__digital-premiere');
  const token = linkParameter(await linkFor(email));
  const sent = [];
  page.on('request', (r) => sent.push(r.url().replace(/#.*/, ''), r.headers().referer ?? ''));
  await openPledge(page, email);
  await page.getByRole('link', { name: 'Night Ferry' }).click();
  await page.locator('progress').first().waitFor();
  await page.goto(`${base}/community/night-ferry/#t=${token}`);
  await page.locator('[data-decision] form').first().waitFor();
  assert.deepEqual(
    sent.filter((s) => s.includes(token)),
    [],
    'the token is sent to a server',
  );
  const kept = await page.evaluate(
    () => JSON.stringify(localStorage) + document.cookie + location.href + document.referrer,
  );
  assert.equal(kept.includes(token), false, 'the token outlives the tab');
  const other = await page.context().newPage();
  await other.goto(`${base}/manage/`);
  await other.getByText('Open this page with the link').waitFor();
}

/** A link of an earlier release has the token in its query. It is sent only when the link is opened. */
async function legacyLink(visit) {
  const page = await visit();
  const email = newEmail();
  await makePledge(email, 'night-ferry__digital-premiere');
  const token = linkParameter(await linkFor(email));
  const sent = [];
  page.on('request', (r) => sent.push(r.url(), r.headers().referer ?? ''));
  await page.goto(`${base}/manage/?t=${token}&do=cancel`);
  await page.locator('.sheet').getByRole('button', { name: words.en.cancel }).waitFor();
  expectTokenRemoved(page);
  assert.deepEqual(
    sent.filter((s) => s.includes(token)),
    [`${base}/manage/?t=${token}&do=cancel`],
    'the token is sent elsewhere',
  );
}

/** Opening a second link in the same tab shows the second pledge. */
async function secondLink(visit) {
  const page = await visit();
  const [first, second] = [newEmail(), newEmail()];
  await makePledge(first, 'night-ferry__digital-premiere');
  await makePledge(second, 'tidepool-traders__the-game');
  await openPledge(page, first);
  await page.evaluate((link) => location.assign(link), await linkFor(second));
  await page.getByRole('heading', { name: 'Tidepool Traders' }).waitFor();
  expectTokenRemoved(page);
}

/** The community page keeps the token in sessionStorage only. */
// Proves SUP-13.
async function community(visit) {
  const page = await visit();
  const email = newEmail();
  await makePledge(email, 'tidepool-traders__the-game');
  const link = new URL(await linkFor(email));
  const token = linkParameter(link);
  const decisions = (of) => of.locator('[data-decision] form');
  await page.goto(`${base}/community/tidepool-traders/${link.hash}`);
  await decisions(page).first().waitFor();
  assert.equal(await page.evaluate(() => Object.values(sessionStorage).join()), token);
  const { cookies, origins } = await page.context().storageState({ indexedDB: true });
  assert.deepEqual(cookies, [], 'a cookie was set');
  assert.equal(JSON.stringify(origins).includes(token), false, 'the token outlives the tab');
  await page.reload();
  await decisions(page).first().waitFor();
  const other = await page.context().newPage();
  const asked = [];
  other.on('request', (r) => asked.push(r.url()));
  await other.goto(`${base}/community/tidepool-traders/`, { waitUntil: 'networkidle' });
  assert.equal(
    asked.some((url) => url.includes('/votes')),
    false,
    'another tab has the token',
  );
}

/** Stripe's embedded form: the script is loaded from Stripe's host and receives the client secret. */
// Proves SUP-10.
async function stripeForm(visit) {
  const page = await visit();
  await page.addInitScript(() => {
    document.addEventListener('DOMContentLoaded', () => document.body.removeAttribute('data-processor'), {
      capture: true,
    });
    new MutationObserver(() => document.body?.removeAttribute('data-processor')).observe(document, {
      childList: true,
      subtree: true,
    });
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
  const email = newEmail();
  let lost = 1; // the first response after the card was saved is lost
  await page.route('**/checkout-intent/complete', (route) => (lost-- > 0 ? route.abort() : route.continue()));
  await addReward(page, '', 'night-ferry', 'digital-premiere');
  await page.locator('[data-cart]').click();
  await page.locator('[name=email]').fill(email);
  await page.getByRole('button', { name: words.en.next }).click();
  await page.getByText('pk_test_simulator en').waitFor();
  await page.getByRole('button', { name: words.en.card }).click();
  await page.getByText('Your card was declined.').waitFor();
  await page.getByRole('button', { name: words.en.card }).click();
  await page.waitForURL('**/pledge-success/');
  await page.getByRole('heading', { name: words.en.thanks }).waitFor();
  assert.equal(await page.evaluate(() => localStorage.getItem('cart')), null, 'the cart was not emptied');

  await openPledge(page, email);
  await page.getByRole('button', { name: 'Use a different card' }).click();
  await page.getByText("You won't be charged now.").waitFor();
  await page.getByText('pk_test_simulator en').waitFor();
  await page.getByRole('button', { name: words.en.card }).click();
  await page.getByText('Your card was declined.').waitFor();
  await page.getByRole('button', { name: words.en.card }).click();
  await page.getByText('Your card is saved.').waitFor();
}

const charging = {
  en: {
    why: 'Your bank declined the payment.',
    due: ' is due',
    charge: /^Pay \$[\d.,]+ with another card$/,
    failed: "Your card couldn't be charged",
    again: 'The new card was declined too',
    after: /After that (your pledge|it) is dropped: you lose the rewards and owe nothing\./,
    save: /^Save card and pay \$[\d.,]+ now$/,
    paid: 'was charged to your',
  },
  es: {
    why: 'Tu banco rechazó el pago.',
    due: 'por pagar',
    charge: /^Pagar [\d.,]+\sUS\$ con otra tarjeta$/,
    failed: 'No pudimos hacer el cargo en tu tarjeta',
    again: 'La tarjeta nueva también ha sido rechazada',
    after: 'Si no, se anulará: perderás las recompensas y no deberás nada.',
    save: /^Guardar tarjeta y pagar [\d.,]+\sUS\$ ahora$/,
    paid: 'Te cobramos',
  },
};

/**
 * The page of a failed charge begins with the failure, its reason, the amount, the last day for a new
 * card and the consequence. It reports if the new card was declined too, and the result of another one.
 */
async function replaceCard(page, email, w) {
  await openPledge(page, email);
  await page.locator('.note.bad', { hasText: w.why }).waitFor();
  await page.getByRole('heading', { name: w.failed, level: 1 }).waitFor();
  await page.locator('.note.bad').getByText(w.after).waitFor();
  await page.locator('.due-figures').getByText(/\$/).first().waitFor();
  await expectNoViolations(page, 'a failed charge');
  await expectFits(page, 'a failed charge');
  const said = await page.locator('main').innerText();
  assert.doesNotMatch(said, /Charged today|Cobrado hoy/);
  assert.ok(said.includes(w.due), said);
  const failures = () => page.locator('details tbody tr').count();
  const before = await failures();
  for (const card of ['charge_declined', 'ok']) {
    await page.getByRole('button', { name: w.charge }).click();
    await page.locator(`input[name=card][value=${card}]`).check();
    await page.getByRole('button', { name: w.save }).click();
    if (card === 'ok') break;
    await waitForResult(page, async () => (await failures()) > before);
    await page.getByRole('heading', { name: w.again, level: 1 }).waitFor();
    await page.locator('.note.bad', { hasText: w.why }).waitFor();
    await expectNoViolations(page, 'a second failed charge');
  }
  await waitForResult(page, () => page.getByText(w.paid).isVisible());
  await expectNoViolations(page, 'a charged pledge');
  await expectFits(page, 'a charged pledge');
}

/**
 * Waits for the result of a charge. On a busy machine a webhook may have to be delivered a second
 * time, a minute later, so the page is reloaded, as its text suggests.
 */
async function waitForResult(page, isThere) {
  for (
    const until = Date.now() + 180_000;
    Date.now() < until;
    await page.reload(), await page.locator('details tr').first().waitFor({ state: 'attached' })
  ) {
    for (const turn = Date.now() + 30_000; Date.now() < turn; ) {
      if (await isThere()) return;
      await new Promise((go) => setTimeout(go, 100));
    }
  }
  assert.fail(await page.locator('main').innerText());
}

/** After the deadline: a payment that needs approval, and declined cards. */
async function failedCharges(visit) {
  const approve = newEmail();
  const replace = newEmail();
  await makePledge(approve, 'tidepool-traders__the-game', 'auth_always', 12);
  await makePledge(replace, 'tidepool-traders__the-game', 'charge_declined', 12);
  const sustituye = newEmail();
  await makePledge(sustituye, 'tidepool-traders__the-game', 'charge_declined', 1, 'es');
  const spanish = newEmail();
  await makePledge(spanish, 'tidepool-traders__the-game', 'ok', 1, 'es');
  const token = linkParameter(await linkFor(spanish));
  assert.equal((await callAPI('/votes', { token, decisionId: 'fifth-shell', option: 'A toy castle' })).status, 200);
  await callAPI('/demo/clock', { to: '2026-11-23T08:00:00-07:00' });
  const settled = await callAPI(
    '/admin/settle/tidepool-traders',
    {},
    { Authorization: `Bearer ${process.env.SECRET}` },
  );
  assert.equal(settled.status, 200, JSON.stringify(settled.body));

  const page = await visit();
  await openPledge(page, approve);
  await page.getByText('Your bank wants you to approve this payment yourself.').waitFor();
  await expectNoViolations(page, 'a payment to approve');
  await page.getByRole('button', { name: /^Approve payment of \$/ }).click();
  await page.getByText('was charged to your').waitFor();

  await replaceCard(page, replace, charging.en);
  await replaceCard(await visit(phone), sustituye, charging.es);

  const small = await visit(phone);
  await openPledge(small, spanish);
  assert.equal(new URL(small.url()).pathname, '/es/manage/');
  await small.getByText('Te cobramos').waitFor();
  await small.getByRole('heading', { name: 'Recibo' }).waitFor();

  await page.goto(`${base}/campaigns/tidepool-traders/`);
  await page.getByText('Pledging is closed.').waitFor();
  assert.equal(await page.locator('form.pick').count(), 0);
  const stranger = await visit(phone); // vote results are public
  for (const path of ['/campaigns/tidepool-traders/', '/community/tidepool-traders/']) {
    await page.goto(base + path);
    await page.locator('.options li', { hasText: 'A toy castle' }).getByText('Most votes.').waitFor();
    await stranger.goto(`${base}/es${path}`);
    const best = stranger.locator('.options li', { hasText: 'A toy castle' });
    await best.getByText('La opción más votada.').waitFor();
    await best.getByText('1 voto', { exact: true }).waitFor();
    await best.getByRole('progressbar', { name: 'A toy castle: 1 voto' }).waitFor();
  }
}

export default {
  declined,
  offline,
  invalidLinks,
  tokens,
  legacyLink,
  secondLink,
  community,
  stripeForm,
  soldOut,
  failedCharges,
};
