// Pledges that are charged together: those made in one browser, and those joined with a mail's link.
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

const reward = 'digital-premiere';

/** Goes to the card form without entering a card. */
async function toCard(page, w, email) {
  await addReward(page, w.prefix, 'night-ferry', reward);
  await page.locator('[data-cart]').click();
  await page.locator('[name=email]').fill(email);
  await page.getByRole('button', { name: w.next }).click();
  await page.locator('input[name=card]').first().waitFor();
}

async function pledgeInBrowser(page, w, email) {
  await addReward(page, w.prefix, 'night-ferry', reward);
  await checkOut(page, w, email);
  await page.getByRole('heading', { name: w.thanks }).waitFor();
}

const view = async (link) => (await callAPI(`/pledge?token=${encodeURIComponent(linkParameter(link))}`)).body;

/** For a second pledge in one browser, checkout shows the payment's total before the card is entered. */
const oneBrowser = (lang, options) => async (visit) => {
  const w = words[lang];
  const page = await visit(options);
  const email = newEmail();
  await pledgeInBrowser(page, w, email);
  const first = await linkFor(email);
  assert.equal((await view(first)).combined, undefined);
  const other = await page.context().newPage(); // another tab of the same browser
  await toCard(other, w, email);
  const text = await other.locator('main').innerText();
  const said =
    lang === 'es'
      ? /Ya aportaste ([\d.,]+\sUS\$) a esta campaña en este navegador. Cobraremos las dos aportaciones juntas: un solo pago de ([\d.,]+\sUS\$)\./
      : /You already pledged (\$[\d.,]+) to this campaign in this browser. We will charge both together: one payment of (\$[\d.,]+)\./;
  const [, amount, total] = said.exec(text) ?? assert.fail(text);
  const cents = (sum) => Number(sum.replace(/\D/g, ''));
  assert.equal(cents(total), 2 * cents(amount));
  assert.ok((await other.locator('.bill tfoot').innerText()).includes(total), 'the bill has a different total');
  await other.getByRole('button', { name: w.card }).click();
  await other.getByRole('heading', { name: w.thanks }).waitFor();
  assert.equal((await view(first)).combined.others, 1);
  await openPledge(page, email, w.prefix);
  await page
    .getByText(
      lang === 'es'
        ? 'Esta aportación y otra hecha en el mismo navegador se cobran juntas'
        : 'This pledge and another one made in the same browser will be charged together',
    )
    .waitFor();
  const kept = await page.evaluate(() => JSON.stringify(localStorage));
  assert.equal(kept.includes(email), false, 'the email address is stored in the browser');
};

/** A first pledge is not revealed to another browser or to another email address. */
async function otherBrowserOrAddress(visit) {
  const [page, elsewhere] = [await visit(), await visit()];
  const email = newEmail();
  await pledgeInBrowser(page, words.en, email);
  await toCard(elsewhere, words.en, email);
  assert.equal(
    /You already pledged/.test(await elsewhere.locator('main').innerText()),
    false,
    'the pledge is revealed to another browser',
  );
  await toCard(page, words.en, newEmail());
  assert.equal(
    /You already pledged/.test(await page.locator('main').innerText()),
    false,
    'the pledge is combined with another address',
  );
}

/** The link in a confirmation joins pledges only when the page's button is pressed. */
const joinByMail = (lang, options) => async (visit) => {
  const w = words[lang];
  const page = await visit(options);
  const email = newEmail();
  await makePledge(email, `night-ferry__${reward}`, 'ok', 1, lang); // from another browser
  const first = await linkFor(email);
  await pledgeInBrowser(page, w, email);
  const link = await linkFor(email, 'manage', 'join');
  assert.equal(linkParameter(link, 'do'), 'join');
  await page.goto(`${base}${w.prefix}/manage/${new URL(link).hash}`);
  const button = page.getByRole('button', {
    name: lang === 'es' ? /^Unir en un solo cargo de [\d.,]+\sUS\$/ : /^Combine into one payment of \$/,
  });
  await button.waitFor();
  expectTokenRemoved(page);
  assert.deepEqual(
    [(await view(first)).joined, (await view(link)).joined],
    [false, false],
    'opening the link joined the pledges',
  );
  await button.click();
  await page
    .getByText(
      lang === 'es'
        ? 'Esta aportación ya forma parte de las que has unido.'
        : 'This pledge is now part of your combined pledges.',
    )
    .waitFor();
  assert.deepEqual([(await view(first)).joined, (await view(link)).joined], [true, true]);
  const joining = (await callAPI(`/pledge/joining?token=${encodeURIComponent(linkParameter(link))}`)).body;
  assert.deepEqual(
    [joining.others, joining.together, joining.ownCard],
    [1, true, true],
    'this browser’s card does not pay for both',
  );
};

/** A browser that made none of the pledges requests a card for all of them immediately. */
async function joinInNewBrowser(visit) {
  const email = newEmail();
  await makePledge(email, `night-ferry__${reward}`);
  await makePledge(email, `night-ferry__${reward}`);
  const link = await linkFor(email, 'manage', 'join');
  const page = await visit();
  await page.goto(`${base}/manage/${new URL(link).hash}`);
  await page.getByRole('button', { name: /^Combine into one payment of \$/ }).click();
  await page.getByText('To pay for all of them with one card, save that card here.').waitFor();
  await page.getByRole('button', { name: 'Save card' }).click();
  await page.locator('form.sheet').waitFor({ state: 'detached' }); // the server has received the card
  const joining = (await callAPI(`/pledge/joining?token=${encodeURIComponent(linkParameter(link))}`)).body;
  assert.deepEqual([joining.others, joining.together, joining.ownCard], [1, true, true]);
}

export default {
  'one browser': oneBrowser('en'),
  'one browser, in Spanish, on a phone': oneBrowser('es', phone),
  otherBrowserOrAddress,
  'join by mail': joinByMail('en'),
  'join by mail, in Spanish, on a phone': joinByMail('es', phone),
  joinInNewBrowser,
};
