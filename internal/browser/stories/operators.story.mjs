// Signing in to the dashboard: with an email link in the browser that requested it, with a code, and
// with a passkey.
import assert from 'node:assert/strict';
import { base, callAPI, phone, words } from './actions.mjs';
import { expectUsable } from './dashboard.mjs';

const texts = {
  en: {
    email: 'Email',
    send: 'Email me a sign-in link',
    sent: /Open it in this browser/,
    enter: 'Sign in',
    code: 'Code in the email',
    wrong: /isn't the code/,
    used: /was requested in another browser/,
    out: 'Sign out',
    who: (e) => `You're signed in as ${e}.`,
    name: 'Passkey name',
    add: 'Add a passkey',
    keep: /Keep these in a safe place/,
    kept: "I've saved them",
    unused: /not used yet/,
    step: /One more step/,
    use: 'Use a passkey',
    failed: /No passkey was used/,
    lost: 'Lost your passkey?',
    none: /recovery code isn.t correct/,
    left: 'Recovery codes left: 9.',
    remove: 'Remove Laptop',
  },
  es: {
    email: 'Correo',
    send: 'Enviarme un enlace de acceso',
    sent: /Ábrelo en este navegador/,
    enter: 'Iniciar sesión',
    code: 'Código del correo',
    wrong: /no es el código/,
    used: /se pidió en otro navegador/,
    out: 'Cerrar sesión',
    who: (e) => `Has iniciado sesión como ${e}.`,
    name: 'Nombre de la llave',
    add: 'Añadir una llave de acceso',
    keep: /Guárdalos donde/,
    kept: 'Ya los he guardado',
    unused: /aún sin usar/,
    step: /Falta un paso/,
    use: 'Usar una llave de acceso',
    failed: /No se ha usado ninguna/,
    lost: '¿Has perdido tu llave de acceso?',
    none: /código de recuperación no es correcto/,
    left: 'Códigos de recuperación que te quedan: 9.',
    remove: 'Quitar Laptop',
  },
};

const read = new Set(); // codes that were already used

/** Waits for an unused sign-in mail and returns its link and code. */
async function unusedMail(email) {
  for (const until = Date.now() + 30_000; Date.now() < until; ) {
    const { body } = await callAPI('/demo/mail', undefined, { Accept: 'application/json' });
    const mail = (body ?? [])
      .filter((m) => m.to === email && /sign-in=/.test(m.text))
      .sort((a, b) => b.sentAt.localeCompare(a.sentAt))[0];
    const code = mail?.text.match(/\b\d{4} \d{4}\b/)[0];
    if (code && !read.has(code)) {
      read.add(code);
      return { link: mail.text.match(/https?:\/\/\S+#sign-in=\S+/)[0], code };
    }
    await new Promise((go) => setTimeout(go, 50));
  }
  throw new Error(`no mail to ${email}`);
}

/** Opens the account screen and checks who is signed in. */
async function expectSignedIn(page, w, email) {
  await page.locator('main.content').waitFor();
  await page.evaluate(() => {
    location.hash = '#/account';
  });
  await page.getByText(w.who(email)).first().waitFor();
}

async function askForMail(page, w, email) {
  await page.locator('[name=email]').fill(email);
  await page.getByRole('button', { name: w.send }).click();
  await page.getByText(w.sent).waitFor();
}

// Proves AAU-01.
const link = (lang, email, options) => async (visit) => {
  const w = texts[lang];
  const page = await visit({ bypassCSP: true, ...options });
  const asked = [];
  page.on('request', (r) => r.method() === 'POST' && asked.push(new URL(r.url()).pathname));
  await page.goto(`${base}${words[lang].prefix}/admin/`);
  await page.getByRole('button', { name: w.send }).waitFor();
  await expectUsable(page);
  await askForMail(page, w, email);
  await expectUsable(page);
  const mail = await unusedMail(email);
  assert.ok(new URL(mail.link).pathname === `${words[lang].prefix}/admin/`, mail.link);

  const stranger = await visit();
  await stranger.goto(mail.link);
  await stranger.getByRole('button', { name: w.enter }).click();
  await stranger.getByText(w.used).waitFor();

  asked.length = 0;
  await page.goto('about:blank');
  await page.goto(mail.link);
  const enter = page.getByRole('button', { name: w.enter });
  await enter.waitFor();
  assert.deepEqual(
    [new URL(page.url()).hash, asked],
    ['', []],
    'opening the link sends a request or leaves its token in the URL',
  );
  await enter.click();
  await expectSignedIn(page, w, email);
  await page.reload();
  await expectSignedIn(page, w, email);
  await expectUsable(page);
  assert.equal(await page.evaluate(() => document.cookie), '', 'scripts can read the session');
  await page.getByRole('button', { name: w.out }).click();
  await page.getByRole('button', { name: w.send }).waitFor();
  await page.reload();
  await page.getByRole('button', { name: w.send }).waitFor();
};

/** Signing in with a code, for mails that are read on another device. */
async function code(visit) {
  const w = texts.en;
  const page = await visit(phone);
  await page.goto(`${base}/admin/`);
  await askForMail(page, w, 'cy@example.com');
  const field = page.getByLabel(w.code);
  await field.fill('1');
  await page.getByRole('button', { name: w.enter }).click();
  await page.getByText(w.wrong).waitFor();
  await field.fill((await unusedMail('cy@example.com')).code);
  await page.getByRole('button', { name: w.enter }).click();
  await expectSignedIn(page, w, 'cy@example.com');
}

const screenshot = async (page, name) => {
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${name}.png`, fullPage: true });
};

/** Sets the client address, because each address is limited to five mails a minute. */
const fromAddress = (address) => ({ extraHTTPHeaders: { 'CF-Connecting-IP': address } });

/** Adds a virtual authenticator with automatic user presence to a page. */
async function authenticator(page) {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    recognises: (yes) => cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: yes }),
    lose: () => cdp.send('WebAuthn.clearCredentials', { authenticatorId }),
  };
}

async function signIn(page, w, email) {
  await askForMail(page, w, email);
  await page.getByLabel(w.code).fill((await unusedMail(email)).code);
  await page.getByRole('button', { name: w.enter }).click();
}

/** A passkey as a second factor: added, required, lost, and replaced by a recovery code. */
const passkey = (lang, email, options) => async (visit) => {
  const w = texts[lang];
  const page = await visit({ bypassCSP: true, ...options });
  const device = await authenticator(page);
  await page.goto(`${base}${words[lang].prefix}/admin/`);
  await signIn(page, w, email);
  await expectSignedIn(page, w, email);
  await page.getByLabel(w.name).fill('Laptop');
  await page.getByRole('button', { name: w.add }).click();
  await page.getByText(w.keep).waitFor();
  const codes = await page.locator('.codes code').allTextContents();
  assert.equal(new Set(codes).size, 10);
  await expectUsable(page);
  await screenshot(page, `passkey-codes-${lang}`);
  await page.getByRole('button', { name: w.kept }).click();
  await page.getByText(w.unused).waitFor();
  await expectUsable(page);
  await screenshot(page, `passkey-list-${lang}`);

  await page.getByRole('button', { name: w.out }).click();
  await signIn(page, w, email);
  await page.getByText(w.step).waitFor();
  await expectUsable(page);
  await screenshot(page, `passkey-step-${lang}`);
  await device.recognises(false);
  await page.getByRole('button', { name: w.use }).click();
  await page.getByText(w.failed).waitFor();
  await page.reload();
  await page.getByText(w.step).waitFor(); // a reload does not bypass it
  await device.recognises(true);
  await page.getByRole('button', { name: w.use }).click();
  await expectSignedIn(page, w, email);

  await page.getByRole('button', { name: w.out }).click();
  await device.lose();
  await signIn(page, w, email);
  await page.getByText(w.lost).click();
  await page.locator('[name=code]').fill('aaaa-aaaa-aaaa-aaaa');
  await page.getByRole('button', { name: w.enter }).click();
  await page.getByText(w.none).waitFor();
  await page.locator('[name=code]').fill(codes[0]);
  await page.getByRole('button', { name: w.enter }).click();
  await expectSignedIn(page, w, email);
  await page.getByText(w.left).waitFor();
  await page.getByRole('button', { name: w.remove }).click();
  await page.getByText(w.unused).waitFor({ state: 'detached' });
  await page.locator('section li').waitFor({ state: 'detached' });
};

/** A server without a place to save campaigns says so, instead of asking to try again. */
async function editingOff(visit) {
  const w = texts.en;
  const page = await visit({ bypassCSP: true, ...fromAddress('10.8.0.3') });
  await page.goto(`${base}/admin/`);
  await signIn(page, w, 'ben@example.com');
  await page.getByRole('button', { name: 'New campaign' }).first().click();
  await page.getByLabel('Title').fill('Nowhere to go');
  await page.getByRole('button', { name: 'Create campaign' }).click();
  const message = page.getByRole('dialog').getByRole('alert');
  await message.filter({ hasText: /^Editing is off: this server has nowhere to save campaigns\./ }).waitFor();
  await expectUsable(page);
}

export default {
  editingOff,
  passkey: passkey('en', 'dee@example.com', fromAddress('10.8.0.1')),
  'passkey, in Spanish, on a phone': passkey('es', 'eve@example.com', { ...phone, ...fromAddress('10.8.0.2') }),
  link: link('en', 'ada@example.com', {}),
  'link, in Spanish, on a phone': link('es', 'ben@example.com', phone),
  code,
};
