// The whole way of a pledge, in both languages, on a desk and on a phone.
import assert from 'node:assert/strict';
import { ask, base, checkout, choose, cleared, fillAddress, open, phone, pledge, someone, words } from './act.mjs';

// intent is all that the form sends of a pledge before the card.
const intent = ['campaignSlug', 'items', 'customAmount', 'email', 'shippingAddress', 'billingAddress', 'shippingOption', 'tipPercent', 'preferredLang',
  'attribution', 'abandonedCartConsent', 'session', 'challenge', 'attempt'];

// Proves CHK-03, SIT-28.
const whole = (lang, options) => async (visit) => {
  const w = words[lang];
  const page = await visit(options);
  const starts = [];
  page.on('request', (r) => { if (r.url().endsWith('/checkout-intent/start')) starts.push(r.postDataJSON()); });
  const email = someone();
  await page.goto(`${base}${w.prefix}/`);
  await page.getByRole('link', { name: /Night Ferry/ }).click();
  await page.locator('progress').first().waitFor();
  await page.locator('[data-tier=bluray] button').click();
  await page.locator('form[data-pick$="support__safety-boat"] input').fill('20');
  await page.locator('form[data-pick$="support__safety-boat"] button').click();
  await checkout(page, w, email, { address: true });
  await page.waitForURL('**/pledge-success/');
  await page.getByRole('heading', { name: w.thanks }).waitFor();
  assert.deepEqual(starts.flatMap((sent) => Object.keys(sent)).filter((name) => !intent.includes(name)), [], 'the site collects more than the intent');
  assert.deepEqual(starts.map(({ email: to, items, shippingAddress, billingAddress, tipPercent }) => [to, items.length, shippingAddress?.line1, Boolean(billingAddress ?? shippingAddress), tipPercent]),
    [[email, 2, '1 Shore Road', true, 5]]);

  await open(page, email); // the mail knows one address; the page goes on in the supporter's language
  assert.equal(new URL(page.url()).pathname, `${w.prefix}/manage/`);
  cleared(page);
  await page.getByText(w.visa).waitFor();
  await page.getByRole('button', { name: w.change, exact: true }).click();
  await page.locator('input[name="night-ferry__bluray"]').fill('2');
  await page.getByRole('button', { name: w.look }).click();
  await page.getByRole('button', { name: w.confirm }).click();
  await page.getByText('× 2').first().waitFor();

  await page.getByRole('link', { name: w.votes }).click();
  await page.getByLabel('Same time tomorrow.').check();
  await page.locator('[data-decision=last-line]').getByRole('button', { name: w.vote }).click();
  await page.locator('[data-decision=last-line]').getByText(lang === 'es' ? /^\d+ votos?$/ : /^\d+ votes?$/).first().waitFor();

  await page.goto(`${base}${w.prefix}/manage/`);
  await page.getByRole('button', { name: w.cancel }).click();
  await page.locator('.sheet').getByRole('button', { name: w.cancel }).click();
  await page.getByText(w.nothing).waitFor();
};

/** What is charged, and when, is on the page before a card is. */
async function promise(visit) {
  const page = await visit();
  await choose(page, '', 'night-ferry', 'digital-premiere');
  await page.locator('[data-cart]').click();
  const bill = page.locator('.bill');
  await bill.getByText('Charged today').waitFor();
  const rows = Object.fromEntries(await bill.locator('tr').evaluateAll((all) => all.map((tr) => [tr.querySelector('th')?.firstChild?.textContent, tr.querySelector('td')?.textContent])));
  assert.deepEqual(rows, { Subtotal: '$25', Tax: '$1.97', 'Tip (5%)': '$1.25', "You'll pay": '$28.22', 'Charged today': '$0' });
  await page.locator('[name=tipPercent]').selectOption('0');
  await bill.getByText('$26.97').waitFor();
  await page.locator('[name="items[0].quantity"]').fill('3');
  await bill.getByText('$80.91').waitFor(); // 75 and 5.91 of tax
  await page.getByRole('button', { name: /^Remove/ }).click();
  await page.getByText('Your pledge is empty.').waitFor();
}

/** Tax that takes more of the address is two dashes, with what it takes. */
// Proves TAX-24.
async function dashes(visit) {
  const page = await visit();
  let whole = false;
  await page.route('**/tax/quote', async (route) => {
    const answer = await route.fetch();
    const quote = await answer.json();
    whole = Boolean(route.request().postDataJSON().billingAddress?.postalCode);
    await route.fulfill({ json: whole ? quote : { ...quote, taxCents: 0, amountCents: 2625, provisional: true, missing: ['country', 'postalCode'] } });
  });
  await choose(page, '', 'night-ferry', 'digital-premiere');
  await page.locator('[data-cart]').click();
  const tax = page.locator('.bill tr', { hasText: 'Tax' }).first();
  await tax.getByText('--').waitFor();
  await tax.getByText('Country, Postal code').waitFor();
  await page.locator('.bill').getByText('$26.25 plus tax').waitFor();
  await page.locator('[name="billingAddress.postalCode"]').fill('07030');
  await tax.getByText('$1.97').waitFor();
}

/** Every mistake is named at its field, and nothing typed is lost. */
async function mistakes(visit) {
  const page = await visit();
  await choose(page, '', 'night-ferry', 'bluray');
  await page.locator('[data-cart]').click();
  await page.locator('[name=email]').fill('ada@@example');
  await page.locator('[name="shippingAddress.name"]').waitFor();
  await fillAddress(page);
  await page.getByRole('button', { name: words.en.next }).click();
  assert.equal(await page.locator('[name=email]').evaluate((e) => e === document.activeElement), true, 'the wrong field has the focus');
  await page.locator('[name=email]').fill('ada@example');
  await page.getByRole('button', { name: words.en.next }).click();
  await page.locator('[name=email][aria-invalid=true]').waitFor();
  assert.match(await page.locator('#wrong-email').textContent(), /email/i);
  assert.equal(await page.locator('[name="shippingAddress.city"]').inputValue(), 'Taos');
}

/** A second click on a busy button is none, and nothing but what was chosen is sent. */
async function doubleClick(visit) {
  const page = await visit();
  const starts = [];
  const quotes = [];
  page.on('request', (r) => {
    if (r.url().endsWith('/checkout-intent/start')) starts.push(r.postDataJSON());
    if (r.url().endsWith('/quote')) quotes.push(r.postDataJSON());
  });
  await page.goto(`${base}/?ref=friend&utm_source=letter`);
  await choose(page, '', 'night-ferry', 'digital-premiere');
  await page.locator('[data-cart]').click();
  await page.locator('[name=email]').fill(someone());
  await page.getByRole('button', { name: words.en.next }).dblclick();
  await page.locator('input[name=card]').first().waitFor();
  assert.equal(starts.length, 1);
  assert.deepEqual(Object.keys(starts[0]).sort(), ['attempt', 'attribution', 'email', 'items', 'preferredLang', 'session', 'tipPercent'], 'more than an intent is sent');
  assert.match(starts[0].attempt, /^[0-9a-f]{32}$/);
  assert.deepEqual(starts[0].attribution, { referral: 'friend', utmSource: 'letter' });
  assert.deepEqual(starts[0].items, [{ id: 'night-ferry__digital-premiere', quantity: 1 }]);
  assert.ok(quotes.length >= 2, 'nothing is quoted');
  for (const quote of quotes) assert.deepEqual(quote, { items: starts[0].items, tipPercent: 5 });
}

/** Numbers change while somebody looks. */
async function watching(visit) {
  const page = await visit();
  await page.goto(`${base}/campaigns/night-ferry/`);
  const pledged = page.locator('[data-pledged]');
  await page.locator('progress').first().waitFor();
  const before = await pledged.textContent();
  await pledge(someone(), 'night-ferry__digital-premiere');
  await page.waitForFunction((old) => document.querySelector('[data-pledged]').textContent !== old, before);
}

/** Who reloads, or leaves and comes back, finds the checkout as it was, with the last unit. */
async function comingBack(visit) {
  const page = await visit();
  const left = async () => (await ask('/live/night-ferry')).body.inventory.tiers['night-on-board'].remaining;
  const before = await left();
  await choose(page, '', 'night-ferry', 'night-on-board');
  await page.locator('[data-cart]').click();
  await page.locator('[name=email]').fill(someone());
  const begun = page.waitForResponse('**/checkout-intent/start').then((r) => r.json());
  await page.getByRole('button', { name: words.en.next }).click();
  await page.locator('input[name=card]').first().waitFor();
  const { orderId, consent } = await begun;
  for (const leave of [() => page.reload(), async () => {
    await page.goto(`${base}/campaigns/night-ferry/`);
    await page.locator('[data-cart]').click();
  }]) {
    await leave();
    await page.locator('input[name=card]').first().waitFor();
    await page.getByText(consent.text).waitFor();
    assert.equal(await left(), before - 1, 'the unit is held once');
  }
  const kept = await page.evaluate(() => localStorage.getItem('checkout'));
  assert.equal(atob(JSON.parse(kept).order.token.split('.')[0]).includes('@'), false, 'an address is kept');
  await page.getByRole('button', { name: words.en.card }).click();
  await page.waitForURL(`**/pledge-success/**`);
  assert.equal((await ask('/checkout-intent/complete', { orderId, sessionId: 'x' })).status, 409);
  assert.equal(await page.evaluate(() => localStorage.getItem('checkout')), null, 'what is over is kept');
  assert.equal(await left(), before - 1);
}

/** Who comes back with another cart begins anew, and gives back what was held. */
async function otherwise(visit) {
  const page = await visit();
  const left = async () => (await ask('/live/night-ferry')).body.inventory.tiers['shooting-script'].remaining;
  const before = await left();
  await choose(page, '', 'night-ferry', 'shooting-script');
  await page.locator('[data-cart]').click();
  await page.locator('[name=email]').fill(someone());
  await page.locator('[name="shippingAddress.name"]').waitFor();
  await fillAddress(page);
  await page.getByRole('button', { name: words.en.next }).click();
  await page.locator('input[name=card]').first().waitFor();
  await choose(page, '', 'night-ferry', 'digital-premiere');
  await page.locator('[data-cart]').click();
  await page.locator('[name=email]').waitFor();
  assert.equal(await left(), before);
}

/** The page says that it is open; when that was too late, it says so and begins anew. */
async function lapsed(visit) {
  const page = await visit();
  await choose(page, '', 'night-ferry', 'shooting-script');
  await page.locator('[data-cart]').click();
  await page.locator('[name=email]').fill(someone());
  await page.locator('[name="shippingAddress.name"]').waitFor();
  await fillAddress(page);
  const begun = page.waitForResponse('**/checkout-intent/start').then((r) => r.json());
  await page.getByRole('button', { name: words.en.next }).click();
  await page.locator('input[name=card]').first().waitFor();
  const extended = page.waitForResponse('**/checkout-intent/extend');
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  assert.equal((await extended).status(), 200);
  await page.route('**/checkout-intent/extend', (route) => route.fulfill({ status: 410, json: { error: 'This checkout has ended', code: 'gone' } }));
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  await page.getByText('You were away too long').waitFor();
  await page.getByRole('button', { name: 'Start again' }).click();
  await page.locator('[name=email]').waitFor();
  const { orderId, checkoutToken } = await begun; // it has not really ended
  assert.equal((await ask('/checkout-intent/abandon', { orderId, token: checkoutToken })).status, 200);
}

/** Who goes back gives the reservation back. */
async function goingBack(visit) {
  const page = await visit();
  const left = async () => (await ask('/live/night-ferry')).body.inventory.tiers['shooting-script'].remaining;
  const before = await left();
  await choose(page, '', 'night-ferry', 'shooting-script');
  await page.locator('[data-cart]').click();
  await page.locator('[name=email]').fill(someone());
  await page.locator('[name="shippingAddress.name"]').waitFor();
  await fillAddress(page);
  await page.getByRole('button', { name: words.en.next }).click();
  await page.locator('input[name=card]').first().waitFor();
  await page.getByRole('button', { name: 'Edit pledge' }).click();
  await page.locator('[name=email]').waitFor();
  assert.equal(await left(), before);
}

export default {
  'in English, on a desk': whole('en'),
  'in English, on a phone': whole('en', phone),
  'in Spanish, on a desk': whole('es'),
  'in Spanish, on a phone': whole('es', phone),
  promise, dashes, mistakes, doubleClick, watching, comingBack, otherwise, lapsed, goingBack,
};
