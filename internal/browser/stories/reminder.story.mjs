// Launch reminders and abandoned-cart reminders.
import assert from 'node:assert/strict';
import {
  addReward,
  base,
  callAPI,
  expectTokenRemoved,
  linkFor,
  linkParameter,
  newEmail,
  phone,
  words,
} from './actions.mjs';

const texts = {
  en: {
    send: 'Email me at launch',
    sent: /Check your inbox to confirm/,
    confirm: 'Yes, remind me',
    confirmed: /We'll email you when Slow Weather launches/,
    empty: 'Fill in this field.',
    ask: 'Stop the launch reminder for Slow Weather?',
    stop: 'Unsubscribe',
    done: "You're unsubscribed",
    undo: 'Undo',
    back: "You're subscribed again",
  },
  es: {
    send: 'Avisarme del lanzamiento',
    sent: /Confírmalo en el correo/,
    confirm: 'Sí, avísame',
    confirmed: /Te escribiremos cuando se lance/,
    empty: 'Rellena este campo.',
    ask: '¿Cancelar el recordatorio del lanzamiento de Slow Weather?',
    stop: 'Darme de baja',
    done: 'Te has dado de baja',
    undo: 'Deshacer',
    back: 'Vuelves a recibir estos correos',
  },
};

/** The form sends one confirmation email, and only the button on the linked page confirms the reminder. */
const launch = (lang, options) => async (visit) => {
  const w = texts[lang];
  const prefix = words[lang].prefix;
  const page = await visit(options);
  const asked = [];
  page.on('request', (r) => r.method() === 'POST' && asked.push(new URL(r.url()).pathname));
  const email = newEmail();
  await page.goto(`${base}${prefix}/campaigns/slow-weather/`);
  if (lang === 'en') await page.getByText(/^Launches Tuesday, December 1, 8:00 AM$/).waitFor(); // the start, not the end
  const form = page.locator('[data-remind] form');
  await form.getByRole('button', { name: w.send }).click();
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('name')), 'email');
  await form.getByText(w.empty).waitFor();
  assert.deepEqual(asked, []);
  await form.locator('[name=email]').fill(email);
  await form.getByRole('button', { name: w.send }).click();
  await page.getByText(w.sent).waitFor();
  assert.deepEqual(asked, ['/launch-reminders']);

  await page.goto(await linkFor(email, 'reminder'));
  await page.getByRole('button', { name: w.confirm }).waitFor();
  expectTokenRemoved(page);
  assert.equal(new URL(page.url()).pathname, `${prefix}/reminder/`);
  assert.deepEqual(asked, ['/launch-reminders'], 'opening the page confirms the reminder');
  await page.getByRole('button', { name: w.confirm }).click();
  await page.getByRole('heading', { name: w.confirmed }).waitFor();
  assert.equal(asked.at(-1), '/launch-reminders/confirm');
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wide <= 0, `the page is ${wide} px too wide`);
};

/** Incomplete and invalid links show an error. */
async function invalidLink(visit) {
  const page = await visit();
  await page.goto(`${base}/reminder/`);
  await page.getByText('open the link in the email').waitFor();
  await page.goto(`${base}/reminder/#t=x.y`);
  await page.getByRole('button', { name: texts.en.confirm }).click();
  await page.getByText('has expired').waitFor();
}

/** The page of the unsubscribe link gets the token, but no server receives it in a URL. */
const unsubscribe = (lang, options) => async (visit) => {
  const page = await visit(options);
  const email = newEmail();
  assert.equal(
    (await callAPI('/launch-reminders', { campaignSlug: 'slow-weather', email, consent: true, preferredLang: lang }))
      .status,
    200,
  );
  await linkFor(email, 'reminder');
  const mail = (await callAPI('/demo/mail', undefined, { Accept: 'application/json' })).body.find(
    (m) => m.to === email,
  );
  const [link] = mail.text.match(/https?:\S+\/unsubscribe\S*#t=\S+/);
  const sent = [];
  page.on('request', (r) => sent.push(r.url().replace(/#.*/, ''), r.headers().referer ?? ''));
  await page.goto(link);
  const w = texts[lang];
  await page.getByRole('heading', { name: w.ask }).waitFor();
  await page.getByRole('button', { name: w.stop }).click();
  await page.getByRole('heading', { name: w.done }).waitFor();
  assert.equal(await page.evaluate(() => document.activeElement?.tagName), 'H1');
  await page.getByRole('button', { name: w.undo }).click();
  await page.getByRole('heading', { name: w.back }).waitFor();
  await page.getByRole('button', { name: w.stop }).click();
  await page.getByRole('heading', { name: w.done }).waitFor();
  assert.equal(new URL(page.url()).pathname, `${words[lang].prefix}/mails/`);
  expectTokenRemoved(page);
  assert.deepEqual(
    sent.filter((s) => s.includes(linkParameter(link))),
    [],
    'the token is sent to a server',
  );
};

/** The checkout's consent box is unchecked by default, and consent is sent only if it is checked. */
// Proves ABN-02, CHK-32, SIT-31.
async function consentBox(visit) {
  for (const tick of [false, true]) {
    const page = await visit(phone);
    let sent;
    await page.route('**/checkout-intent/start', (route) => {
      sent = route.request().postDataJSON();
      return route.continue();
    });
    await addReward(page, '', 'night-ferry', 'digital-premiere');
    await page.goto(`${base}/checkout/`);
    const remind = page.getByLabel(/Email me once if I don't finish/);
    await remind.waitFor();
    assert.equal(await remind.isChecked(), false, 'the consent box is checked');
    if (tick) await remind.check();
    await page.locator('[name=email]').fill(newEmail());
    await page.getByRole('button', { name: words.en.next }).click();
    await page.locator('input[name=card]').first().waitFor();
    assert.equal(sent.abandonedCartConsent, tick ? true : undefined);
  }
}

/** The link of a cart reminder restores the cart and is removed from the address bar. */
async function resumedCart(visit) {
  const page = await visit();
  let asked;
  await page.route('**/abandoned-cart/resume', (route) => {
    asked = route.request().postDataJSON();
    return route.fulfill({ json: { cart: 'night-ferry__digital-premiere*2', campaigns: ['night-ferry'] } });
  });
  await page.goto(`${base}/checkout/#resume=token`);
  await page.locator('[name="items[0].quantity"]').waitFor();
  assert.equal(await page.locator('[name="items[0].quantity"]').inputValue(), '2');
  assert.deepEqual([asked, new URL(page.url()).hash], [{ token: 'token' }, '']);
  const gone = await visit();
  await gone.goto(`${base}/checkout/#resume=x.y`); // handled by the real API
  await gone.getByText('Your cart is empty.').waitFor();
  assert.equal((await callAPI('/abandoned-cart/resume', { token: 'x.y' })).status, 401);
}

export default {
  launch: launch('en', { timezoneId: 'Europe/Madrid' }),
  'launch, in Spanish, on a phone': launch('es', phone),
  invalidLink,
  unsubscribe: unsubscribe('en'),
  'unsubscribe, in Spanish, on a phone': unsubscribe('es', phone),
  consentBox,
  resumedCart,
};
