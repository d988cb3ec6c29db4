// What happens after the charge: a refund that comes back, disputes, a payout, and the refund of all payments.
import assert from 'node:assert/strict';
import { base, callAPI, linkFor, phone } from './actions.mjs';
import { ensureSettled, expectUsable, mailTo, openDashboard, openScreen, signIn } from './dashboard.mjs';

const slug = 'tidepool-traders';
const rows = (page) => page.locator('main.content tbody tr');

/** Presses a button of the demo's own page, and waits for its effect. */
async function press(visit, name) {
  const page = await visit();
  await page.goto(`${base}/demo/`);
  await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name, exact: true }).click()]);
}

/** Reloads a screen until it shows a text. */
async function reloadUntil(page, text) {
  const shown = page.getByText(text).first();
  for (const until = Date.now() + 60_000; Date.now() < until; await page.reload()) {
    await page.locator('main.content h1').first().waitFor();
    if (
      await shown.waitFor({ timeout: 2_000 }).then(
        () => true,
        () => false,
      )
    )
      return;
  }
  await shown.waitFor();
}

/** Returns the charges of the campaign of which nothing was refunded. */
async function charges() {
  const { body } = await callAPI('/_sim/books');
  return body.charges.filter((c) => c.group.startsWith(`settle:${slug}:`) && !c.refunded);
}

/** A refund fails after ten days: it is owed until two operators state that it was paid in another way. */
async function failedRefund(visit) {
  await ensureSettled(slug);
  let page = await openDashboard(visit, 'en');
  await openScreen(page, `supporters?campaign=${slug}&status=charged`);
  const row = rows(page).nth(2);
  const [who] = (await row.innerText()).match(/\S+@example\.com/);
  await row.getByRole('link').click();
  const panel = page.locator('aside.panel');
  await panel
    .getByText(/pw-[0-9a-z]+/)
    .first()
    .waitFor();
  const [order] = (await panel.innerText()).match(/pw-[0-9a-z]+/);
  await panel.getByRole('button', { name: 'Refund…' }).first().click();
  await page
    .locator('dialog[open]')
    .getByRole('button', { name: /^Refund \$[\d.,]+$/ })
    .click();
  await page.getByText('Refunded. The supporter gets an email.').waitFor();
  const id = await page.evaluate(
    async ([slug, order]) => {
      const { refunds } = await (await fetch(`/admin/refunds/${slug}?limit=1000`)).json();
      return refunds.find((r) => r.parts.some((p) => p.orderId === order)).refundId;
    },
    [slug, order],
  );
  await callAPI('/demo/clock', { advance: '240h' });
  await press(visit, `Refund ${id} fails`);
  await mailTo(who, /Your bank returned the refund of \$/);
  const supporter = await visit({ bypassCSP: true });
  await supporter.goto(await linkFor(who));
  await supporter.getByText(/^Your bank returned the refund of \$/).waitFor();
  await expectUsable(supporter);
  page = await openDashboard(visit, 'en'); // the session of ten days ago has ended
  await openScreen(page, `campaigns/${slug}/settlement`);
  await reloadUntil(page, /^The bank returned \$/);
  await expectUsable(page);
  await page.getByRole('button', { name: 'Paid another way…' }).click();
  await page.locator('dialog[open]').getByRole('button', { name: 'Paid another way' }).click();
  await page.getByText('you stated that it was paid in another way.').waitFor();
  const second = await signIn(visit, 'ben@example.com', 'es', phone);
  await openScreen(second, `campaigns/${slug}/settlement`, 'es');
  await second.getByRole('button', { name: 'Pagado por otra vía…' }).click();
  await expectUsable(second);
  await second.locator('dialog[open]').getByRole('button', { name: 'Pagado por otra vía' }).click();
  await second.getByText('Reembolsos que te necesitan').waitFor({ state: 'detached' });
}

/** One dispute is lost and one is won. Home asks for an answer, and the figures follow. */
async function disputes(visit) {
  await ensureSettled(slug);
  const [first, second] = await charges();
  const page = await openDashboard(visit, 'en');
  await press(visit, `Dispute ${first.charge}`);
  await openScreen(page, 'home');
  await reloadUntil(page, '1 disputed payment');
  await expectUsable(page);
  await openScreen(page, `campaigns/${slug}/settlement`);
  await reloadUntil(page, 'Withdrawn until the bank decides');
  await press(visit, /^Dispute \w+ is lost$/);
  await reloadUntil(page, 'Lost in disputes');
  await press(visit, `Dispute ${second.charge}`);
  await reloadUntil(page, 'Withdrawn until the bank decides');
  await expectUsable(page);
  await press(visit, /^Dispute \w+ is won$/);
  for (const until = Date.now() + 60_000; Date.now() < until; await page.reload()) {
    await page.getByText('Lost in disputes').waitFor();
    if (!(await page.getByText('Withdrawn until the bank decides').count())) break;
  }
  assert.equal(await page.getByText('Withdrawn until the bank decides').count(), 0);
}

/** A payout is compared with the ledger. */
async function payout(visit) {
  await ensureSettled(slug);
  await callAPI('/demo/clock', { advance: '240h' }); // until the charges are available
  await press(visit, 'Pay out what is available');
  await callAPI('/demo/clock', { advance: '2h', run: true });
  const page = await openDashboard(visit, 'en');
  await openScreen(page, `campaigns/${slug}/settlement`);
  await reloadUntil(page, 'Matches');
  const [row] = await page.getByRole('table', { name: 'Payouts' }).locator('tbody tr').allInnerTexts();
  assert.match(row, /\$[\d.,]+\s+(On its way|Paid)\s+Matches/);
  await expectUsable(page);
}

/** One operator asks to refund all payments, and another one confirms it. The run refunds what remains. */
async function refundAll(visit) {
  await ensureSettled(slug);
  const page = await openDashboard(visit, 'en');
  await openScreen(page, `campaigns/${slug}/settlement`);
  const dialog = page.locator('dialog[open]');
  await page.getByRole('button', { name: 'Refund all payments…' }).click();
  await dialog.getByText(/^\d+ payments?, \$[\d.,]+ in all\./).waitFor();
  await dialog.getByRole('textbox', { name: /^Message to the supporters/ }).fill('The workshop burned down.');
  await expectUsable(page);
  await dialog.getByRole('button', { name: 'Refund all payments' }).click();
  await page.getByText(/^You asked for this on .* Another operator has to confirm it\.$/).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Confirm…' }).count(), 0);
  const second = await signIn(visit, 'ben@example.com', 'es', phone);
  await openScreen(second, `campaigns/${slug}/settlement`, 'es');
  await second.getByRole('button', { name: 'Confirmar…' }).click();
  await expectUsable(second);
  await second.locator('dialog[open]').getByRole('button', { name: 'Confirmar' }).click();
  await second.getByText(/^Se están reembolsando todos los pagos/).waitFor();
  await expectUsable(second);
  await callAPI('/demo/clock', { advance: '2m' });
  const done = page.getByText(/^All payments were refunded/);
  for (const until = Date.now() + 60_000; Date.now() < until && !(await done.count()); ) {
    await page.reload();
    await page.locator('main.content h1').first().waitFor();
    await page.getByText('If you can’t deliver').waitFor();
    await page.getByText(/^All payments (are|were)/).waitFor();
  }
  await done.waitFor();
  await page.getByText(/^\d+ payments? refunded, \$/).waitFor();
  await expectUsable(page);
}

export default { failedRefund, disputes, payout, refundAll };
