// Being told when a campaign begins, and being reminded of a checkout that was left.
import assert from 'node:assert/strict';
import { ask, base, carried, choose, cleared, linkFor, phone, someone, words } from './act.mjs';

const texts = {
  en: { send: 'Remind me', tick: /Send me one email/, sent: /Confirm it there/, confirm: 'Yes, remind me', done: /We'll email you when Slow Weather begins/, empty: 'Fill in this field.', stop: 'Stop these emails', again: 'Send me these emails again' },
  es: { send: 'Avisarme', tick: /Envíame un correo/, sent: /Confírmalo allí/, confirm: 'Sí, avísame', done: /Te escribiremos cuando empiece/, empty: 'Rellena este campo.', stop: 'No recibir más estos correos', again: 'Volver a recibir estos correos' },
};

/** The form is sent only with the box ticked, and nothing is registered before the button of the mail's page. */
const launch = (lang, options) => async (visit) => {
  const w = texts[lang];
  const prefix = words[lang].prefix;
  const page = await visit(options);
  const asked = [];
  page.on('request', (r) => r.method() === 'POST' && asked.push(new URL(r.url()).pathname));
  const email = someone();
  await page.goto(`${base}${prefix}/campaigns/slow-weather/`);
  if (lang === 'en') await page.getByText('your time: December 1, 2026, 8:00 AM').waitFor(); // when it begins, and not when it ends
  const form = page.locator('[data-remind] form');
  const box = form.getByLabel(w.tick);
  assert.equal(await box.isChecked(), false, 'the box is ticked');
  await form.getByRole('button', { name: w.send }).click();
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('name')), 'email');
  await form.locator('[name=email]').fill(email);
  await form.getByRole('button', { name: w.send }).click();
  await form.getByText(w.empty).waitFor();
  assert.deepEqual(asked, []);
  await box.check();
  await form.getByRole('button', { name: w.send }).click();
  await page.getByText(w.sent).waitFor();
  assert.deepEqual(asked, ['/launch-reminders']);

  await page.goto(await linkFor(email, 'reminder'));
  await page.getByRole('button', { name: w.confirm }).waitFor();
  cleared(page);
  assert.equal(new URL(page.url()).pathname, `${prefix}/reminder/`);
  assert.deepEqual(asked, ['/launch-reminders'], 'opening the page confirms something');
  await page.getByRole('button', { name: w.confirm }).click();
  await page.getByText(w.done).waitFor();
  assert.equal(asked.at(-1), '/launch-reminders/confirm');
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wide <= 0, `the page is ${wide} px too wide`);
};

/** A link that is incomplete says so. */
async function strange(visit) {
  const page = await visit();
  await page.goto(`${base}/reminder/`);
  await page.getByText('Open this page with the link').waitFor();
  await page.goto(`${base}/reminder/#t=x.y`);
  await page.getByRole('button', { name: texts.en.confirm }).click();
  await page.getByText('has expired').waitFor();
}

/** The link of a mail's text that stops more of the same: the token comes to the page, and no server sees it. */
const stopped = (lang, options) => async (visit) => {
  const page = await visit(options);
  const email = someone();
  assert.equal((await ask('/launch-reminders', { campaignSlug: 'slow-weather', email, consent: true, preferredLang: lang })).status, 200);
  await linkFor(email, 'reminder');
  const mail = (await ask('/demo/mail', undefined, { Accept: 'application/json' })).body.find((m) => m.to === email);
  const [link] = mail.text.match(/https?:\S+\/unsubscribe\S*#t=\S+/);
  const sent = [];
  page.on('request', (r) => sent.push(r.url().replace(/#.*/, ''), r.headers().referer ?? ''));
  await page.goto(link);
  await page.getByRole('button', { name: texts[lang].stop }).click();
  await page.getByRole('button', { name: texts[lang].again }).waitFor();
  assert.equal(new URL(page.url()).pathname, `${words[lang].prefix}/mails/`);
  cleared(page);
  assert.deepEqual(sent.filter((s) => s.includes(carried(link))), [], 'a server sees the token');
};

/** The box of the checkout is not ticked, and its word reaches the service only when it is. */
// Proves ABN-02, CHK-32, SIT-31.
async function box(visit) {
  for (const tick of [false, true]) {
    const page = await visit(phone);
    let sent;
    await page.route('**/checkout-intent/start', (route) => {
      sent = route.request().postDataJSON();
      return route.continue();
    });
    await choose(page, '', 'night-ferry', 'digital-premiere');
    await page.goto(`${base}/checkout/`);
    const remind = page.getByLabel(/Remind me by email/);
    await remind.waitFor();
    assert.equal(await remind.isChecked(), false, 'the box is ticked');
    if (tick) await remind.check();
    await page.locator('[name=email]').fill(someone());
    await page.getByRole('button', { name: words.en.next }).click();
    await page.locator('input[name=card]').first().waitFor();
    assert.equal(sent.abandonedCartConsent, tick ? true : undefined);
  }
}

/** The link of the mail brings back what was chosen, and says nothing about it in the address. */
async function resumed(visit) {
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
  await gone.goto(`${base}/checkout/#resume=x.y`); // answered by the service
  await gone.getByText('Your pledge is empty.').waitFor();
  assert.equal((await ask('/abandoned-cart/resume', { token: 'x.y' })).status, 401);
}

export default {
  'launch': launch('en', { timezoneId: 'Europe/Madrid' }),
  'launch on a phone, in Spanish': launch('es', phone),
  'a strange link': strange,
  'no more of them': stopped('en'),
  'no more of them, in Spanish, on a phone': stopped('es', phone),
  'the box of the checkout': box,
  'a cart that was left': resumed,
};
