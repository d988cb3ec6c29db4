// Pledges with Stripe's Payment Element, which a stand-in replaces.
import assert from 'node:assert/strict';
import { addReward, base, fillAddress, newEmail, openPledge, smallPhone as phone, words } from './actions.mjs';
import { useStripe } from './stripe.mjs';

async function toCardStep(page, lang, email) {
  await addReward(page, words[lang].prefix, 'night-ferry', 'bluray');
  await page.goto(`${base}${words[lang].prefix}/checkout/`);
  await page.locator('[name=email]').fill(email);
  await fillAddress(page);
  await page.getByRole('button', { name: words[lang].next }).click();
  await page.locator('iframe[title=elements-inner-payment]').waitFor();
}

/** A declined card is reported, and the pledge is made with the next one. */
const pays = (lang, options) => async (visit) => {
  const page = await visit(options);
  const check = await useStripe(page, ['declined']);
  const email = newEmail();
  await toCardStep(page, lang, email);
  const save = page.getByRole('button', { name: words[lang].card });
  await save.click();
  await page.getByRole('alert').getByText('Your card was declined.').waitFor();
  const asked = await check();
  assert.equal(asked[0], 'js.stripe.com/clover/stripe.js');
  assert.ok(asked.some((a) => a.startsWith('api.stripe.com/')) && asked.some((a) => a.startsWith('js.stripe.com/v3/')));
  await save.click();
  await page.getByRole('heading', { name: words[lang].thanks }).waitFor();
  assert.equal(await page.evaluate(() => localStorage.getItem('cart')), null);
};

/** After the bank approves a card on its own page, the success page completes the pledge. */
async function redirected(visit) {
  const page = await visit();
  await useStripe(page, ['redirect']);
  const email = newEmail();
  await toCardStep(page, 'en', email);
  await page.getByRole('button', { name: words.en.card }).click();
  await page.waitForURL('**/pledge-success/');
  await page.getByRole('heading', { name: words.en.thanks }).waitFor();
  assert.equal(await page.evaluate(() => localStorage.getItem('cart')), null);
  await openPledge(page, email);
  await page.getByText('ending in 4242').first().waitFor();
}

/** If the card form cannot be loaded, the page shows an error and no pledge is made. */
async function unreachable(visit) {
  const page = await visit();
  await useStripe(page, []);
  await page.route('https://js.stripe.com/**', (route) => route.abort());
  await addReward(page, '', 'night-ferry', 'digital-premiere');
  await page.goto(`${base}/checkout/`);
  await page.locator('[name=email]').fill(newEmail());
  await page.getByRole('button', { name: words.en.next }).click();
  await page.getByText("The card form couldn't be loaded. No card was saved.").waitFor();
}

export default {
  'Stripe, in English, on a desktop': pays('en'),
  'Stripe, in Spanish, on a phone': pays('es', phone),
  redirected,
  unreachable,
};
