// The checkout form: kept input, quotes, validation and cart problems.
import assert from 'node:assert/strict';
import {
  addReward,
  base,
  callAPI,
  fillAddress,
  homeAddress,
  newEmail,
  smallPhone as phone,
  words,
} from './actions.mjs';

const value = (page, name) => page.locator(`[name="${name}"]`).inputValue();

const texts = {
  en: {
    meant: (email) => `Did you mean ${email}?`,
    empty: 'Fill in this field.',
    email: 'Enter an email address',
    quote: "We can't calculate shipping and tax right now",
    marked: 'Correct the field marked above',
    address: "isn't valid",
    gone: 'no longer available',
    back: 'Edit my details',
    minimum: 'at least $0.50',
    limit: 'from 1 to 10',
    most: 'Enter a whole number from 1 to 10.',
    share: 'from your network',
    whole: /^Enter an amount in whole dollars from \$1 to \$[\d,]+\.$/,
  },
  es: {
    meant: (email) => `¿Querías decir ${email}?`,
    empty: 'Rellena este campo.',
    email: 'Escribe una dirección de correo',
    quote: 'Ahora mismo no podemos calcular',
    marked: 'Corrige el campo marcado',
    address: 'no es válida',
    gone: 'Ya no está disponible',
    back: 'Editar mis datos',
    minimum: 'al menos 0,50 US$',
    limit: 'del 1 al 10',
    most: 'Escribe un número entero del 1 al 10.',
    share: 'desde tu red',
    whole: /^Escribe un importe sin centavos, de 1\sUS\$ a [\d.]+\sUS\$\.$/,
  },
};

/** Input survives a reload, a language switch and the back button, and is deleted after the pledge. */
const keptInput = (lang, options) => async (visit) => {
  const w = words[lang];
  const page = await visit(options);
  const email = newEmail();
  await addReward(page, w.prefix, 'night-ferry', 'bluray');
  await page.goto(`${base}${w.prefix}/checkout/`);
  await page.locator('[name=email]').fill(email);
  await fillAddress(page);
  await page.locator('[name=tipPercent]').selectOption('0');
  await page.locator('[name="items[0].quantity"]').fill('2');
  const expectKept = async (where) => {
    await page.locator('[name="shippingAddress.name"]').waitFor();
    assert.equal(await value(page, 'email'), email, where);
    assert.equal(await value(page, 'tipPercent'), '0', where);
    assert.equal(await value(page, 'items[0].quantity'), '2', where);
    for (const [part, text] of Object.entries(homeAddress))
      assert.equal(await value(page, `shippingAddress.${part}`), text, `${where}: ${part}`);
  };
  const toCard = async () => {
    await page.getByRole('button', { name: words[await page.locator('html').getAttribute('lang')].next }).click();
    await page.locator('input[name=card]').first().waitFor();
  };
  await page.reload();
  await expectKept('after a reload');
  const other = lang === 'en' ? 'es' : 'en';
  await page.locator(`footer a[hreflang=${other}]`).click();
  await page.locator(`html[lang=${other}]`).waitFor();
  await expectKept('in the other language');
  await page.locator(`footer a[hreflang=${lang}]`).click();
  await page.locator(`html[lang=${lang}]`).waitFor();
  await toCard();
  await page.getByRole('button', { name: texts[lang].back }).click();
  await expectKept('after editing the pledge');
  await toCard();
  await page.goBack();
  await expectKept('after going back from the card');
  await page.goto(`${base}${w.prefix}/campaigns/night-ferry/`);
  await page.goBack();
  await expectKept('after going back from elsewhere');
  await page.goBack();
  await page.goForward();
  await expectKept('after going back and forward');

  const tab = await page.context().newPage();
  await tab.goto(`${base}${w.prefix}/checkout/`);
  await tab.locator('[name="shippingAddress.name"]').waitFor();
  assert.equal(await value(tab, 'email'), '', 'the address is visible in another tab');
  assert.equal(
    (await page.evaluate(() => JSON.stringify(localStorage) + document.cookie)).includes(email),
    false,
    'the address outlives the tab',
  );
  await toCard();
  await page.getByRole('button', { name: w.card }).click();
  await page.waitForURL('**/pledge-success/**');
  await page.getByRole('heading', { name: w.thanks }).waitFor(); // the page has received the email
  assert.equal(
    (await page.evaluate(() => JSON.stringify(sessionStorage))).includes(email),
    false,
    'input is kept after the pledge',
  );
};

/** Stock is reserved on the card step and released when the supporter goes back. */
async function backReleasesStock(visit) {
  const page = await visit();
  const left = async () => (await callAPI('/live/night-ferry')).body.inventory.tiers['shooting-script'].remaining;
  const before = await left();
  await addReward(page, '', 'night-ferry', 'shooting-script');
  await page.goto(`${base}/checkout/`);
  await page.locator('[name=email]').fill(newEmail());
  await fillAddress(page);
  await page.getByRole('button', { name: words.en.next }).click();
  await page.locator('input[name=card]').first().waitFor();
  assert.equal(await left(), before - 1);
  await page.locator('.skip').evaluate((e) => e.click()); // adds a history entry within the page
  await page.goBack();
  await page.waitForTimeout(1_000);
  assert.equal((await page.locator('input[name=card]').count()) > 0, true, 'the card form is gone');
  assert.equal(await left(), before - 1);
  await page.goBack();
  await page.locator('[name=email]').waitFor();
  assert.equal(await left(), before);
}

/** Slow and failing quotes do not discard input or move the focus. */
const typing = (lang, options) => async (visit) => {
  const page = await visit(options);
  const own = 'The provider is down';
  let turn = 0;
  let service = 'flaky'; // then down, then up
  await page.route('**/quote', async (route) => {
    await new Promise((go) => setTimeout(go, 150 + (turn++ % 3) * 350));
    if (service === 'up') return route.continue();
    if (turn % 3 === 0) return route.abort();
    if (turn % 3 === 1 || service === 'down')
      return route.fulfill({ status: 503, json: { error: own, code: 'unavailable' } });
    return route.fulfill({ status: 400, json: { error: own, code: 'invalid', field: 'shippingAddress.city' } });
  });
  await addReward(page, words[lang].prefix, 'night-ferry', 'bluray');
  await page.goto(`${base}${words[lang].prefix}/checkout/`);
  const text = {
    email: 'ada.lovelace@example.com',
    'shippingAddress.name': 'Ada Lovelace',
    'shippingAddress.line1': '12 Long Shore Road',
    'shippingAddress.city': 'Taos',
    'shippingAddress.postalCode': '87571',
  };
  for (const [name, typed] of Object.entries(text)) {
    const field = page.locator(`[name="${name}"]`);
    await field.focus();
    for (const key of typed) {
      await page.keyboard.type(key);
      await page.waitForTimeout(key === ' ' ? 900 : 60);
      assert.equal(
        await page.evaluate(() => document.activeElement?.getAttribute('name')),
        name,
        `the focus has left ${name}`,
      );
    }
    await page.waitForTimeout(1_000);
    assert.equal(
      await page.evaluate(() => document.activeElement?.getAttribute('name')),
      name,
      `the focus has left ${name}`,
    );
  }
  for (const [name, typed] of Object.entries(text)) assert.equal(await value(page, name), typed, name);
  service = 'down';
  await page.locator('[name=tipPercent]').selectOption('0');
  await page.getByText(texts[lang].quote).waitFor();
  assert.equal((await page.locator('main').innerText()).includes(own), false, 'the API’s message is on the page');
  service = 'up';
  await page.locator('.bill').waitFor({ timeout: 30_000 }); // without user action
};

/** A refused quote is reported at its field, in the page's language, without taking the focus. */
const refusedQuote = (lang) => async (visit) => {
  const page = await visit();
  await page.route('**/tax/quote', async (route) => {
    const city = route.request().postDataJSON().shippingAddress?.city;
    if (city !== 'Nowhere') return route.continue();
    return route.fulfill({
      status: 400,
      json: { error: 'No such city', code: 'invalid', field: 'shippingAddress.city' },
    });
  });
  await addReward(page, words[lang].prefix, 'night-ferry', 'bluray');
  await page.goto(`${base}${words[lang].prefix}/checkout/`);
  await fillAddress(page);
  const city = page.locator('[name="shippingAddress.city"]');
  await city.fill('Nowhere');
  await page.locator('[name="shippingAddress.postalCode"]').focus();
  await page.locator('[name="shippingAddress.city"][aria-invalid=true]').waitFor();
  assert.match(await page.locator('[id="wrong-shippingAddress.city"]').textContent(), new RegExp(texts[lang].address));
  await page.getByText(texts[lang].marked).waitFor();
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('name')), 'shippingAddress.postalCode');
  await city.fill('Taos');
  assert.equal(await page.locator('.wrong').count(), 0);
  await page.locator('.bill').waitFor();
};

/** Errors found in the browser are shown at their fields, in the page's language. */
const fieldErrors = (lang) => async (visit) => {
  const page = await visit({ locale: 'fr-FR' }); // so that the browser's built-in messages would be French
  await page.goto(`${base}${words[lang].prefix}/campaigns/night-ferry/`);
  const own = page.locator('form[data-pick$=custom-support]');
  await own.locator('input').fill('1.5');
  await own.getByRole('button').click();
  await own.locator('.wrong').getByText(texts[lang].whole).waitFor();
  assert.equal(await own.locator('input').evaluate((e) => e === document.activeElement), true);
  assert.equal(await page.evaluate(() => localStorage.getItem('cart')), null, 'the wrong amount is in the cart');
  await own.locator('input').fill('2');
  await own.locator('.wrong').waitFor({ state: 'detached' });
  await addReward(page, words[lang].prefix, 'night-ferry', 'bluray');
  await page.goto(`${base}${words[lang].prefix}/checkout/`);
  await page.locator('[name=email]').fill('ada@@example');
  await fillAddress(page, { ...homeAddress, city: '' });
  await page.locator('[name="items[0].quantity"]').fill('');
  await page.getByRole('button', { name: words[lang].next }).click();
  assert.match(await page.locator('#wrong-email').textContent(), new RegExp(texts[lang].email));
  assert.equal(await page.locator('[id="wrong-shippingAddress.city"]').textContent(), texts[lang].empty);
  assert.equal(await page.locator('[name="items[0].quantity"]').getAttribute('aria-invalid'), 'true');
  assert.equal(
    await page.evaluate(() => document.activeElement?.getAttribute('name')),
    'items[0].quantity',
    'the first wrong field has the focus',
  );
  await page.locator('[name="items[0].quantity"]').fill('1');
  await page.locator('[name="shippingAddress.city"]').fill('Taos');
  await page.locator('[name=email]').fill('ada@example');
  await page.getByRole('button', { name: words[lang].next }).click();
  await page.locator('[name=email][aria-invalid=true]').waitFor(); // the server validates more strictly
  assert.match(await page.locator('#wrong-email').textContent(), new RegExp(texts[lang].email));
};

/** A mistyped email domain leads to a suggestion and never blocks the checkout. */
const typo = (lang, options) => async (visit) => {
  const page = await visit(options);
  await addReward(page, words[lang].prefix, 'night-ferry', 'bluray');
  await page.goto(`${base}${words[lang].prefix}/checkout/`);
  const email = page.locator('[name=email]');
  const question = (address) =>
    page.getByRole('status').getByRole('button', { name: texts[lang].meant(address), exact: true });
  for (const fine of ['ines@gmail.com', 'ines@libero.it', 'ines@uni-bonn.de', 'ines']) {
    await email.fill(fine);
    await email.blur();
    assert.equal(await page.locator('[role=status] button').count(), 0, fine);
  }
  await email.fill('Ines+film@hotmial.com');
  await email.blur();
  await question('Ines+film@hotmail.com').waitFor();
  await email.pressSequentially('x'); // further typing dismisses it
  assert.equal(await page.locator('[role=status] button').count(), 0);
  await email.fill('Ines+film@outlok.com');
  await email.press('Tab');
  await question('Ines+film@outlook.com').focus();
  await page.keyboard.press('Enter');
  assert.equal(await value(page, 'email'), 'Ines+film@outlook.com');
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('name')), 'email');
  await page.reload();
  assert.equal(await value(page, 'email'), 'Ines+film@outlook.com', 'the accepted suggestion is not kept');
  await fillAddress(page);
  await email.fill(newEmail().replace(/@.*/, '@gmail.con'));
  await page.getByRole('button', { name: words[lang].next }).click();
  await page.locator('input[name=card]').first().waitFor();
};

/** Fields, their order and labels follow the country, and changing it loses no input. */
async function countries(visit) {
  const page = await visit();
  await addReward(page, '', 'night-ferry', 'bluray');
  await page.goto(`${base}/checkout/`);
  await fillAddress(page);
  const labels = () =>
    page.locator('[data-address] label').evaluateAll((all) => all.map((l) => l.firstChild.textContent));
  const country = page.locator('[name="shippingAddress.country"]');
  assert.deepEqual(await labels(), [
    'Country',
    'Name',
    'Street address',
    'Apartment, suite or floor (optional)',
    'City',
    'State',
    'ZIP code',
    'Phone (for the carrier)',
  ]);
  await country.focus();
  await country.selectOption('JP');
  assert.deepEqual(await labels(), [
    'Country',
    'Name',
    'Street address',
    'Apartment, suite or floor (optional)',
    'Prefecture',
    'Postal code',
    'Phone (for the carrier)',
  ]);
  await country.selectOption('DE');
  assert.deepEqual(await labels(), [
    'Country',
    'Name',
    'Street address',
    'Apartment, suite or floor (optional)',
    'Postal code',
    'City',
    'Phone (for the carrier)',
  ]);
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('name')), 'shippingAddress.country');
  await country.selectOption('US');
  for (const [part, text] of Object.entries(homeAddress))
    assert.equal(await value(page, `shippingAddress.${part}`), text, part);
  await page.goto(`${base}/es/checkout/`);
  await page.locator('[name="shippingAddress.country"]').selectOption('GB');
  assert.deepEqual(await labels(), [
    'País',
    'Nombre y apellidos',
    'Calle y número',
    'Apartamento, piso (opcional)',
    'Localidad',
    'Código postal',
    'Teléfono (para el transportista)',
  ]);
}

/** An address in Hong Kong needs no postal code. */
const hongKong = (lang, options) => async (visit) => {
  const w = words[lang];
  const page = await visit(options);
  await addReward(page, w.prefix, 'night-ferry', 'bluray');
  await page.goto(`${base}${w.prefix}/checkout/`);
  await page.locator('[name=email]').fill(newEmail());
  await page.locator('[name="shippingAddress.country"]').selectOption('HK');
  assert.equal(await page.locator('[name="shippingAddress.postalCode"]').count(), 0);
  for (const [name, text] of [
    ['name', 'Ada'],
    ['line1', '1 Nathan Road'],
  ])
    await page.locator(`[name="shippingAddress.${name}"]`).fill(text);
  await page.getByRole('button', { name: w.next }).click();
  assert.equal(await page.locator('[id="wrong-shippingAddress.state"]').textContent(), texts[lang].empty);
  await page.locator('[name="shippingAddress.state"]').fill('Kowloon');
  await page.getByRole('button', { name: w.next }).click();
  await page.locator('input[name=card]').first().waitFor();
  await page.getByRole('button', { name: w.card }).click();
  await page.waitForURL('**/pledge-success/**');
};

/** A shipping option that is not available abroad is removed, and unsupported countries are reported immediately. */
async function deliveryAbroad(visit) {
  const page = await visit();
  await addReward(page, '', 'tidepool-traders', 'painted-set');
  await page.goto(`${base}/checkout/`);
  await page.locator('[name=email]').fill(newEmail());
  await fillAddress(page);
  await page.locator('[name=shippingOption]').selectOption('signature_required');
  await page.locator('.bill').waitFor();
  const country = page.locator('[name="shippingAddress.country"]');
  assert.deepEqual(await country.locator('option:enabled').evaluateAll((all) => all.map((o) => o.value).sort()), [
    'CA',
    'MX',
    'US',
  ]);
  await country.selectOption('CA');
  await page.locator('[name="shippingAddress.state"]').selectOption('ON');
  await page.locator('[name="shippingAddress.postalCode"]').fill('M5V 2T6');
  await page.locator('[name=shippingOption]').waitFor({ state: 'detached' });
  assert.equal(await page.locator('.wrong').count(), 0);
  await page.locator('.bill').waitFor();
  await page.getByRole('button', { name: words.en.next }).click();
  await page.locator('input[name=card]').first().waitFor();
}

/** If another tab adds a reward that is not shipped to the chosen country, an error is shown at the country. */
async function addedAbroad(visit) {
  const page = await visit();
  await addReward(page, '', 'tidepool-traders', 'the-game');
  await page.goto(`${base}/checkout/`);
  const country = page.locator('[name="shippingAddress.country"]');
  await country.selectOption('DE');
  await page.locator('.bill').waitFor();
  const other = await page.context().newPage();
  await addReward(other, '', 'tidepool-traders', 'painted-set');
  await page.locator('[id="wrong-shippingAddress.country"]').getByText("doesn't ship to this country").waitFor();
  assert.equal(await country.inputValue(), 'DE');
}

/** A second unit of a reward that is limited to one per supporter, or a second exclusive reward, cannot be added. */
const preventedItems = (lang, options) => async (visit) => {
  const { prefix } = words[lang];
  const page = await visit(options);
  const cart = () => page.evaluate(() => JSON.parse(localStorage.getItem('cart')).map((i) => `${i.id} ${i.quantity}`));
  await addReward(page, prefix, 'night-ferry', 'night-on-board');
  await page.locator('[data-tier=night-on-board] button').click();
  await page.getByText(lang === 'es' ? 'Solo se puede elegir una vez' : 'Limit one per supporter').waitFor();
  assert.deepEqual(await cart(), ['night-ferry__night-on-board 1']);
  await addReward(page, prefix, 'paper-boat', 'crew');
  await page.locator('[data-tier=captain] button').click();
  await page.getByText(lang === 'es' ? 'en lugar de Crew' : 'instead of Crew').waitFor();
  assert.deepEqual(await cart(), ['night-ferry__night-on-board 1', 'paper-boat__captain 1']);
};

/** Cart problems are shown immediately at the affected lines, and block the checkout. */
const cartProblems = (lang, options) => async (visit) => {
  const w = words[lang];
  const page = await visit(options);
  const open = async (items) => {
    await page.goto(`${base}${w.prefix}/about/`);
    await page.evaluate((value) => localStorage.setItem('cart', JSON.stringify(value)), items);
    await page.goto(`${base}${w.prefix}/checkout/`);
    await page.locator('.chosen').first().waitFor();
  };
  const line = (n) => page.locator('.chosen').nth(n).locator('.wrong');
  const { remaining } = (await callAPI('/live/night-ferry')).body.inventory.tiers['shooting-script'];

  await open([{ id: 'night-ferry__night-on-board', name: 'x', quantity: 7 }]);
  assert.equal(await page.locator('[name="items[0].quantity"]').count(), 0);
  await page.locator('.bill').waitFor();
  assert.equal(await page.evaluate(() => JSON.parse(localStorage.getItem('cart'))[0].quantity), 1);

  await open([
    { id: 'paper-boat__crew', name: 'Crew', quantity: 1 },
    { id: 'paper-boat__captain', name: 'Captain', quantity: 1 },
  ]);
  await line(0)
    .getByText(lang === 'es' ? 'Quita las demás' : 'Remove the others')
    .waitFor();
  await page.locator('[name=email]').fill(newEmail());
  await page.getByRole('button', { name: w.next }).click();
  assert.equal(await page.locator('[name=email]').count(), 1, 'the checkout continues');
  await page.locator('.chosen').nth(1).getByRole('button').click();
  await page.locator('.bill').waitFor();
  assert.equal(await page.locator('.wrong').count(), 0);

  await open([{ id: 'paper-boat__addon__wave', name: 'Wave', quantity: 1 }]);
  await page.getByText(texts[lang].minimum).waitFor();
  await page.locator('[name="items[0].quantity"]').fill('2');
  await page.locator('.bill').waitFor();
  assert.equal(await page.locator('.wrong').count(), 0);

  await open([
    { id: 'addon__pledge-sticker', name: 'Sticker', quantity: 70 },
    { id: 'addon__platform-shirt__variant__xxl', name: 'Shirt', quantity: 1 },
    { id: 'night-ferry__bluray', name: 'Blu-ray', quantity: 1 },
  ]);
  const inBasket = page.locator('.chosen', { hasText: 'All-or-nothing sticker' }).locator('.wrong');
  await inBasket.getByText(texts[lang].limit).waitFor(); // before any input
  await page
    .locator('.chosen', { hasText: 'XXL' })
    .getByText(lang === 'es' ? 'Agotado' : 'Sold out')
    .waitFor();

  await open([
    { id: 'night-ferry__festival-poster', name: 'Poster', quantity: 1 },
    { id: 'paper-boat__rope', name: 'Rope', quantity: 1 },
    { id: 'paper-boat__crew', name: 'Crew', quantity: 1 },
  ]);
  await page.getByText(texts[lang].gone).waitFor();
  await line(0)
    .getByText(lang === 'es' ? 'se desbloquea' : 'unlocks')
    .waitFor();
  assert.ok(remaining > 0);
};

/** The cart shows prices, campaigns and deadlines, and the sticky cart bar leads to it. */
const cart = (lang, options) => async (visit) => {
  const { prefix } = words[lang];
  const page = await visit(options);
  await addReward(page, prefix, 'night-ferry', 'bluray');
  const bar = page.locator('.reach a');
  assert.equal(
    await bar.evaluate((e) => {
      const r = e.getBoundingClientRect();
      return r.top >= 0 && r.bottom <= window.innerHeight;
    }),
    true,
    'the cart bar is not visible',
  );
  await page.locator('form[data-pick$="support__safety-boat"] input').fill('20');
  await page.locator('form[data-pick$="support__safety-boat"] button').click();
  await addReward(page, prefix, 'tidepool-traders', 'the-game');
  await bar.click();
  await page.locator('.chosen').first().waitFor();
  assert.equal(await page.locator('.reach').count(), 0);
  const groups = await page
    .locator('.basket')
    .evaluate((e) =>
      [...e.querySelectorAll('.whose, .chosen')].map((r) =>
        r.matches('.whose')
          ? [...r.children].map((c) => c.textContent)
          : [r.querySelector('.what').textContent, r.querySelector('.price').textContent],
      ),
    );
  const names = groups.map(([name]) => name);
  assert.equal(names[0], 'Night Ferry');
  assert.equal(names[3], 'Tidepool Traders');
  assert.match(groups[0][1], lang === 'es' ? /18 de diciembre de 2026.*23:59/ : /December 18, 2026.*11:59 PM MST/);
  assert.deepEqual(
    groups.filter((g) => g.length === 2 && /\$/.test(g[1])).map((g) => g[1]),
    lang === 'es' ? ['45,00\u00a0US$', '20,00\u00a0US$', '55,00\u00a0US$'] : ['$45.00', '$20.00', '$55.00'],
  );
  const first = page.locator('.chosen').first();
  await first.locator('input').fill('3');
  await first.locator('.price', { hasText: lang === 'es' ? '135,00 US$' : '$135.00' }).waitFor();
};

/** A mail's cart link fills the cart once and is not sent to a server. */
async function cartLink(visit) {
  const page = await visit();
  const asked = [];
  page.on('request', (r) => asked.push(r.url()));
  await page.goto(`${base}/checkout/#cart=night-ferry__bluray*2,night-ferry__custom-support=25,<b>*1`);
  await page.locator('.chosen').nth(1).waitFor();
  assert.equal(await value(page, 'items[0].quantity'), '2');
  assert.equal(await value(page, 'items[1].amount'), '25');
  assert.equal(await page.locator('.chosen').count(), 2);
  assert.equal(new URL(page.url()).hash, '');
  assert.equal(
    asked.some((url) => url.includes('cart=')),
    false,
  );
  await page.locator('[name="items[0].quantity"]').fill('1');
  await page.reload();
  await page.locator('.chosen').nth(1).waitFor();
  assert.equal(await value(page, 'items[0].quantity'), '1');
}

const questions = {
  en: {
    short: 'The ZIP code 8540 is too short.',
    several: 'The ZIP code 81137 is in Colorado and New Mexico. Choose your state.',
    other: 'The ZIP code 60614 is in Illinois.',
    state: "The state or province doesn't match the country.",
    missing: 'To calculate tax we still need: State.',
  },
  es: {
    short: 'El código postal 8540 es demasiado corto.',
    several: 'El código postal 81137 corresponde a Colorado y New Mexico. Elige tu estado.',
    other: 'El código postal 60614 corresponde a Illinois.',
    state: 'El estado o la provincia no corresponde al país.',
    missing: 'Para calcular los impuestos aún necesitamos: Estado.',
  },
};

/** A short ZIP code, or a state of another country, is reported at its field and can be corrected. */
const shortZIP = (lang, options) => async (visit) => {
  const w = words[lang];
  const page = await visit(options);
  await addReward(page, w.prefix, 'night-ferry', 'bluray');
  await page.goto(`${base}${w.prefix}/checkout/`);
  await page.locator('[name=email]').fill(newEmail());
  await fillAddress(page, { ...homeAddress, state: 'TX', postalCode: '8540' });
  await page.getByRole('button', { name: w.next }).click();
  const field = page.locator('[name="shippingAddress.postalCode"][aria-invalid=true]');
  await field.waitFor();
  assert.match(
    await page.locator('[id="wrong-shippingAddress.postalCode"]').textContent(),
    new RegExp(questions[lang].short),
  );
  assert.equal(await field.evaluate((e) => e === document.activeElement), true);
  await page.locator('[name="shippingAddress.postalCode"]').fill('73301');
  await page.route(
    '**/checkout-intent/start',
    (route) => {
      const data = route.request().postDataJSON();
      return route.continue({ postData: { ...data, shippingAddress: { ...data.shippingAddress, state: 'ON' } } });
    },
    { times: 1 },
  );
  await page.getByRole('button', { name: w.next }).click();
  await page.locator('[id="wrong-shippingAddress.state"]').getByText(questions[lang].state).waitFor();
  await page.getByRole('button', { name: w.next }).click();
  await page.locator('input[name=card]').first().waitFor();
};

/** Questions about tax are shown in the bill and at their fields, and missing address fields appear. */
const taxQuestions = (lang, options) => async (visit) => {
  const w = words[lang];
  const page = await visit(options);
  const answers = [
    {
      missing: ['state'],
      question: { field: 'state', reason: 'several_states', postalCode: '81137', states: ['CO', 'NM'] },
    },
    { missing: ['state'], question: { field: 'state', reason: 'other_state', postalCode: '60614', states: ['IL'] } },
    { missing: ['city'], question: { field: 'city', reason: 'missing' } },
  ];
  let at = 0;
  await page.route('**/tax/quote', async (route) => {
    const quote = await (await route.fetch()).json();
    const { missing, question } = answers[at];
    const campaigns = quote.campaigns.map((c) => ({
      ...c,
      taxDetails: { ...c.taxDetails, status: 'needs_input', missing, question },
    }));
    await route.fulfill({ json: { ...quote, provisional: true, missing, campaigns } });
  });
  await addReward(page, w.prefix, 'night-ferry', 'digital-premiere');
  await page.goto(`${base}${w.prefix}/checkout/`);
  const postal = page.locator('[name="billingAddress.postalCode"]');
  for (const [i, text] of [questions[lang].several, questions[lang].other].entries()) {
    at = i;
    await postal.fill(i ? '60614' : '81137');
    await page.locator('.bill').getByText(text).waitFor();
    await page.locator('[id="wrong-billingAddress.state"]').getByText(text).waitFor();
    assert.equal(await page.locator('.wrong').count(), 1);
  }
  at = 2;
  await postal.fill('60615');
  await page.locator('[name="billingAddress.city"]').waitFor();
  assert.equal(await page.locator('.wrong').count(), 0);
  assert.equal(await value(page, 'billingAddress.postalCode'), '60615');
  assert.equal(await postal.evaluate((e) => e === document.activeElement), true, 'the focus was lost');

  await page.locator('[name=email]').fill(newEmail());
  await page.route('**/checkout-intent/start', (route) =>
    route.fulfill({
      status: 409,
      json: {
        error: 'Enter the state: the tax depends on it.',
        code: 'conflict',
        field: 'billingAddress.state',
        details: { field: 'state', reason: 'missing' },
      },
    }),
  );
  await page.getByRole('button', { name: w.next }).click();
  await page.locator('[id="wrong-billingAddress.state"]').getByText(questions[lang].missing).waitFor();
  await page.locator('[name="billingAddress.state"][aria-invalid=true]').waitFor();
};

export default {
  'short ZIP code, in English, on a phone': shortZIP('en', phone),
  'short ZIP code, in Spanish, on a desktop': shortZIP('es'),
  'tax questions, in English, on a desktop': taxQuestions('en'),
  'tax questions, in Spanish, on a phone': taxQuestions('es', phone),
  'kept input, in English, on a desktop': keptInput('en'),
  'kept input, in Spanish, on a phone': keptInput('es', phone),
  'typing, in English, on a phone': typing('en', phone),
  'typing, in Spanish, on a desktop': typing('es'),
  'refused quote, in English': refusedQuote('en'),
  'refused quote, in Spanish': refusedQuote('es'),
  'typo, in English, on a phone': typo('en', phone),
  'typo, in Spanish, on a desktop': typo('es'),
  'field errors, in English': fieldErrors('en'),
  'field errors, in Spanish': fieldErrors('es'),
  'Hong Kong, in English, on a phone': hongKong('en', phone),
  'Hong Kong, in Spanish, on a desktop': hongKong('es'),
  'prevented items, in English, on a desktop': preventedItems('en'),
  'prevented items, in Spanish, on a phone': preventedItems('es', phone),
  'cart problems, in English, on a phone': cartProblems('en', phone),
  'cart problems, in Spanish, on a desktop': cartProblems('es'),
  'cart, in English, on a phone': cart('en', phone),
  'cart, in Spanish, on a desktop': cart('es'),
  backReleasesStock,
  countries,
  deliveryAbroad,
  addedAbroad,
  cartLink,
};
