// Shipping addresses: the carrier's phone number, countries that nothing is shipped to, and an
// address that can no longer be changed.
import assert from 'node:assert/strict';
import {
  addReward,
  base,
  callAPI,
  fillAddress,
  homeAddress,
  makePledge,
  newEmail,
  openPledge,
  phone,
  words,
} from './actions.mjs';

const texts = {
  en: {
    label: 'Phone (for the carrier)',
    here: 'For questions about the delivery',
    abroad: 'customs abroad often need it',
    wrong: 'Enter a phone number',
    address: 'Change address',
    shipsTo: 'Worldwide, except Cuba, Iran, North Korea, Syria',
    excluded: "doesn't ship to this country",
    fixed: 'It has to be in the same country',
    ask: 'Email us',
  },
  es: {
    label: 'Teléfono (para el transportista)',
    here: 'Por si hay dudas con la entrega',
    abroad: 'aduanas de otros países suelen pedirlo',
    wrong: 'Escribe un número de teléfono',
    address: 'Cambiar la dirección',
    shipsTo: 'Todo el mundo, excepto Cuba, Irán, Corea del Norte, Siria',
    excluded: 'no se envía a este país',
    fixed: 'tiene que estar en el mismo país',
    ask: 'Escríbenos',
  },
};

/** The phone number is optional, checked at Continue, shown before the card, and changed on the pledge's page. */
const phoneNumber = (lang, options) => async (visit) => {
  const w = words[lang];
  const t = texts[lang];
  const page = await visit(options);
  const email = newEmail();
  const quoted = [];
  page.on('request', (r) => {
    if (r.url().endsWith('/quote')) quoted.push(r.postDataJSON().shippingAddress?.phone);
  });
  await addReward(page, w.prefix, 'night-ferry', 'bluray');
  await page.goto(`${base}${w.prefix}/checkout/`);
  await page.locator('[name=email]').fill(email);
  await fillAddress(page);
  const number = page.getByLabel(t.label);
  await page.getByText(t.here).waitFor();
  await page.locator('[name="shippingAddress.country"]').selectOption('CA');
  await page.getByText(t.abroad).waitFor();
  await page.locator('[name="shippingAddress.country"]').selectOption('US');
  await number.fill('call me');
  await page.locator('.bill').waitFor();
  assert.equal(await page.locator('.wrong').count(), 0, 'an error is shown while typing');
  await page.getByRole('button', { name: w.next }).click();
  await page.locator('[id="wrong-shippingAddress.phone"]').getByText(t.wrong).waitFor();
  assert.equal(await number.evaluate((e) => e === document.activeElement), true);
  await number.fill('+1 (575) 555-0100');
  await page.getByRole('button', { name: w.next }).click();
  await page.locator('.details').getByText('+1 (575) 555-0100').waitFor();
  assert.deepEqual([...new Set(quoted.filter(Boolean))], [], 'a quote contains the number');
  await page.getByRole('button', { name: w.card }).click();
  await page.waitForURL('**/pledge-success/**');

  await openPledge(page, email);
  await page.getByText('+1 (575) 555-0100').first().waitFor();
  await page.getByRole('button', { name: t.address, exact: true }).click();
  await page.getByLabel(t.label).fill('12');
  await page.getByRole('button', { name: w.look }).click();
  await page.locator('[id="wrong-shippingAddress.phone"]').getByText(t.wrong).waitFor();
  await page.getByLabel(t.label).fill('575 555 0199');
  await page.getByRole('button', { name: w.look }).click();
  await page.getByRole('button', { name: w.confirm }).click();
  await page.getByText('575 555 0199').first().waitFor();
};

/** The form offers no excluded or uninhabited country, and the service refuses one that is sent anyway. */
const excludedCountries = (lang, options) => async (visit) => {
  const { prefix, next } = words[lang];
  const t = texts[lang];
  const page = await visit(options);
  await addReward(page, prefix, 'night-ferry', 'bluray');
  await page.locator('[data-tier=bluray]').getByText(t.shipsTo).waitFor();
  await page.goto(`${base}${prefix}/checkout/`);
  await page.locator('[name=email]').fill(newEmail());
  await fillAddress(page);
  const country = page.locator('[name="shippingAddress.country"]');
  const offered = await country.locator('option:enabled').evaluateAll((all) => all.map((o) => o.value));
  for (const code of ['CU', 'IR', 'KP', 'SY', 'AQ', 'BV', 'HM'])
    assert.equal(offered.includes(code), false, `${code} is offered`);
  for (const code of ['US', 'DE', 'FK', 'UA']) assert.ok(offered.includes(code), `${code} is not offered`);
  await page.route('**/checkout-intent/start', (route) => {
    const data = route.request().postDataJSON();
    return route.continue({
      postData: { ...data, shippingAddress: { ...data.shippingAddress, state: '', country: 'IR' } },
    });
  });
  await page.getByRole('button', { name: next }).click();
  await page.locator('[id="wrong-shippingAddress.country"]').getByText(t.excluded).waitFor();
  const cart = {
    items: [{ id: 'night-ferry__bluray', quantity: 1 }],
    shippingAddress: { ...homeAddress, state: '', country: 'IR' },
  };
  for (const path of ['/shipping/quote', '/tax/quote']) {
    const answer = await callAPI(path, cart);
    assert.deepEqual([answer.status, answer.body.field], [400, 'shippingAddress.country'], path);
  }
};

/** After the charge, the pledge's page states that the country cannot be changed and whom to contact. */
const fixedAddress = (lang, options) => async (visit) => {
  const page = await visit(options);
  const email = newEmail();
  await makePledge(email, 'night-ferry__bluray', 'ok', 1, lang);
  let parcels = [];
  await page.route('**/pledge', async (route) => {
    const answer = await route.fetch();
    const v = await answer.json();
    const charged = {
      pledgeStatus: 'charged',
      charged: true,
      chargedAt: '2026-11-22T08:15:00Z',
      canModify: false,
      canCancel: false,
    };
    return route.fulfill({ response: answer, json: { ...v, ...charged, parcels } });
  });
  await openPledge(page, email);
  const t = texts[lang];
  await page.getByText(t.fixed).waitFor();
  assert.match(await page.getByRole('link', { name: t.ask }).getAttribute('href'), /^mailto:.+@.+\?subject=pw-/);
  parcels = [{ fulfiller: 'campaign', status: 'sent', sentOn: '2026-11-25' }];
  await page.reload();
  await page.locator('.pledge .note').first().waitFor();
  assert.equal(await page.getByText(t.fixed).count(), 0, 'the address of a sent parcel can be changed');
};

export default {
  'phone number, in English, on a phone': phoneNumber('en', phone),
  'phone number, in Spanish, on a desktop': phoneNumber('es'),
  'excluded countries, in English, on a desktop': excludedCountries('en'),
  'excluded countries, in Spanish, on a phone': excludedCountries('es', phone),
  'fixed address, in English, on a desktop': fixedAddress('en'),
  'fixed address, in Spanish, on a phone': fixedAddress('es', phone),
};
