// Actions of supporters and texts of the public pages, shared by the stories.
import assert from 'node:assert/strict';

export const base = process.env.BASE;
export const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
/** The narrowest supported phone. A page that fits it fits every phone. */
export const smallPhone = { ...phone, viewport: { width: 320, height: 640 } };

export const words = {
  en: {
    prefix: '',
    card: 'Save card',
    next: 'Continue to card',
    change: 'Change pledge',
    look: 'Review change',
    confirm: 'Confirm change',
    keep: 'Keep as is',
    act: 'By confirming this change',
    lead: 'with the link in your email',
    none: "You haven't changed anything yet.",
    noReward: 'No reward',
    conflict: 'Something changed in the meantime',
    one: 'Only 1 left',
    country: 'United States',
    barred: "You can't vote here",
    cancel: 'Cancel pledge',
    cancelWhy: /^Why are you canceling/,
    nothing: "Your pledge is canceled. You won't be charged.",
    vote: 'Vote',
    votes: 'Votes',
    counted: '1 vote',
    visa: 'Card: Visa ending in 4242',
    thanks: 'Thank you',
    offline: "We couldn't reach the service",
    noQuote: "We can't calculate shipping and tax right now",
  },
  es: {
    prefix: '/es',
    card: 'Guardar tarjeta',
    next: 'Continuar con la tarjeta',
    change: 'Cambiar aportación',
    look: 'Revisar el cambio',
    confirm: 'Confirmar cambio',
    keep: 'Dejarla como está',
    act: 'Al confirmar este cambio',
    lead: 'con el enlace de tu correo',
    none: 'Todavía no has cambiado nada.',
    noReward: 'Sin recompensa',
    conflict: 'Algo ha cambiado entretanto',
    one: 'Solo queda 1',
    country: 'Estados Unidos',
    barred: 'Aquí no puedes votar',
    cancel: 'Cancelar aportación',
    cancelWhy: /^¿Por qué la cancelas/,
    nothing: 'Tu aportación está cancelada. No te cobraremos nada.',
    vote: 'Votar',
    votes: 'Votaciones',
    counted: '1 voto',
    visa: 'Tarjeta: Visa terminada en 4242',
    thanks: 'Gracias',
    offline: 'No hemos podido conectar',
    noQuote: 'Ahora mismo no podemos calcular el envío y los impuestos',
  },
};

let people = 0;
export const newEmail = () => `person${++people}-${process.pid}@example.com`;

export async function callAPI(path, value, headers = {}) {
  const answer = await fetch(
    base + path,
    value === undefined
      ? { headers }
      : {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', Origin: base, ...headers },
          body: JSON.stringify(value),
        },
  );
  const text = await answer.text();
  return { status: answer.status, body: text ? JSON.parse(text) : {} };
}

/** Waits for a mail to an address with a link to a page, and returns the newest matching link. */
export async function linkFor(email, to = 'manage', action = '') {
  for (const until = Date.now() + 30_000; Date.now() < until; ) {
    const { body } = await callAPI('/demo/mail', undefined, { Accept: 'application/json' });
    const mail = (body ?? []).filter((m) => m.to === email).sort((a, b) => b.sentAt.localeCompare(a.sentAt))[0];
    const link = mail?.text.match(new RegExp(`https?://\\S+/${to}/#t=\\S+${action && `&do=${action}`}`))?.[0];
    if (link) return link;
    await new Promise((go) => setTimeout(go, 50));
  }
  throw new Error(`no mail to ${email}`);
}

/** Returns a parameter in the fragment of a mail's link. */
export const linkParameter = (link, name = 't') => new URLSearchParams(new URL(link).hash.slice(1)).get(name);

/** Asserts that the token of a mail's link was removed from the address bar. */
export function expectTokenRemoved(page) {
  const { search, hash } = new URL(page.url());
  assert.deepEqual([search, hash], ['', ''], 'the token stays in the address');
}

export const homeAddress = {
  name: 'Ada',
  line1: '1 Shore Road',
  city: 'Taos',
  state: 'NM',
  postalCode: '87571',
  country: 'US',
};

/** Makes a pledge through the API, without a page. */
export async function makePledge(email, id, card = 'ok', quantity = 1, preferredLang = 'en') {
  const started = await callAPI('/checkout-intent/start', {
    email,
    preferredLang,
    items: [{ id, quantity }],
    shippingAddress: homeAddress,
    tipPercent: 0,
  });
  assert.equal(started.status, 200, JSON.stringify(started.body));
  const { orderId, sessionId } = started.body;
  assert.equal((await callAPI('/_sim/complete', { session: sessionId, card })).status, 200);
  assert.equal((await callAPI('/checkout-intent/complete', { orderId, sessionId })).status, 200);
  return orderId;
}

export async function addReward(page, prefix, slug, tier) {
  await page.goto(`${base}${prefix}/campaigns/${slug}/`);
  await page.locator('progress').first().waitFor();
  await page.locator(`[data-tier=${tier}] button`).click();
}

/** Fills in an address. The country comes first, because the other fields depend on it. */
export async function fillAddress(page, address = homeAddress) {
  await page.locator('[name="shippingAddress.country"]').selectOption(address.country);
  for (const [name, value] of Object.entries(address)) {
    if (name === 'country') continue;
    const field = page.locator(`[name="shippingAddress.${name}"]`);
    if (await field.evaluate((e) => e instanceof HTMLSelectElement)) await field.selectOption(value);
    else await field.fill(value);
  }
}

/** Goes from the cart through checkout and saves a card. */
export async function checkOut(page, w, email, { address = false, card = 'ok' } = {}) {
  await page.locator('[data-cart]').click();
  await page.locator('[name=email]').fill(email);
  if (address) await fillAddress(page);
  await page.getByRole('button', { name: w.next }).click();
  await page.locator(`input[name=card][value=${card}]`).check();
  await page.getByRole('button', { name: w.card }).click();
}

export async function openPledge(page, email, prefix = '') {
  const link = new URL(await linkFor(email));
  await page.goto('about:blank'); // otherwise only the fragment changes, and the old page stays until it reloads itself
  await page.goto(`${base}${prefix || link.pathname.replace(/manage\/$/, '').replace(/\/$/, '')}/manage/${link.hash}`);
  await page.locator('.bill').waitFor();
}
