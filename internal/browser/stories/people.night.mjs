// Supporters, reports and figures of a settled campaign: screens, exports and emails have the same
// content, with statuses in words and times in the platform's time zone.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { callAPI, makePledge, phone } from './actions.mjs';
import { ensureSettled, expectNoPersonalData, expectUsable, openDashboard, openScreen, signIn } from './dashboard.mjs';

const slug = 'tidepool-traders';
const rows = (page) => page.locator('main.content tbody tr');
const row = (page, text) => rows(page).filter({ hasText: text });

/** Clicks a button that downloads a file, and returns its lines. */
async function linesOf(page, button) {
  const [file] = await Promise.all([page.waitForEvent('download'), button.click()]);
  return (await readFile(await file.path(), 'utf8')).trim().split(/\r?\n/);
}

/** Types another text before the results of the first arrive, which are held back until then. */
async function typeWhileSearching(page, field) {
  let release;
  const held = new Promise((go) => {
    release = go;
  });
  await page.route('**/admin/supporters', async (route) => {
    if (route.request().postData()?.includes('"amir"')) await held;
    await route.continue();
  });
  const first = page.waitForRequest((r) => r.postData()?.includes('"amir"'));
  const answered = page.waitForResponse((r) => r.request().postData()?.includes('"amir"'));
  await field.fill('amir');
  await first;
  await field.fill('priya');
  release();
  await answered;
  await row(page, 'priya@example.com').first().waitFor();
  await page.unroute('**/admin/supporters');
}

/** Search in all campaigns, views by status as links, filters, and actions on several pledges. */
// Proves RPT-02.
async function bulkActions(visit) {
  const page = await openDashboard(visit, 'en');
  await openScreen(page, 'supporters');
  const field = page.getByRole('searchbox');
  await field.fill('may');
  await row(page, 'Tidepool Traders').filter({ hasText: 'maya@example.com' }).waitFor();
  await row(page, 'amir@example.com').first().waitFor({ state: 'detached' });
  await expectUsable(page);
  await typeWhileSearching(page, field);
  await field.fill('');
  const views = page.getByRole('navigation', { name: 'Views' });
  assert.equal(await views.getByText(/\d/).count(), 0, 'the views of all campaigns have counts');
  await page.getByLabel('Campaign').selectOption('Tidepool Traders');
  await views.getByRole('link', { name: /^All \d+$/ }).waitFor();
  const statuses = views.getByRole('link').filter({ hasNotText: 'To ship' }); // shown once pledges have parcels
  await statuses.filter({ hasNotText: /\d$/ }).first().waitFor({ state: 'detached' });
  const counts = (await statuses.allInnerTexts()).map((t) => Number(/\d+$/.exec(t.trim())[0]));
  assert.equal(
    counts.slice(1).reduce((a, b) => a + b),
    counts[0],
    'the views do not add up to all pledges',
  );
  await page.getByLabel('Country').selectOption('Andorra');
  await page.getByText('No supporters with these filters').waitFor();
  await page.getByLabel('Country').selectOption('United States');
  await row(page, 'maya@example.com').waitFor();

  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Canceled' }).click();
  await page.getByText('No supporters with these filters').waitFor();
  await page.getByRole('button', { name: 'Copy link' }).click();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'All' }).click();
  await row(page, 'maya@example.com').waitFor();
  await page.goto(link);
  await page.getByText('No supporters with these filters').waitFor();
  assert.equal(await page.getByLabel('Country').inputValue(), 'US', 'a saved view has other filters');
  await page.getByRole('button', { name: 'Reset filters' }).click();
  await row(page, 'maya@example.com').waitFor();

  for (const email of ['maya@example.com', 'priya@example.com']) await row(page, email).getByRole('checkbox').check();
  await page.getByText('2 selected', { exact: true }).waitFor();
  await expectUsable(page);
  const lines = await linesOf(page, page.getByRole('button', { name: 'Export 2 selected rows (CSV)' }));
  assert.match(lines[0], /^.?"Supporter","Tier","Total","Status","Date"$/);
  assert.equal(lines.length, 3, 'the file has other rows than those selected');
  assert.match(lines.join('\n'), /"\S+ \S+ maya@example\.com"/);

  const emailsTo = async (to) =>
    (await callAPI('/demo/mail', undefined, { Accept: 'application/json' })).body.filter((m) => m.to === to).length;
  const [before, others] = [await emailsTo('priya@example.com'), await emailsTo('amir@example.com')];
  await page.getByRole('button', { name: 'Resend 2 pledge links…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Email 2 supporters their pledge links?' });
  await expectUsable(page);
  assert.equal(await emailsTo('priya@example.com'), before, 'an email is sent before the confirmation');
  await dialog.getByRole('button', { name: 'Resend 2 pledge links' }).click();
  await page.getByText('2 emails are on their way').waitFor();
  for (const until = Date.now() + 30_000; (await emailsTo('priya@example.com')) === before; ) {
    assert.ok(Date.now() < until, 'no email with the links');
    await new Promise((go) => setTimeout(go, 50));
  }
  assert.equal(await emailsTo('amir@example.com'), others, 'a supporter who was not selected was emailed');

  await page.getByRole('button', { name: 'Add 2 notes…' }).click();
  await page.getByRole('textbox', { name: 'Note' }).fill('Met at the fair');
  await page.locator('dialog[open]').getByRole('button', { name: 'Add 2 notes' }).click();
  await page.getByText('2 notes added').waitFor();
  await page.getByRole('button', { name: 'Clear selection' }).click();
  await page.waitForFunction(() => document.activeElement.classList.contains('select-all'));
  await row(page, 'priya@example.com').getByRole('link').click();
  await page.locator('aside.panel .time').getByText('Met at the fair').waitFor();
  await expectNoPersonalData(page);
}

/** With a long address the table still fits the window, and its rows have the usual height. */
async function longAddress(visit) {
  const email = `a-very-long-address-for-newsletters-and-receipts.${'x'.repeat(14)}@mail.example.com`;
  await makePledge(email, 'night-ferry__digital-premiere');
  for (const size of [{}, phone]) {
    const page = await openDashboard(visit, 'en', size);
    await openScreen(page, 'supporters?campaign=night-ferry');
    const { width, height } = await row(page, email.slice(0, 20)).first().boundingBox();
    assert.ok(height < 180, `the row is ${height} pixels high`);
    assert.ok(width <= page.viewportSize().width);
    const date = row(page, email.slice(0, 20)).first().locator('time');
    const { x, width: w } = await date.boundingBox();
    assert.ok(x + w <= page.viewportSize().width, 'the date is outside the window');
    await expectUsable(page);
  }
}

const codes = /payment_failed|authentication_required|insufficient_funds|update_card|attempt|\bpi_/;
const cents = (text) => Number(text.replace(/[^\d−]/g, '').replace('−', '-'));

/** One supporter: the parts of the total, a declined charge and the timeline in words, in both languages. */
async function oneSupporter(visit) {
  await ensureSettled(slug);
  const page = await openDashboard(visit, 'en');
  await openScreen(page, `supporters?campaign=${slug}`);
  await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'To ship' }).click();
  await rows(page).first().waitFor();
  await row(page, 'Payment failed').first().waitFor({ state: 'detached' });
  assert.ok((await rows(page).count()) > 0, 'there is no pledge to ship');
  for (const text of await rows(page).locator('.c-status').allInnerTexts()) assert.equal(text.trim(), 'Charged');
  await openScreen(page, `supporters?campaign=${slug}&status=payment_failed`);
  const failed = page.getByRole('link', { name: /amir@example\.com/ });
  await failed.waitFor();
  await failed.click();
  const panel = page.locator('aside.panel');
  await panel
    .locator('.notice')
    .getByText(/^Payment failed: /)
    .waitFor();
  const amount = async (name) => {
    const line = panel.locator('li.row').filter({ has: page.getByText(name, { exact: true }) });
    return (await line.count()) ? cents(await line.locator(':scope > :last-child').first().innerText()) : 0;
  };
  const parts = [];
  for (const name of ['Subtotal', 'Shipping', 'Tax', 'Tip']) parts.push(await amount(name));
  assert.ok(parts[0] > 0);
  assert.equal(
    parts.reduce((a, b) => a + b),
    await amount('Total'),
    'the parts do not add up to the total',
  );
  await panel
    .locator('.time')
    .getByText(/^Charge of \$[\d.]+ declined: /)
    .waitFor();
  assert.doesNotMatch(await panel.innerText(), codes, 'the panel shows a code');
  await panel.getByRole('link', { name: 'View payment' }).first().waitFor();
  await expectUsable(page);

  const small = await openDashboard(visit, 'es', phone);
  await openScreen(small, `supporters?campaign=${slug}&status=payment_failed`, 'es');
  await small.getByRole('link', { name: /amir@example\.com/ }).click();
  const history = small.locator('aside.panel .time');
  await history.getByText(/^Cobro de [\d,]+\sUS\$ rechazado: /).waitFor();
  await history.getByText('Confirmación de la aportación: enviado').waitFor();
  assert.doesNotMatch(await history.innerText(), /\b(Charge|Pledge|Email|sent|declined|attempt|failed)\b/);
  assert.doesNotMatch(await small.locator('aside.panel').innerText(), codes);
  await expectUsable(small);
}

/** The pledge report: headings, statuses and amounts in words, local times, and a file with the same rows. */
// Proves RPT-02.
async function pledgeReport(visit) {
  await ensureSettled(slug);
  for (const [lang, size, words] of [
    ['en', {}, { status: 'Status', export: 'Export', zone: /\bM[SD]T$/, order: 'Order', failed: 'Payment failed' }],
    [
      'es',
      phone,
      { status: 'Estado', export: 'Exportar', zone: /M[SD]T|GMT-[67]/, order: 'Pedido', failed: 'Pago fallido' },
    ],
  ]) {
    const page = await openDashboard(visit, lang, size);
    await openScreen(page, `reports?campaign=${slug}&report=pledges`, lang);
    await rows(page).nth(14).waitFor();
    const heads = await page.locator('thead th').allTextContents();
    assert.ok(
      heads.every((h) => !/_/.test(h)),
      `a heading is a key: ${heads}`,
    );
    const text = await page.locator('table').first().innerText();
    assert.doesNotMatch(text, /\dT\d\d:|payment_failed/, 'a time or a status is a code');
    assert.match((await rows(page).first().locator('td').first().innerText()).trim(), words.zone);
    const total = rows(page).first().locator('td.end').first();
    assert.match(await total.innerText(), lang === 'es' ? /^[\d.,]+\sUS\$$/ : /^\$[\d,.]+$/);
    assert.equal(await total.evaluate((e) => getComputedStyle(e).textAlign), 'end');
    await page.getByLabel(words.status, { exact: true }).selectOption('payment_failed');
    await page.waitForFunction(() => document.querySelectorAll('main.content tbody tr').length === 2);
    await expectUsable(page);
    const orders = (await rows(page).locator('th').allInnerTexts()).map((o) => o.trim());
    await page.getByRole('button', { name: words.export, exact: true }).click();
    const lines = await linesOf(page, page.getByRole('button', { name: 'CSV', exact: true }));
    assert.ok(lines[0].startsWith(`${words.order},`), lines[0]);
    assert.match(lines[0], /\(America\/Denver\)/);
    assert.deepEqual(
      lines.slice(1).map((l) => l.split(',')[0]),
      orders,
      'the file has other rows or another order',
    );
    assert.match(lines[1], new RegExp(`,\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d,.*,${words.failed},`));
  }
}

const figure = (page, name) =>
  page
    .locator('.figs > div')
    .filter({ has: page.getByText(name, { exact: true }) })
    .locator('.fig-v')
    .innerText();

/** All screens use the same names for the same sums, and net is at most the collected amount. */
async function money(visit) {
  await ensureSettled(slug);
  const page = await openDashboard(visit, 'en');
  await openScreen(page, `analytics?campaign=${slug}`);
  await page.getByText('Net', { exact: true }).first().waitFor();
  const pledged = await figure(page, 'Pledged');
  const collected = cents(await figure(page, 'Collected'));
  const net = cents(await figure(page, 'Net'));
  assert.ok(collected > 0 && net <= collected, `net ${net} of ${collected} collected`);
  await page.getByRole('navigation', { name: 'Group by' }).getByRole('link', { name: 'Category' }).click();
  await row(page, 'Tips').waitFor();
  const heads = await page.locator('thead th').allInnerTexts();
  const column = (name) => heads.findIndex((h) => h.trim() === name) - 1; // without the row header
  const sum = async (name) =>
    (
      await rows(page)
        .locator(`td:nth-of-type(${column(name) + 1})`)
        .allInnerTexts()
    ).reduce((a, t) => a + cents(t), 0);
  assert.equal(await sum('Collected'), collected, 'the categories do not add up');
  assert.equal(await sum('Net'), net);
  await openScreen(page, `campaigns/${slug}/settlement`);
  await page.getByText('Collected', { exact: true }).first().waitFor();
  assert.equal(cents(await figure(page, 'Collected')), collected, 'two screens have different sums');
  assert.equal(cents(await figure(page, 'Net')), net);
  await openScreen(page, `campaigns/${slug}`);
  await page.locator('main.content').getByText(pledged, { exact: true }).first().waitFor();
}

/** The audit log describes actions in words, and the server filters it. */
async function audit(visit) {
  const page = await openDashboard(visit, 'en');
  await openScreen(page, `supporters?campaign=${slug}`);
  await rows(page).first().getByRole('link').click();
  await page.getByRole('button', { name: 'Add note' }).click();
  await page.getByRole('textbox', { name: 'Note' }).fill('Asked when it ships');
  await page.locator('dialog').getByRole('button', { name: 'Add note' }).click();
  await page.getByText('Note added').waitFor();
  await openScreen(page, 'settings/audit');
  await rows(page).first().waitFor();
  assert.doesNotMatch(
    await page.locator('main.content table').innerText(),
    /campaignSlug|changeId|orderId|marks|notify|[a-z][A-Z]/,
    'the audit log lists fields of requests',
  );
  await expectUsable(page);

  const notes = row(page, 'Added a note to a pledge');
  await notes.first().waitFor();
  await page.getByLabel('Action', { exact: true }).selectOption('Added a note to a pledge');
  await row(page, /^(?!Added a note)/)
    .first()
    .waitFor({ state: 'detached' });
  await page.getByLabel('Campaign', { exact: true }).selectOption('Paper Boat');
  await page.getByText('No entries match these filters').waitFor();
  await page.getByLabel('Campaign', { exact: true }).selectOption('Tidepool Traders');
  await notes.first().waitFor();
  await expectNoPersonalData(page);
  await page.getByRole('combobox', { name: 'Dates' }).selectOption('Custom dates…');
  await page.getByLabel('Until').fill('2026-01-31');
  await page.getByText('No entries match these filters').waitFor();
  await expectUsable(page);
  await page.reload();
  await page.getByText('No entries match these filters').waitFor(); // the filters are in the address
  await page.getByRole('button', { name: 'Reset filters' }).click();
  await notes.first().waitFor();
  const find = page.getByRole('searchbox', { name: 'Search person, action or campaign' });
  await find.fill('nobody@example.org');
  await page.getByText('No entries match these filters').waitFor();
  await find.fill('é'.repeat(100)); // more bytes than a search accepts
  await page.locator('main.content [role=alert]').first().waitFor();
  await find.fill('supporter.note');
  await notes.first().waitFor();
  await row(page, /^(?!Added a note)/)
    .first()
    .waitFor({ state: 'detached' });
  const file = await linesOf(page, page.getByRole('button', { name: 'Export CSV' }));
  assert.ok(file.length > 1 && file.slice(1).every((l) => l.includes('supporter.note')), file.join('\n'));
  await expectUsable(page);
  await expectNoPersonalData(page);
  const narrow = await openDashboard(visit, 'es', phone);
  await openScreen(narrow, 'settings/audit?action=supporter.note', 'es');
  await row(narrow, 'Añadió una nota a una aportación').first().waitFor();
  await expectUsable(narrow);
}

/** A user who may see supporters, but no addresses and sums, gets no filter by country and no parcels. */
async function withoutAddresses(visit) {
  const page = await signIn(visit, 'supporters.en@example.com', 'en');
  await openScreen(page, 'supporters?campaign=night-ferry');
  await rows(page).first().waitFor();
  assert.equal(await page.getByLabel('Country').count(), 0);
  await page.getByPlaceholder('Name, email or order ID').waitFor();
  assert.equal(await page.getByLabel('Campaign').getByRole('option', { name: 'All campaigns' }).count(), 0);
  await rows(page).first().getByRole('link').click();
  await page.locator('aside.panel').getByRole('button', { name: 'Add note' }).waitFor();
  assert.equal(await page.locator('aside.panel').getByText(/\$/).count(), 0, 'sums are shown');
  assert.equal(await page.getByRole('button', { name: 'Change address' }).count(), 0);
}

/** A part of a charged pledge is refunded, and then the rest. The pledge and its timeline show both. */
async function refund(visit) {
  await ensureSettled(slug);
  const page = await openDashboard(visit, 'en');
  await openScreen(page, `supporters?campaign=${slug}&status=charged`);
  await rows(page).first().getByRole('link').click();
  const panel = page.locator('aside.panel');
  const dialog = page.locator('dialog[open]');
  const open = panel.getByRole('button', { name: 'Refund…' }).first();
  await open.click();
  await dialog.getByRole('button', { name: 'Amount' }).click();
  await dialog.getByRole('textbox', { name: 'Amount' }).fill('9,999');
  await dialog.getByText(/^At most \$[\d.,]+ can be refunded/).waitFor();
  assert.equal(await dialog.getByRole('button', { name: 'Refund', exact: true }).isDisabled(), true);
  await dialog.getByRole('button', { name: 'Items' }).click();
  await dialog.locator('fieldset select').first().selectOption('1');
  await dialog.getByText('To the supporter’s card').waitFor();
  await expectUsable(page);
  await dialog.getByRole('textbox', { name: /^Message to the supporter/ }).fill('Sorry about the broken box.');
  await dialog.getByRole('button', { name: /^Refund \$[\d.,]+$/ }).click();
  await page.getByText('Refunded. The supporter gets an email.').waitFor();
  await panel.getByRole('list', { name: 'Refunds' }).first().getByText('Refunded').waitFor();
  await panel.locator('.time').getByText('Refunded').first().waitFor();
  await open.click();
  await dialog.getByRole('button', { name: /^Refund \$[\d.,]+$/ }).click();
  await dialog.waitFor({ state: 'detached' });
  await panel.getByRole('list', { name: 'Refunds' }).first().getByRole('listitem').nth(1).waitFor();
  await expectUsable(page);
  await expectNoPersonalData(page);
  const small = await openDashboard(visit, 'es', phone);
  await openScreen(small, `supporters?campaign=${slug}&status=charged`, 'es');
  await rows(small).first().getByRole('link').click();
  await small
    .locator('aside.panel')
    .getByRole('list', { name: 'Reembolsos' })
    .first()
    .getByText('Reembolsado')
    .first()
    .waitFor();
  await expectUsable(small);
}

export default { bulkActions, longAddress, oneSupporter, pledgeReport, money, audit, withoutAddresses, refund };
