// What people do, in words that the stories share.
import assert from 'node:assert/strict';

export const base = process.env.BASE;
export const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

export const words = {
  en: {
    prefix: '', card: 'Save card', next: 'Continue to card', change: 'Change pledge', look: 'Review change', confirm: 'Confirm change', keep: 'Keep as is',
    act: 'By confirming this change', lead: 'with the link in your email', none: "You haven't changed anything yet.", noReward: 'No reward', conflict: 'This is no longer possible', one: 'Only 1 left', country: 'United States', barred: 'Your pledge has no vote here',
    cancel: 'Cancel pledge', nothing: "Your pledge is cancelled. You won't be charged.", vote: 'Vote', votes: 'Votes', counted: '1 vote', visa: 'Card: Visa ending in 4242', thanks: 'Thank you', offline: "We couldn't reach the service", noQuote: "We can't calculate shipping and tax right now",
  },
  es: {
    prefix: '/es', card: 'Guardar tarjeta', next: 'Continuar con la tarjeta', change: 'Cambiar aportación', look: 'Revisar el cambio', confirm: 'Confirmar cambio', keep: 'Dejarla como está',
    act: 'Al confirmar este cambio', lead: 'con el enlace de tu correo', none: 'Todavía no has cambiado nada.', noReward: 'Sin recompensa', conflict: 'Esto ya no es posible', one: 'Solo queda 1', country: 'Estados Unidos', barred: 'Tu aportación no tiene voto aquí',
    cancel: 'Cancelar aportación', nothing: 'Tu aportación está cancelada. No te cobraremos nada.', vote: 'Votar', votes: 'Votaciones', counted: '1 voto', visa: 'Tarjeta: Visa terminada en 4242', thanks: 'Gracias', offline: 'No hemos podido conectar', noQuote: 'Ahora mismo no podemos calcular el envío y los impuestos',
  },
};

let people = 0;
export const someone = () => `person${++people}-${process.pid}@example.com`;

export async function ask(path, value, headers = {}) {
  const answer = await fetch(base + path, value === undefined ? { headers } : { method: 'POST', headers: { 'Content-Type': 'application/json', Origin: base, ...headers }, body: JSON.stringify(value) });
  const text = await answer.text();
  return { status: answer.status, body: text ? JSON.parse(text) : {} };
}

/** The link of the newest mail to somebody, to a pledge or another page; it is asked for until it is there. */
export async function linkFor(email, to = 'manage') {
  for (const until = Date.now() + 30_000; Date.now() < until;) {
    const { body } = await ask('/demo/mail', undefined, { Accept: 'application/json' });
    const mail = (body ?? []).filter((m) => m.to === email).sort((a, b) => b.sentAt.localeCompare(a.sentAt))[0];
    const link = mail?.text.match(new RegExp(`https?://\\S+/${to}/#t=\\S+`))?.[0];
    if (link) return link;
    await new Promise((go) => setTimeout(go, 50));
  }
  throw new Error(`no mail to ${email}`);
}

/** A parameter of a mail's link, which is in its fragment. */
export const carried = (link, name = 't') => new URLSearchParams(new URL(link).hash.slice(1)).get(name);

/** Reports that nothing of a mail's link is left in the address. */
export function cleared(page) {
  const { search, hash } = new URL(page.url());
  assert.deepEqual([search, hash], ['', ''], 'the token stays in the address');
}

export const home = { name: 'Ada', line1: '1 Shore Road', city: 'Taos', state: 'NM', postalCode: '87571', country: 'US' };

/** A pledge that somebody makes without a browser. */
export async function pledge(email, id, card = 'ok', quantity = 1, preferredLang = 'en') {
  const started = await ask('/checkout-intent/start', { email, preferredLang, items: [{ id, quantity }], shippingAddress: home, tipPercent: 0 });
  assert.equal(started.status, 200, JSON.stringify(started.body));
  const { orderId, sessionId } = started.body;
  assert.equal((await ask('/_sim/complete', { session: sessionId, card })).status, 200);
  assert.equal((await ask('/checkout-intent/complete', { orderId, sessionId })).status, 200);
  return orderId;
}

export async function choose(page, prefix, slug, tier) {
  await page.goto(`${base}${prefix}/campaigns/${slug}/`);
  await page.locator('progress').first().waitFor();
  await page.locator(`[data-tier=${tier}] button`).click();
}

/** The country decides which fields there are, so that it comes first. */
export async function fillAddress(page, address = home) {
  await page.locator('[name="shippingAddress.country"]').selectOption(address.country);
  for (const [name, value] of Object.entries(address)) {
    if (name === 'country') continue;
    const field = page.locator(`[name="shippingAddress.${name}"]`);
    if (await field.evaluate((e) => e instanceof HTMLSelectElement)) await field.selectOption(value);
    else await field.fill(value);
  }
}

/** From the cart to the thanks. */
export async function checkout(page, w, email, { address = false, card = 'ok' } = {}) {
  await page.locator('[data-cart]').click();
  await page.locator('[name=email]').fill(email);
  if (address) await fillAddress(page);
  await page.getByRole('button', { name: w.next }).click();
  await page.locator(`input[name=card][value=${card}]`).check();
  await page.getByRole('button', { name: w.card }).click();
}

export async function open(page, email, prefix = '') {
  const link = new URL(await linkFor(email));
  await page.goto('about:blank'); // another fragment alone would be the page of before, until it reloads itself
  await page.goto(`${base}${prefix || link.pathname.replace(/manage\/$/, '').replace(/\/$/, '')}/manage/${link.hash}`);
  await page.locator('.bill').waitFor();
}
