// Managing a pledge: changes, deadlines, the success page and new links.
import assert from 'node:assert/strict';
import {
  addReward,
  base,
  callAPI,
  checkOut,
  fillAddress,
  linkFor,
  linkParameter,
  makePledge,
  newEmail,
  openPledge,
  smallPhone as phone,
  words,
} from './actions.mjs';

/** Changing a digital reward to a physical one asks for an address. */
const physical = (lang, options) => async (visit) => {
  const w = words[lang];
  const page = await visit(options);
  const email = newEmail();
  const { orderId } = await digital(email, lang);
  await openPledge(page, email);
  assert.equal(new URL(page.url()).pathname, `${w.prefix}/manage/`);
  await page.getByRole('button', { name: w.change, exact: true }).click();
  const rewards = page.locator('.change fieldset').first();
  assert.equal(await rewards.locator('input').first().inputValue(), '1', 'the held item is not first');
  assert.equal(await page.locator('[data-address=shippingAddress]').isVisible(), false);
  const poster = page.locator('label.choice', { hasText: 'Festival poster' });
  assert.equal(await poster.locator('input').isDisabled(), true);
  assert.match(
    await poster.innerText(),
    lang === 'es' ? /Bloqueada hasta que se aporten [\d.]+\sUS\$/ : /Locked until \$[\d,]+ is pledged/,
  );
  assert.match(
    await page.locator('label.choice', { hasText: 'Night on board' }).innerText(),
    lang === 'es' ? /quedan? \d+|Agotada/ : /\d+ left|Sold out/,
  );
  await page.locator('input[name="night-ferry__digital-premiere"]').fill('0');
  await page.locator('input[name="night-ferry__bluray"]').fill('1');
  await page.locator('[data-address=shippingAddress]').waitFor();
  await fillAddress(page);
  await page.getByRole('button', { name: w.look }).click();
  await page.getByRole('button', { name: w.confirm }).click();
  await page.getByText(`Ada, 1 Shore Road, Taos NM 87571, ${w.country}`).waitFor(); // in its country's format
  assert.ok(orderId);
};

/** The change form offers all items and shows errors at their fields. */
const changing = (lang, options) => async (visit) => {
  const w = words[lang];
  const page = await visit(options);
  const email = newEmail();
  await makePledge(email, 'paper-boat__crew', 'ok', 2, lang);
  await openPledge(page, email);
  assert.equal(await page.getByText(w.lead).count(), 0, 'the page still shows its introduction');
  await page.getByRole('button', { name: w.change, exact: true }).click();
  await page.getByRole('button', { name: w.look }).click();
  await page.getByText(w.none).waitFor();

  await page.getByLabel(w.noReward, { exact: true }).check(); // with one reward per supporter, no reward is an option too
  const money = page.locator('input[name="paper-boat__custom-support"]');
  await money.fill('2000000');
  await page.getByRole('button', { name: w.look }).click();
  await page
    .locator('[id="wrong-paper-boat__custom-support"]')
    .getByText(
      lang === 'es'
        ? 'Escribe un importe sin centavos, de 1 US$ a 1.000.000 US$.'
        : 'Enter an amount in whole dollars from $1 to $1,000,000.',
    )
    .waitFor();
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('name')), 'paper-boat__custom-support');
  await money.fill('30');
  await page.locator('select[name=tipPercent]').selectOption('10');

  const own = 'A message of the API';
  const answers = [{ code: 'sold_out', field: 'items[0].amount', remaining: 1 }, { code: 'conflict' }];
  await page.route('**/pledge/modify', (route) => {
    const answer = answers.shift();
    return answer ? route.fulfill({ status: 409, json: { error: own, ...answer } }) : route.continue();
  });
  await page.getByRole('button', { name: w.look }).click();
  await page.locator('label.choice', { has: money }).getByText(w.one).waitFor();
  await money.fill('40');
  await page.getByRole('button', { name: w.look }).click();
  await page.getByText(w.conflict).waitFor();
  assert.equal((await page.locator('main').innerText()).includes(own), false, 'the API’s message is on the page');
  assert.equal(await money.inputValue(), '40');
  await page.getByRole('button', { name: w.look }).click();
  await page.locator('.change').getByText(w.act).waitFor(); // the consent text for changes, not for saving a card
  await page.getByRole('button', { name: w.confirm }).click();
  await page.locator('.change').waitFor({ state: 'detached' });
  await page
    .locator('.bill tr', { hasText: lang === 'es' ? 'Aportación sin recompensa' : 'Pledge without a reward' })
    .getByText(lang === 'es' ? '40,00 US$' : '$40.00')
    .waitFor();

  await page.getByRole('button', { name: w.change, exact: true }).click();
  assert.equal(await page.locator('select[name=tipPercent]').inputValue(), '10');
  await page.getByRole('button', { name: w.cancel }).click();
  await page.locator('.sheet').getByRole('button', { name: w.cancel }).last().click();
  await page
    .getByRole('heading', {
      name: lang === 'es' ? 'Tu aportación está cancelada' : 'Your pledge is canceled',
      level: 1,
    })
    .waitFor();
  await page.getByText(w.nothing).waitFor();
  const deleted =
    lang === 'es' ? 'Borramos tu tarjeta en el procesador de pagos' : 'We deleted your card from the payment processor';
  await page.locator('.pledge .status').getByText(deleted).waitFor();
  const steps = page.locator('.timeline li');
  await steps.getByText(lang === 'es' ? 'Tarjeta borrada' : 'Card deleted').waitFor();
  await page
    .locator('.bill tfoot')
    .getByText(lang === 'es' ? 'No cobrado' : 'Not charged')
    .waitFor();
};

/**
 * The address can be changed until the deadline, and the new total is confirmed. The page offers
 * only actions that are possible.
 */
const address = (lang, options) => async (visit) => {
  const w = words[lang];
  const page = await visit(options);
  const email = newEmail();
  await makePledge(email, 'night-ferry__bluray', 'ok', 1, lang);
  await openPledge(page, email);
  const texts =
    lang === 'es'
      ? ['Cambiar la dirección', 'Unir con mi otra aportación']
      : ['Change address', 'Combine with my other pledge'];
  await page
    .locator('.timeline [aria-current=step]')
    .getByText(lang === 'es' ? 'Termina la campaña' : 'Campaign ends')
    .waitFor();
  await page
    .locator('.timeline')
    .getByText(lang === 'es' ? 'Envío del paquete' : 'Parcel sent')
    .waitFor();
  assert.equal(await page.getByRole('button', { name: texts[1] }).count(), 0, 'a single pledge can be combined');
  await page.getByRole('button', { name: texts[0], exact: true }).press('Enter');
  const street = page.locator('[name="shippingAddress.line1"]');
  await street.waitFor();
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('name')), 'shippingAddress.line1');
  await street.fill('2 Harbor Lane');
  await street.press('Enter');
  const confirm = page.getByRole('button', { name: w.confirm });
  await confirm.waitFor();
  await confirm.press('Enter');
  await page.locator('.acts').getByText('2 Harbor Lane').waitFor();
  await makePledge(email, 'night-ferry__digital-premiere', 'ok', 1, lang);
  await page.reload();
  await page.getByRole('button', { name: texts[1] }).waitFor();
};

/** An unfinished change survives a reload and a language switch, until it is confirmed or discarded. */
const unfinishedChange = (lang, options) => async (visit) => {
  const [w, other] = [words[lang], words[lang === 'en' ? 'es' : 'en']];
  const page = await visit(options);
  const kept = () => page.evaluate(() => [sessionStorage.getItem('change'), JSON.stringify(localStorage)]);
  const email = newEmail();
  await digital(email, lang);
  await openPledge(page, email);
  assert.equal((await kept())[0], null);
  await page.getByRole('button', { name: w.change, exact: true }).click();
  await page.locator('input[name="night-ferry__digital-premiere"]').fill('0');
  await page.locator('input[name="night-ferry__bluray"]').fill('2');
  await page.locator('select[name=tipPercent]').selectOption('5');
  await page.locator('[name="shippingAddress.country"]').selectOption('CA');
  await page.locator('[name="shippingAddress.state"]').selectOption('QC');
  await page.locator('[name="shippingAddress.city"]').fill('Rimouski');
  const expectRestored = async () => {
    await page.locator('.change').waitFor();
    const values = {};
    for (const name of [
      'night-ferry__digital-premiere',
      'night-ferry__bluray',
      'tipPercent',
      'shippingAddress.country',
      'shippingAddress.state',
      'shippingAddress.city',
    ]) {
      values[name] = await page.locator(`.change [name="${name}"]`).inputValue();
    }
    assert.deepEqual(Object.values(values), ['0', '2', '5', 'CA', 'QC', 'Rimouski']);
    assert.equal((await kept())[1].includes('Rimouski'), false, 'the change outlives the tab');
  };
  await page.reload();
  await expectRestored();
  await page.locator(`footer a[hreflang=${lang === 'en' ? 'es' : 'en'}]`).click();
  await page.waitForURL(`${base}${other.prefix}/manage/`);
  await expectRestored();
  await page.locator(`footer a[hreflang=${lang}]`).click();
  await page.waitForURL(`${base}${w.prefix}/manage/`);
  await expectRestored();

  await fillAddress(page);
  await page.getByRole('button', { name: w.look }).click();
  await page.getByRole('button', { name: w.confirm }).click();
  await page.locator('.change').waitFor({ state: 'detached' });
  assert.equal((await kept())[0], null, 'a confirmed change is kept');
  await page.getByRole('button', { name: w.change, exact: true }).click();
  await page.locator('input[name="night-ferry__bluray"]').fill('5');
  await page.getByRole('button', { name: w.keep, exact: true }).click();
  assert.equal((await kept())[0], null, 'a discarded change is kept');
  await page.reload();
  await page.getByRole('button', { name: w.change, exact: true }).click();
  assert.equal(await page.locator('input[name="night-ferry__bluray"]').inputValue(), '2');
  await page.getByRole('button', { name: w.cancel }).click();
  assert.equal((await kept())[0], null, 'a change is kept after another action replaced it');
};

/** The selection of an exclusive reward survives a reload, and a change of an older revision is discarded. */
const outdatedChange = (lang, options) => async (visit) => {
  const w = words[lang];
  const page = await visit(options);
  const email = newEmail();
  const orderId = await makePledge(email, 'paper-boat__crew', 'ok', 1, lang);
  await openPledge(page, email);
  await page.getByRole('button', { name: w.change, exact: true }).click();
  await page.locator('input[name="paper-boat__custom-support"]').fill('30');
  for (const none of [false, true]) {
    // with the held reward selected, and with no reward
    if (none) await page.getByLabel(w.noReward, { exact: true }).check();
    await page.reload();
    await page.locator('.change').waitFor();
    assert.equal(await page.locator('input[name="paper-boat__custom-support"]').inputValue(), '30');
    assert.equal(await page.getByLabel(w.noReward, { exact: true }).isChecked(), none);
  }
  const token = await page.evaluate(() => sessionStorage.getItem('token'));
  const made = await callAPI('/pledge/modify', {
    token,
    items: [{ id: 'paper-boat__crew', quantity: 1 }],
    tipPercent: 10,
    expectedRevision: (await callAPI(`/pledge?token=${encodeURIComponent(token)}`)).body.revision,
    dryRun: false,
  });
  assert.equal(made.status, 200, `${orderId}: ${JSON.stringify(made.body)}`);
  await page.reload();
  await page.getByRole('button', { name: w.change, exact: true }).waitFor();
  assert.equal(await page.evaluate(() => sessionStorage.getItem('change')), null);
  assert.equal(await page.locator('.change').count(), 0, 'a change of an older revision is restored');
};

/** A supporter with a cancelled pledge gets an error in the page's language when they vote. */
const barredVote = (lang, options) => async (visit) => {
  const w = words[lang];
  const page = await visit(options);
  const email = newEmail();
  await makePledge(email, 'night-ferry__digital-premiere', 'ok', 1, lang);
  const token = linkParameter(await linkFor(email));
  assert.equal((await callAPI('/pledge/cancel', { token })).status, 200);
  await page.goto(`${base}${w.prefix}/community/night-ferry/#t=${token}`);
  const vote = page.locator('[data-decision=last-line]');
  await vote.getByRole('button', { name: w.vote }).click();
  await vote.getByText(lang === 'es' ? 'Elige primero una opción.' : 'Choose an option first.').waitFor();
  await vote.getByLabel('Mind the gap.').check();
  assert.equal(await page.getByText(w.lead).count(), 0, 'the page still shows its introduction');
  await vote.getByRole('button', { name: w.vote }).click();
  await vote.getByText(w.barred).waitFor();
};

let addresses = 0; // each visit has a new client address, because link requests are rate-limited
const newAddress = () => ({ extraHTTPHeaders: { 'CF-Connecting-IP': `198.51.100.${++addresses}` } });

/** The link request form validates in the page's language, and the success page without a pledge shows no summary. */
const withoutLink = (lang, options) => async (visit) => {
  const w = words[lang];
  const page = await visit({ ...options, ...newAddress(), locale: 'fr-FR' }); // so that the browser's built-in messages would be French
  await page.goto(`${base}${w.prefix}/links/`);
  await page.locator('form button').click();
  await page.getByText(lang === 'es' ? 'Rellena este campo.' : 'Fill in this field.').waitFor();
  await page.locator('[name=email]').fill('nobody@nowhere');
  await page.locator('form button').click();
  await page.locator('#wrong-email').waitFor();
  await page.goto(`${base}${w.prefix}/pledge-success/`);
  await page
    .getByRole('heading', { name: lang === 'es' ? '¿Buscas tu aportación?' : 'Looking for your pledge?' })
    .waitFor();
  assert.equal(
    await page.evaluate(() => localStorage.getItem('pledged')),
    null,
    'the menu links to a pledge that does not exist',
  );
};

async function digital(email, preferredLang) {
  const started = await callAPI('/checkout-intent/start', {
    email,
    preferredLang,
    items: [{ id: 'night-ferry__digital-premiere' }],
    tipPercent: 0,
  });
  const { orderId, sessionId } = started.body;
  await callAPI('/_sim/complete', { session: sessionId, card: 'ok' });
  await callAPI('/checkout-intent/complete', { orderId, sessionId });
  return { orderId };
}

/** The deadline is shown in the same format everywhere, independent of the visitor's clock and time zone. */
const deadlines = (lang, options) => async (visit) => {
  const w = words[lang];
  const page = await visit({ ...options, timezoneId: 'Asia/Tokyo' });
  await page.addInitScript(() => {
    const years = 3 * 365 * 86_400_000;
    const now = Date.now.bind(Date);
    Date.now = () => now() + years;
  });
  const one = lang === 'es' ? /\d+ de \w+ de \d{4} a las 23:59 \(M[SD]T/ : /\w+ \d+, \d{4}, 11:59 PM M[SD]T/;
  await page.goto(`${base}${w.prefix}/campaigns/night-ferry/`);
  await page.locator('progress').first().waitFor();
  const [written] = (await page.locator('.promise').first().innerText()).match(one) ?? [];
  assert.ok(written, 'the campaign page has no deadline');
  assert.match(
    await page.locator('[data-left]').first().innerText(),
    lang === 'es' ? /\d+\s+\S+ restantes?/ : /\d+\s+\w+ left/,
  );
  assert.match(await page.locator('[data-local]').first().innerText(), lang === 'es' ? /^Tu hora \(/ : /^Your time \(/);
  const email = newEmail();
  await digital(email, lang);
  await openPledge(page, email);
  const note = await page.locator('.pledge .status').innerText();
  assert.ok(note.includes(written), `${note} does not contain ${written}`);
  assert.match(note, lang === 'es' ? /; tu hora: / : /\(your time: /);
  const mail = (await callAPI('/demo/mail', undefined, { Accept: 'application/json' })).body.find(
    (m) => m.to === email,
  );
  assert.ok(mail.text.includes(written), `the mail does not contain ${written}:\n${mail.text}`);
};

/** If the charged amount differs from the agreed one, the page shows both. */
const differentAmount = (lang, options) => async (visit) => {
  const page = await visit(options);
  const email = newEmail();
  await digital(email, lang);
  await page.route('**/pledge', async (route) => {
    const answer = await route.fetch();
    const v = await answer.json();
    return route.fulfill({
      response: answer,
      json: {
        ...v,
        pledgeStatus: 'charged',
        charged: true,
        chargedAt: '2026-11-22T08:15:00Z',
        chargedAmount: 1234,
        canModify: false,
        canCancel: false,
        history: [...v.history, { ...v.history[0], type: 'charged' }],
      },
    });
  });
  const sum = lang === 'es' ? '12,34 US$' : '$12.34';
  await openPledge(page, email);
  await page.locator('.pledge .status', { hasText: sum }).waitFor();
  const total = page.locator('.bill tfoot tr');
  assert.match(
    await total.nth(0).innerText(),
    lang === 'es' ? /Total que aceptaste\s+[\d,]+\sUS\$/ : /Total you agreed to\s+\$\d/,
  );
  assert.match(await total.nth(1).innerText(), lang === 'es' ? /Cobrado\s+12,34\sUS\$/ : /Charged\s+USD\s\$12\.34/);
  await page.locator('details summary').last().click();
  await page.locator('details tr', { hasText: sum }).waitFor();
};

/** The success page shows the amount, the deadline and the next step, and the menu leads to the pledge. */
const successPage = (lang, options) => async (visit) => {
  const w = words[lang];
  const page = await visit({ ...options, ...newAddress() });
  const email = newEmail();
  await page.goto(`${base}${w.prefix}/campaigns/paper-boat/`);
  await page.locator('form[data-pick$=custom-support] input').fill('5');
  await page.locator('form[data-pick$=custom-support] button').click();
  await addReward(page, w.prefix, 'night-ferry', 'digital-premiere');
  await checkOut(page, w, email);
  await page.waitForURL('**/pledge-success/**');
  for (const [at, slug, title] of [
    [0, 'night-ferry', 'Night Ferry'],
    [1, 'paper-boat', 'Paper Boat'], // ends later
  ]) {
    const card = page.locator('.shares section').nth(at);
    await card.getByRole('heading', { name: title }).waitFor();
    const mail = await card.getByRole('link').getAttribute('href');
    assert.equal(
      mail,
      `mailto:?subject=${title.replace(' ', '%20')}&body=${encodeURIComponent(`${base}${w.prefix}/campaigns/${slug}/`)}`,
    );
    await card.scrollIntoViewIfNeeded();
    await page.waitForFunction((n) => document.querySelectorAll('.shares img')[n].naturalWidth === 1200, at);
  }
  for (let turn = 0; turn < 2; turn++) {
    await page
      .locator('ol.when li', { hasText: lang === 'es' ? /: termina Night Ferry/ : /: Night Ferry ends/ })
      .getByText(lang === 'es' ? /haremos un cargo de 26,97\sUS\$/ : /you'll be charged \$26\.97/)
      .waitFor();
    await page.reload();
  }
  assert.equal(new URL(await page.locator('[data-cart]').evaluate((a) => a.href)).pathname, `${w.prefix}/manage/`);
  await linkFor(email);
  await page.getByRole('link', { name: lang === 'es' ? /^¿No te ha llegado/ : /^Didn't get the email/ }).click();
  await page.waitForURL(`${base}${w.prefix}/links/`);
  await page.locator('input[type=email]').fill(email);
  await page.locator('form button').click();
  await page.getByText(lang === 'es' ? 'sus enlaces están en camino' : 'their links are on the way').waitFor();
  for (let turn = 0; turn < 100; turn++) {
    const mails = (await callAPI('/demo/mail', undefined, { Accept: 'application/json' })).body.filter(
      (m) => m.to === email,
    );
    const links = mails.find((m) => m.subject === (lang === 'es' ? 'Tus aportaciones' : 'Your pledges'));
    if (links) {
      assert.ok(links.text.includes(`${base}${w.prefix}/manage/#t=`), links.text);
      return;
    }
    await new Promise((go) => setTimeout(go, 100));
  }
  throw new Error('no mail with the links');
};

/** The supporter count counts people, not pledges. */
async function supporterCount(visit) {
  const page = await visit();
  const count = async () => (await callAPI('/live/tidepool-traders')).body.stats.supporterCount;
  const email = newEmail();
  await makePledge(email, 'tidepool-traders__the-game');
  const once = await count();
  await makePledge(email, 'tidepool-traders__the-game');
  assert.equal(await count(), once, 'one person is counted twice');
  await page.goto(`${base}/campaigns/tidepool-traders/`);
  await page
    .locator('[data-supporters]')
    .first()
    .getByText(new RegExp(`^${once} supporters?$`))
    .waitFor();
}

const everyStory = {
  // in English on a desktop, and in Spanish on a phone
  physical,
  deadlines,
  'success page': successPage,
  'different amount': differentAmount,
  changing,
  address,
  'unfinished change': unfinishedChange,
  'outdated change': outdatedChange,
  'barred vote': barredVote,
  'without link': withoutLink,
};

export default Object.fromEntries([
  ...Object.entries(everyStory).flatMap(([name, story]) => [
    [`${name}, en, desktop`, story('en')],
    [`${name}, es, phone`, story('es', phone)],
  ]),
  ['supporter count', supporterCount],
]);
