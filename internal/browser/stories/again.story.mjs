// A cart in two tabs, a price that changes meanwhile, and a checkout that is already finished.
import assert from 'node:assert/strict';
import { addReward, base, fillAddress, newEmail, smallPhone as phone, words } from './actions.mjs';

const texts = {
  en: {
    made: "You've already made this pledge",
    with: (amount) => `Night Ferry (${amount})`,
    more: "The price changed: you'll pay $4.00 more.",
    accept: 'Accept the new total',
    limit: 'Enter a whole number from 1 to 10.',
    sum: '$105.00',
  },
  es: {
    made: 'Ya has hecho esta aportación',
    with: (amount) => `Night Ferry (${amount})`,
    more: 'Ha cambiado el precio: pagarás 4,00\u00a0US$ más.',
    accept: 'Aceptar el total nuevo',
    limit: 'Escribe un número entero del 1 al 10.',
    sum: '105,00\u00a0US$',
  },
};

async function fillForm(page, lang) {
  await page.goto(`${base}${words[lang].prefix}/checkout/`);
  await page.locator('[name=email]').fill(newEmail());
  await fillAddress(page);
  await page.locator('.bill').waitFor();
}

/** Items that one tab adds to the cart appear in another tab's list and total. */
const twoTabs = (lang, options) => async (visit) => {
  const page = await visit(options);
  const { prefix } = words[lang];
  await addReward(page, prefix, 'night-ferry', 'bluray');
  await fillForm(page, lang);
  const other = await page.context().newPage();
  await addReward(other, prefix, 'night-ferry', 'shooting-script');
  await page.locator('.chosen').nth(1).waitFor();
  await page.locator('.bill tr').first().getByText(texts[lang].sum).waitFor();
};

/** A quantity outside the limits is reported at once, and no total is shown for it. */
const quantities = (lang, options) => async (visit) => {
  const page = await visit(options);
  await addReward(page, words[lang].prefix, 'night-ferry', 'bluray');
  await fillForm(page, lang);
  const quantity = page.locator('[name="items[0].quantity"]');
  for (const wrong of ['0', '-1', '1.5', '99999']) {
    await quantity.fill(wrong);
    await page.locator('.chosen .wrong').getByText(texts[lang].limit).waitFor();
    assert.deepEqual([...new Set(await page.locator('.bill td').allTextContents())], ['—'], wrong);
    await quantity.fill('2');
    await page.locator('.chosen .wrong').waitFor({ state: 'detached' });
    await page.locator('.bill td', { hasText: '90' }).first().waitFor();
  }
};

/** If the total is higher than the form showed, the supporter accepts the difference before the card form appears. */
const risenPrice = (lang, options) => async (visit) => {
  const page = await visit(options);
  await page.route('**/tax/quote', async (route) => {
    const answer = await route.fetch();
    const quote = await answer.json();
    await route.fulfill({ response: answer, json: { ...quote, amountCents: quote.amountCents - 400 } });
  });
  await addReward(page, words[lang].prefix, 'night-ferry', 'bluray');
  await fillForm(page, lang);
  await page.getByRole('button', { name: words[lang].next }).click();
  await page.getByRole('alert').getByText(texts[lang].more).waitFor();
  assert.equal(await page.locator('input[name=card]').count(), 0);
  await page.getByRole('button', { name: texts[lang].accept }).click();
  await page.locator('input[name=card]').first().waitFor();
};

/** After the pledge, a second tab, the back button and the checkout page show that it was made, with its amount. */
const made = (lang, options) => async (visit) => {
  const page = await visit(options);
  await addReward(page, words[lang].prefix, 'night-ferry', 'bluray');
  await fillForm(page, lang);
  const other = await page.context().newPage();
  await fillForm(other, lang);
  for (const tab of [other, page]) {
    await tab.getByRole('button', { name: words[lang].next }).click();
    await tab.locator('input[name=card]').first().waitFor();
  }
  const paid = page.locator('.bill tfoot td').first();
  const amount = (await paid.textContent()).replace('USD\u00a0', '');
  await page.getByRole('button', { name: words[lang].card }).click();
  await page.getByRole('heading', { name: words[lang].thanks }).waitFor();
  const says = async (tab) => {
    await tab.getByRole('heading', { name: texts[lang].made }).waitFor();
    await tab.getByText(texts[lang].with(amount)).waitFor();
  };
  await says(other);
  await page.goBack();
  await says(page);
  await page.goto(`${base}${words[lang].prefix}/checkout/`);
  await says(page);
};

export default {
  'two tabs, in English, on a desktop': twoTabs('en'),
  'two tabs, in Spanish, on a phone': twoTabs('es', phone),
  'quantities, in English, on a phone': quantities('en', phone),
  'quantities, in Spanish, on a desktop': quantities('es'),
  'price increase, in English, on a phone': risenPrice('en', phone),
  'price increase, in Spanish, on a desktop': risenPrice('es'),
  'already made, in English, on a desktop': made('en'),
  'already made, in Spanish, on a phone': made('es', phone),
};
