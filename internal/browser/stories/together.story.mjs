// Pledges that are charged together: those of one browser, and those that a mail's link joins.
import assert from 'node:assert/strict';
import { ask, base, carried, checkout, choose, cleared, linkFor, open, phone, pledge, someone, words } from './act.mjs';

const reward = 'digital-premiere';

/** To the card's form, without entering the card. */
async function toCard(page, w, email) {
  await choose(page, w.prefix, 'night-ferry', reward);
  await page.locator('[data-cart]').click();
  await page.locator('[name=email]').fill(email);
  await page.getByRole('button', { name: w.next }).click();
  await page.locator('input[name=card]').first().waitFor();
}

async function pledgeHere(page, w, email) {
  await choose(page, w.prefix, 'night-ferry', reward);
  await checkout(page, w, email);
  await page.getByRole('heading', { name: w.thanks }).waitFor();
}

const view = async (link) => (await ask(`/pledge?token=${encodeURIComponent(carried(link))}`)).body;

/** The second pledge in one browser shows the total of the payment before the card is entered. */
const oneBrowser = (lang, options) => async (visit) => {
  const w = words[lang];
  const page = await visit(options);
  const email = someone();
  await pledgeHere(page, w, email);
  const first = await linkFor(email);
  assert.equal((await view(first)).combined, undefined);
  const other = await page.context().newPage(); // another tab is the same browser
  await toCard(other, w, email);
  const text = await other.locator('main').innerText();
  const said = lang === 'es' ? /Ya aportaste (\$[\d.,]+) a esta campaña en este navegador. Cobraremos las dos aportaciones juntas: un solo pago de (\$[\d.,]+)\./ : /You already pledged (\$[\d.,]+) to this campaign in this browser. We will charge both together: one payment of (\$[\d.,]+)\./;
  const [, amount, total] = said.exec(text) ?? assert.fail(text);
  assert.equal(Number(total.replace(/[$,]|\.$/g, '')), 2 * Number(amount.replace(/[$,]/g, '')));
  assert.ok((await other.locator('.bill tfoot').innerText()).includes(total), 'the bill has another total');
  await other.getByRole('button', { name: w.card }).click();
  await other.getByRole('heading', { name: w.thanks }).waitFor();
  assert.equal((await view(first)).combined.others, 1);
  await open(page, email, w.prefix);
  await page.getByText(lang === 'es' ? 'Esta aportación y otra hecha en el mismo navegador se cobran juntas' : 'This pledge and another one made in the same browser will be charged together').waitFor();
  const kept = await page.evaluate(() => JSON.stringify(localStorage));
  assert.equal(kept.includes(email), false, 'the browser keeps the address');
};

/** The first pledge is shown neither to another browser nor to another address. */
async function others(visit) {
  const [page, elsewhere] = [await visit(), await visit()];
  const email = someone();
  await pledgeHere(page, words.en, email);
  await toCard(elsewhere, words.en, email);
  assert.equal(/You already pledged/.test(await elsewhere.locator('main').innerText()), false, 'another browser learns of the pledge');
  await toCard(page, words.en, someone());
  assert.equal(/You already pledged/.test(await page.locator('main').innerText()), false, 'another address is combined');
}

/** The link of the confirmation joins by one button, and not by being opened. */
const byMail = (lang, options) => async (visit) => {
  const w = words[lang];
  const page = await visit(options);
  const email = someone();
  await pledge(email, `night-ferry__${reward}`, 'ok', 1, lang); // from another browser
  const first = await linkFor(email);
  await pledgeHere(page, w, email);
  let link = first;
  for (const until = Date.now() + 30_000; link === first && Date.now() < until;) link = await linkFor(email);
  assert.equal(carried(link, 'do'), 'join');
  await page.goto(`${base}${w.prefix}/manage/${new URL(link).hash}`);
  const button = page.getByRole('button', { name: lang === 'es' ? /^Combinar en un solo pago de \$/ : /^Combine into one payment of \$/ });
  await button.waitFor();
  cleared(page);
  assert.deepEqual([(await view(first)).joined, (await view(link)).joined], [false, false], 'the link joins by being opened');
  await button.click();
  await page.getByText(lang === 'es' ? 'Esta aportación se cobrará junto con las demás.' : 'This pledge will be charged together with your others.').waitFor();
  assert.deepEqual([(await view(first)).joined, (await view(link)).joined], [true, true]);
  const joining = (await ask(`/pledge/joining?token=${encodeURIComponent(carried(link))}`)).body;
  assert.deepEqual([joining.others, joining.together, joining.ownCard], [1, true, true], 'the card of this browser does not pay for both');
};

/** In a browser that made none of the pledges, the card that pays for all is asked for at once. */
async function byMailElsewhere(visit) {
  const email = someone();
  await pledge(email, `night-ferry__${reward}`);
  const first = await linkFor(email);
  await pledge(email, `night-ferry__${reward}`);
  let link = first;
  for (const until = Date.now() + 30_000; link === first && Date.now() < until;) link = await linkFor(email);
  const page = await visit();
  await page.goto(`${base}/manage/${new URL(link).hash}`);
  await page.getByRole('button', { name: /^Combine into one payment of \$/ }).click();
  await page.getByText('Save a card on this page to pay for all of them with it.').waitFor();
  await page.getByRole('button', { name: 'Save card' }).click();
  await page.locator('form.sheet').waitFor({ state: 'detached' }); // the service knows of the card
  const joining = (await ask(`/pledge/joining?token=${encodeURIComponent(carried(link))}`)).body;
  assert.deepEqual([joining.others, joining.together, joining.ownCard], [1, true, true]);
}

export default {
  'one browser': oneBrowser('en'), 'one browser, in Spanish, on a phone': oneBrowser('es', phone), others,
  'by mail': byMail('en'), 'by mail, in Spanish, on a phone': byMail('es', phone), byMailElsewhere,
};
