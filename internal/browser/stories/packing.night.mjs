// Fulfillment after the charge: marking parcels in the packing list, with a scanner and with a
// carrier's file, supporting a supporter, and the supporter's page.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { base, callAPI, linkFor, phone } from './actions.mjs';

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const slug = 'tidepool-traders';
const list = `reports?campaign=${slug}&report=fulfillment`;

let addresses = 100; // each visit has a new client address, because sign-ins are rate-limited

async function openDashboard(visit, prefix, options) {
  const page = await visit({
    bypassCSP: true,
    extraHTTPHeaders: { 'CF-Connecting-IP': `192.0.2.${++addresses}` },
    ...options,
  });
  await page.goto(`${base}/demo/`);
  await page.locator('form[action="/demo/dashboard"] button').click();
  await page.waitForURL(/\/admin\//);
  await page.locator('nav.tabs').waitFor();
  if (prefix) await page.goto(`${base}${prefix}/admin/`);
  await page.locator('nav.tabs').waitFor();
  return page;
}

async function expectUsable(page, name) {
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wide <= 0, `the page is ${wide} px too wide`);
  await page.addScriptTag({ path: axe });
  const { violations } = await page.evaluate(() =>
    window.axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'] }),
  );
  assert.deepEqual(
    violations.map((v) => `${v.id}: ${v.nodes[0].html}`),
    [],
  );
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${name}.png`, fullPage: true });
}

/** Settles the campaign unless an earlier story has done so. */
async function ensureSettled() {
  const headers = { Authorization: `Bearer ${process.env.SECRET}` };
  const settlementStatus = async () => (await callAPI(`/admin/settlement/${slug}`, undefined, headers)).body;
  const { begun, beginsAt } = await settlementStatus();
  if (!begun) {
    const wait =
      Math.ceil(
        (Date.parse(beginsAt) - Date.parse((await callAPI('/demo/clock', { advance: '1m' })).body.now)) / 60_000,
      ) + 1;
    assert.equal((await callAPI('/demo/clock', { advance: `${wait}m` })).status, 200);
    assert.equal((await callAPI(`/admin/settle-dispatch/${slug}`, {}, headers)).status, 200);
  }
  for (const until = Date.now() + 30_000; Date.now() < until; ) {
    if ((await settlementStatus()).job?.status === 'done') return;
    await new Promise((go) => setTimeout(go, 50));
  }
  throw new Error(`not settled: ${JSON.stringify(await settlementStatus())}`);
}

const rows = (page) => page.locator('.table').first().locator('tbody tr');
const numberOf = async (row) => (await row.innerText()).match(/pw-[0-9a-z]{26}/)[0];

// Proves RPT-02.
async function packing(visit) {
  await ensureSettled();
  const page = await openDashboard(visit, '');
  await page.goto(`${base}/admin/#/${list}`);
  await page.getByLabel('Only what is left to send').waitFor();
  await rows(page).first().waitFor();
  const all = await rows(page).count();
  const [first, second, third] = [
    await numberOf(rows(page).nth(0)),
    await numberOf(rows(page).nth(1)),
    await numberOf(rows(page).nth(2)),
  ];
  for (const order of [first, second]) await page.getByLabel(`Choose ${order}`).check();
  await page.getByText('2 parcels are chosen.').waitFor();
  await page.getByRole('button', { name: 'Mark packed' }).click();
  await page.getByText('2 parcels are marked.').waitFor();
  await rows(page).filter({ hasText: second }).getByText('Packed', { exact: true }).waitFor();

  await page.getByLabel('Mark as').selectOption('sent');
  const field = page.getByLabel('Order number');
  for (const typed of [third.toUpperCase(), '4006381333931', third]) {
    // without pauses, like a scanner
    await field.fill(typed);
    await field.press('Enter');
  }
  const log = page.getByRole('log');
  await log.getByText('4006381333931: This is not a valid order number').waitFor();
  await log.getByText(`${third} · was so before`).waitFor();
  assert.equal(await field.inputValue(), '');
  await rows(page).filter({ hasText: third }).getByText('Sent', { exact: true }).waitFor();

  const csv = `Order;Tracking number;Carrier;Ship date\n${first};1Z999AA10123456784;UPS;2020-02-03\npw-unknown;1;UPS;2020-02-03\n${second};9.4E+21;USPS;2020-02-03\n`;
  await page
    .getByLabel('CSV file')
    .setInputFiles({ name: 'carrier.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
  await page.getByText('will be marked sent').waitFor();
  await page.getByText('A spreadsheet has shortened this number').waitFor();
  await page.getByText('2 are refused.').waitFor();
  await rows(page).filter({ hasText: first }).getByText('Packed', { exact: true }).waitFor(); // the dry run changes nothing
  await expectUsable(page, 'fulfilment-dry-run');
  await page.getByRole('button', { name: 'Mark 1 parcel sent' }).click();
  await page.getByText('The file is applied. 1 parcel is marked.').waitFor();
  await rows(page).filter({ hasText: first }).getByText('1Z999AA10123456784').waitFor();
  await page.getByLabel('Only what is left to send').check();
  await rows(page).filter({ hasText: first }).waitFor({ state: 'detached' });
  assert.equal(await rows(page).count(), all - 2);
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download CSV', exact: true }).click(),
  ]);
  const saved = await readFile(await file.path(), 'utf8');
  assert.equal(saved.includes(first), false, 'the file contains rows that are not shown');
  for (const order of await rows(page).allInnerTexts())
    assert.ok(saved.includes(order.match(/pw-[0-9a-z]{26}/)[0]), 'a row is missing in the file');
  await page.emulateMedia({ media: 'print' });
  assert.equal(
    await page.getByRole('button', { name: 'Mark packed' }).isVisible(),
    false,
    'buttons are printed with the packing list',
  );
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/fulfilment-print.png`, fullPage: true });
  await page.emulateMedia({ media: 'screen' });

  const email = await supportActions(page, first, second);
  await supporterPage(visit, email);
  await spanishPhone(visit, second);
}

/** Changes a supporter's address, adds a note and resends the pledge link. */
async function supportActions(page, first, second) {
  await page.goto(`${base}/admin/#/supporters/${slug}/${second}`);
  await page.getByRole('button', { name: 'Change address' }).click();
  await page.getByLabel('Address', { exact: true }).fill('7 Another Street');
  await page.getByLabel('Why').fill('Moved house');
  await expectUsable(page, 'supporter-address');
  await page.locator('dialog').getByRole('button', { name: 'Change address' }).click();
  await page.locator('address').getByText('7 Another Street').first().waitFor();
  await page.locator('.history').getByText('Moved house').waitFor();

  await page.goto(`${base}/admin/#/supporters/${slug}/${first}`);
  await page.getByText(/^Parcel Sent sent on/).waitFor();
  await page.getByLabel('New note').fill('Called: at home on Fridays');
  await page.getByRole('button', { name: 'Add note' }).click();
  await page.locator('.history').getByText('Called: at home on Fridays').waitFor();
  assert.equal(await page.getByLabel('New note').inputValue(), '');
  await page.getByRole('button', { name: 'Send the pledge link again' }).click();
  await page.getByText('The links are on their way').waitFor();
  await expectUsable(page, 'supporter-cared-for');
  return (await page.locator('main').innerText()).match(/\S+@example\.com/)[0];
}

/** Checks the parcel's status on the supporter's page. */
async function supporterPage(visit, email) {
  const link = new URL(await linkFor(email));
  const page = await visit({ bypassCSP: true });
  await page.goto(`${base}/manage/${link.hash}`);
  await page.locator('.bill').waitFor();
  await page.getByText('Your parcel was sent on February 3, 2020 with UPS.').waitFor();
  assert.match(
    await page.getByRole('link', { name: 'Follow parcel 1Z999AA10123456784' }).getAttribute('href'),
    /^https:\/\/www\.ups\.com\/.*1Z999AA10123456784$/,
  );
  assert.doesNotMatch(
    await page.locator('main').innerText(),
    /Fridays/,
    'an internal note is visible to the supporter',
  );
  await expectUsable(page, 'supporter-page');
}

/** The same screens in Spanish, on a small phone. */
async function spanishPhone(visit, second) {
  const page = await openDashboard(visit, '/es', { ...phone, viewport: { width: 320, height: 640 } });
  await page.goto(`${base}/es/admin/#/${list}`);
  await rows(page).first().waitFor();
  await page.getByLabel('Número de pedido').fill(second);
  await page.getByLabel('Número de pedido').press('Enter');
  await page.getByRole('log').getByText('ya estaba así').waitFor();
  await expectUsable(page, 'fulfilment-es');
  await page.goto(`${base}/es/admin/#/supporters/${slug}/${second}`);
  await page.getByRole('button', { name: 'Marcar enviado' }).click();
  await page.getByLabel('Transportista').fill('Correos');
  await page.locator('dialog').getByRole('button', { name: 'Marcar enviado' }).click();
  await page.getByText(/^Paquete Enviado enviado el/).waitFor();
  await expectUsable(page, 'supporter-es');
}

export default { packing };
