// Making a pledge, in both languages, on a desktop and on a phone.
import assert from 'node:assert/strict';
import {
  addReward,
  base,
  callAPI,
  checkOut,
  expectTokenRemoved,
  fillAddress,
  makePledge,
  newEmail,
  openPledge,
  smallPhone as phone,
  words,
} from './actions.mjs';

// The form may send only these fields before the card is entered.
const allowedFields = [
  'campaignSlug',
  'items',
  'customAmount',
  'email',
  'shippingAddress',
  'billingAddress',
  'shippingOption',
  'tipPercent',
  'tipCents',
  'preferredLang',
  'attribution',
  'abandonedCartConsent',
  'session',
  'challenge',
  'attempt',
];

// Proves CHK-03, SIT-28.
const purchase = (lang, options) => async (visit) => {
  const w = words[lang];
  const page = await visit(options);
  const starts = [];
  page.on('request', (r) => {
    if (r.url().endsWith('/checkout-intent/start')) starts.push(r.postDataJSON());
  });
  const email = newEmail();
  await page.goto(`${base}${w.prefix}/`);
  await page.getByRole('link', { name: /Night Ferry/ }).click();
  await page.locator('progress').first().waitFor();
  await page.locator('[data-tier=bluray] button').click();
  await page.locator('form[data-pick$="support__safety-boat"] input').fill('20');
  await page.locator('form[data-pick$="support__safety-boat"] button').click();
  await checkOut(page, w, email, { address: true });
  await page.waitForURL('**/pledge-success/');
  await page.getByRole('heading', { name: w.thanks }).waitFor();
  assert.deepEqual(
    starts.flatMap((sent) => Object.keys(sent)).filter((name) => !allowedFields.includes(name)),
    [],
    'the site sends other fields',
  );
  assert.deepEqual(
    starts.map(({ email: to, items, shippingAddress, billingAddress, tipPercent }) => [
      to,
      items.length,
      shippingAddress?.line1,
      Boolean(billingAddress ?? shippingAddress),
      tipPercent,
    ]),
    [[email, 2, '1 Shore Road', true, 0]],
  );

  await openPledge(page, email); // the mail links to the default language; the page redirects to the supporter's
  assert.equal(new URL(page.url()).pathname, `${w.prefix}/manage/`);
  expectTokenRemoved(page);
  await page.getByText(w.visa).waitFor();
  await page.getByRole('button', { name: w.change, exact: true }).click();
  await page.locator('input[name="night-ferry__bluray"]').fill('2');
  await page.getByRole('button', { name: w.look }).click();
  await page.getByRole('button', { name: w.confirm }).click();
  await page.getByText('× 2').first().waitFor();

  await page.getByRole('link', { name: w.votes }).click();
  await page.getByLabel('Same time tomorrow.').check();
  await page.locator('[data-decision=last-line]').getByRole('button', { name: w.vote }).click();
  await page
    .locator('[data-decision=last-line]')
    .getByText(lang === 'es' ? /^\d+ votos?$/ : /^\d+ votes?$/)
    .first()
    .waitFor();

  await page.goto(`${base}${w.prefix}/manage/`);
  await page.getByRole('button', { name: w.cancel }).click();
  await page.locator('.sheet').getByLabel(w.cancelWhy).fill('Too late for me');
  const cancelled = page.waitForRequest('**/pledge/cancel');
  await page.locator('.sheet').getByRole('button', { name: w.cancel }).click();
  assert.equal((await cancelled).postDataJSON().reason, 'Too late for me');
  await page.getByText(w.nothing).waitFor();
};

/** The bill shows the amount and date of the charge before a card is requested. */
async function billTotals(visit) {
  const page = await visit();
  await addReward(page, '', 'night-ferry', 'digital-premiere');
  await page.locator('[data-cart]').click();
  const bill = page.locator('.bill');
  await bill.getByText('Charged today').waitFor();
  const rows = Object.fromEntries(
    await bill
      .locator('tr')
      .evaluateAll((all) =>
        all.map((tr) => [tr.querySelector('th')?.firstChild?.textContent, tr.querySelector('td')?.textContent]),
      ),
  );
  assert.deepEqual(rows, {
    Subtotal: '$25.00',
    Tax: '$1.97',
    Tip: '$0.00',
    "You'll pay": 'USD\u00a0$26.97',
    'Charged today': '$0.00',
  });
  await page.locator('[name=tipPercent]').selectOption('5');
  await bill.getByText('$28.22').waitFor();
  await page.locator('[name=tipPercent]').selectOption('other');
  await page.locator('[name=tipCents]').fill('2.50');
  await bill.getByText('$29.47').waitFor();
  await page.locator('[name=tipPercent]').selectOption('0');
  await bill.getByText('$26.97').waitFor();
  await page.locator('[name="items[0].quantity"]').fill('3');
  await bill.getByText('$80.91').waitFor(); // $75 and $5.91 of tax
  await page.getByRole('button', { name: /^Remove/ }).click();
  await page.getByText('Your cart is empty.').waitFor();
}

/**
 * If the tax depends on missing parts of the address, the bill shows two dashes for it and names
 * the missing fields.
 */
// Proves TAX-24.
async function provisionalTax(visit) {
  const page = await visit();
  let whole = false;
  await page.route('**/tax/quote', async (route) => {
    const answer = await route.fetch();
    const quote = await answer.json();
    whole = Boolean(route.request().postDataJSON().billingAddress?.postalCode);
    await route.fulfill({
      json: whole
        ? quote
        : { ...quote, taxCents: 0, amountCents: 2625, provisional: true, missing: ['country', 'postalCode'] },
    });
  });
  await addReward(page, '', 'night-ferry', 'digital-premiere');
  await page.locator('[data-cart]').click();
  const tax = page.locator('.bill tr', { hasText: 'Tax' }).first();
  await tax.getByText('--').waitFor();
  await tax.getByText('Country and ZIP code').waitFor();
  await page.locator('.bill').getByText('$26.25 plus tax').waitFor();
  await page.locator('[name="billingAddress.postalCode"]').fill('07030');
  await tax.getByText('$1.97').waitFor();
}

/** Errors are shown at their fields and no input is lost. */
async function fieldErrors(visit) {
  const page = await visit();
  await addReward(page, '', 'night-ferry', 'bluray');
  await page.locator('[data-cart]').click();
  await page.locator('[name=email]').fill('ada@@example');
  await page.locator('[name="shippingAddress.name"]').waitFor();
  await fillAddress(page);
  await page.getByRole('button', { name: words.en.next }).click();
  assert.equal(
    await page.locator('[name=email]').evaluate((e) => e === document.activeElement),
    true,
    'the invalid field does not have the focus',
  );
  await page.locator('[name=email]').fill('ada@example');
  await page.getByRole('button', { name: words.en.next }).click();
  await page.locator('[name=email][aria-invalid=true]').waitFor();
  assert.match(await page.locator('#wrong-email').textContent(), /email/i);
  assert.equal(await page.locator('[name="shippingAddress.city"]').inputValue(), 'Taos');
}

/** A second click on a busy button is ignored, and only the selection is sent. */
async function doubleClick(visit) {
  const page = await visit();
  const starts = [];
  const quotes = [];
  page.on('request', (r) => {
    if (r.url().endsWith('/checkout-intent/start')) starts.push(r.postDataJSON());
    if (r.url().endsWith('/quote')) quotes.push(r.postDataJSON());
  });
  await page.goto(`${base}/?ref=friend&utm_source=letter`);
  await addReward(page, '', 'night-ferry', 'digital-premiere');
  await page.locator('[data-cart]').click();
  await page.locator('[name=email]').fill(newEmail());
  await page.getByRole('button', { name: words.en.next }).dblclick();
  await page.locator('input[name=card]').first().waitFor();
  assert.equal(starts.length, 1);
  assert.deepEqual(
    Object.keys(starts[0]).sort(),
    ['attempt', 'attribution', 'email', 'items', 'preferredLang', 'session', 'tipPercent'],
    'other fields are sent',
  );
  assert.match(starts[0].attempt, /^[0-9a-f]{32}$/);
  assert.deepEqual(starts[0].attribution, { referral: 'friend', utmSource: 'letter' });
  assert.deepEqual(starts[0].items, [{ id: 'night-ferry__digital-premiere', quantity: 1 }]);
  assert.ok(quotes.length >= 2, 'no quote was requested');
  for (const quote of quotes) assert.deepEqual(quote, { items: starts[0].items, tipPercent: 0 });
}

/** Figures update while the page is open. */
async function liveUpdates(visit) {
  const page = await visit();
  await page.goto(`${base}/campaigns/night-ferry/`);
  const pledged = page.locator('[data-pledged]');
  await page.locator('progress').first().waitFor();
  const before = await pledged.textContent();
  await makePledge(newEmail(), 'night-ferry__digital-premiere');
  await page.waitForFunction((old) => document.querySelector('[data-pledged]').textContent !== old, before);
}

/** A checkout survives a reload and leaving the page, with its reservation of the last unit. */
async function resumedCheckout(visit) {
  const page = await visit();
  const left = async () => (await callAPI('/live/night-ferry')).body.inventory.tiers['night-on-board'].remaining;
  const before = await left();
  await addReward(page, '', 'night-ferry', 'night-on-board');
  await page.locator('[data-cart]').click();
  await page.locator('[name=email]').fill(newEmail());
  const begun = page.waitForResponse('**/checkout-intent/start').then((r) => r.json());
  await page.getByRole('button', { name: words.en.next }).click();
  await page.locator('input[name=card]').first().waitFor();
  const { orderId, consent } = await begun;
  for (const leave of [
    () => page.reload(),
    async () => {
      await page.goto(`${base}/campaigns/night-ferry/`);
      await page.locator('[data-cart]').click();
    },
  ]) {
    await leave();
    await page.locator('input[name=card]').first().waitFor();
    await page.getByText(consent.text).waitFor();
    assert.equal(await left(), before - 1, 'the unit is not reserved exactly once');
  }
  const kept = await page.evaluate(() => localStorage.getItem('checkout'));
  assert.equal(atob(JSON.parse(kept).order.token.split('.')[0]).includes('@'), false, 'an email address is stored');
  await page.getByRole('button', { name: words.en.card }).click();
  await page.waitForURL(`**/pledge-success/**`);
  assert.equal((await callAPI('/checkout-intent/complete', { orderId, sessionId: 'x' })).status, 409);
  assert.equal(await page.evaluate(() => localStorage.getItem('checkout')), null, 'the finished checkout is kept');
  assert.equal(await left(), before - 1);
}

/** A checkout with a changed cart starts again and releases the old reservation. */
async function changedCart(visit) {
  const page = await visit();
  const left = async () => (await callAPI('/live/night-ferry')).body.inventory.tiers['shooting-script'].remaining;
  const before = await left();
  await addReward(page, '', 'night-ferry', 'shooting-script');
  await page.locator('[data-cart]').click();
  await page.locator('[name=email]').fill(newEmail());
  await page.locator('[name="shippingAddress.name"]').waitFor();
  await fillAddress(page);
  await page.getByRole('button', { name: words.en.next }).click();
  await page.locator('input[name=card]').first().waitFor();
  await addReward(page, '', 'night-ferry', 'digital-premiere');
  await page.locator('[data-cart]').click();
  await page.locator('[name=email]').waitFor();
  assert.equal(await left(), before);
}

/** An open page extends its reservations. If they have expired, it offers to start again. */
async function expiredReservation(visit) {
  const page = await visit();
  await addReward(page, '', 'night-ferry', 'shooting-script');
  await page.locator('[data-cart]').click();
  await page.locator('[name=email]').fill(newEmail());
  await page.locator('[name="shippingAddress.name"]').waitFor();
  await fillAddress(page);
  const begun = page.waitForResponse('**/checkout-intent/start').then((r) => r.json());
  await page.getByRole('button', { name: words.en.next }).click();
  await page.locator('input[name=card]').first().waitFor();
  const extended = page.waitForResponse('**/checkout-intent/extend');
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  assert.equal((await extended).status(), 200);
  await page.route('**/checkout-intent/extend', (route) =>
    route.fulfill({ status: 410, json: { error: 'This checkout has ended', code: 'gone' } }),
  );
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  await page.getByText('Your reservation ended').waitFor();
  await page.getByRole('button', { name: 'Start again' }).click();
  await page.locator('[name=email]').waitFor();
  const { orderId, checkoutToken } = await begun; // the real order is still open
  assert.equal((await callAPI('/checkout-intent/abandon', { orderId, token: checkoutToken })).status, 200);
}

/** Going back to the form releases the reservation. */
async function editPledge(visit) {
  const page = await visit();
  const left = async () => (await callAPI('/live/night-ferry')).body.inventory.tiers['shooting-script'].remaining;
  const before = await left();
  await addReward(page, '', 'night-ferry', 'shooting-script');
  await page.locator('[data-cart]').click();
  await page.locator('[name=email]').fill(newEmail());
  await page.locator('[name="shippingAddress.name"]').waitFor();
  await fillAddress(page);
  await page.getByRole('button', { name: words.en.next }).click();
  await page.locator('input[name=card]').first().waitFor();
  await page.getByRole('button', { name: 'Edit my details' }).click();
  await page.locator('[name=email]').waitFor();
  assert.equal(await left(), before);
}

export default {
  'purchase, in English, on a desktop': purchase('en'),
  'purchase, in English, on a phone': purchase('en', phone),
  'purchase, in Spanish, on a desktop': purchase('es'),
  'purchase, in Spanish, on a phone': purchase('es', phone),
  billTotals,
  provisionalTax,
  fieldErrors,
  doubleClick,
  liveUpdates,
  resumedCheckout,
  changedCart,
  expiredReservation,
  editPledge,
};
