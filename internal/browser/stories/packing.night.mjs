// Fulfillment after the charge: marking parcels in the packing list, with a scanner and with a
// carrier's file, answering a supporter's request, and the supporter's page.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { base, linkFor, phone } from './actions.mjs';
import { ensureSettled, expectUsable, openDashboard } from './dashboard.mjs';

const slug = 'tidepool-traders';
const list = `reports?campaign=${slug}&report=fulfillment`;

/** Returns the numbers of parcels to pack, packed and sent. */
const figures = async (page) => {
  const all = page.locator('.figs > div');
  await all.nth(2).waitFor();
  const [toPack, packed, sent] = await all.allInnerTexts();
  for (const [text, name] of [
    [toPack, 'To pack'],
    [packed, 'Packed'],
    [sent, 'Sent'],
  ])
    assert.ok(text.startsWith(name), `${text} is not ${name}`);
  return (await page.locator('.figs .fig-v').allInnerTexts()).map(Number);
};

const rows = (page) => page.locator('table.table').first().locator('tbody tr');
const numberOf = async (row) => (await row.innerText()).match(/pw-[0-9a-z]{26}/)[0];

// Proves RPT-02.
async function packing(visit) {
  await ensureSettled(slug);
  const page = await openDashboard(visit, 'en');
  await page.goto(`${base}/admin/#/${list}`);
  await page.getByRole('button', { name: 'Not sent' }).waitFor();
  await rows(page).first().waitFor();
  const all = await rows(page).count();
  const [first, second, third] = [
    await numberOf(rows(page).nth(0)),
    await numberOf(rows(page).nth(1)),
    await numberOf(rows(page).nth(2)),
  ];
  for (const order of [first, second]) await page.getByLabel(`Select ${order}`).check();
  await page.getByText('2 selected').waitFor();
  await page.getByRole('button', { name: 'Mark 2 sent…' }).click(); // asks first, with the count on the button
  await page.getByLabel('Email 2 supporters that their parcel is on its way').check();
  await page.getByRole('button', { name: 'Mark sent and email 2 supporters' }).waitFor();
  await expectUsable(page);
  await page.keyboard.press('Escape');
  const before = await figures(page);
  assert.equal(before.reduce((a, b) => a + b, 0) >= all, true, 'the figures count fewer parcels than the list has');
  await page.getByRole('button', { name: 'Mark 2 packed…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Mark 2 parcels packed?' });
  await expectUsable(page);
  await dialog.getByRole('button', { name: 'Mark 2 packed' }).click();
  await page.getByText('2 parcels updated.').waitFor();
  const [toPack, packed] = before;
  await page.waitForFunction(
    ([a, b]) =>
      document.querySelectorAll('.figs .fig-v')[0].textContent === a &&
      document.querySelectorAll('.figs .fig-v')[1].textContent === b,
    [String(toPack - 2), String(packed + 2)],
  );
  await page.waitForFunction(() => document.activeElement.classList.contains('select-all'));
  await rows(page).filter({ hasText: second }).getByText('Packed', { exact: true }).waitFor();

  await page.getByRole('button', { name: 'Sent', exact: true }).click();
  const field = page.getByLabel('Scan or type an order number');
  for (const typed of [third.toUpperCase(), '4006381333931', third]) {
    // without pauses, like a scanner
    await field.fill(typed);
    await field.press('Enter');
  }
  const log = page.getByRole('log');
  await log.getByText('This is not a valid order number').waitFor();
  await log.getByText('Already sent').waitFor();
  assert.equal(await field.inputValue(), '');
  await rows(page).filter({ hasText: third }).getByText('Sent', { exact: true }).waitFor();
  await expectUsable(page);

  await importTracking(page, first, second);
  await page.goto(`${base}/admin/#/${list}`);
  await rows(page).filter({ hasText: first }).getByText('1Z999AA10123456784').waitFor();
  await page.getByRole('button', { name: 'Not sent' }).click();
  await rows(page).filter({ hasText: first }).waitFor({ state: 'detached' });
  await page.waitForFunction(
    (count) => document.querySelector('table.table')?.querySelectorAll('tbody tr').length === count,
    all - 2,
  );
  await page.getByRole('button', { name: 'Export', exact: true }).click();
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'CSV', exact: true }).click(),
  ]);
  const saved = await readFile(await file.path(), 'utf8');
  assert.match(
    saved,
    /^Order,Sent by,Name,.*,Packed \(America\/Denver\),Sent,/,
    'the headings are not those of the screen',
  );
  assert.match(saved, /,To pack,|,Packed,\d{4}-\d\d-\d\d \d\d:\d\d,/);
  assert.doesNotMatch(saved, /to_pack|T\d\d:\d\d:\d\dZ/);
  assert.equal(saved.includes(first), false, 'the file contains rows that are not shown');
  for (const order of await rows(page).allInnerTexts())
    assert.ok(saved.includes(order.match(/pw-[0-9a-z]{26}/)[0]), 'a row is missing in the file');
  await page.emulateMedia({ media: 'print' });
  assert.equal(await page.getByLabel('Select all on this page').first().isVisible(), false, 'controls are printed');
  await page.emulateMedia({ media: 'screen' });

  const email = await supportActions(page, first, second);
  await supporterPage(visit, email);
  await spanishPhone(visit, second);
}

/** Imports a carrier's file whose columns have unusual names. Its dry run changes nothing. */
async function importTracking(page, first, second) {
  await page.getByRole('link', { name: 'Import tracking' }).click();
  const csv = `Alpha;Beta;Carrier;Ship date\n${first};1Z999AA10123456784;UPS;2020-02-03\npw-unknown;1;UPS;2020-02-03\n${second};9.4E+21;USPS;2020-02-03\n`;
  await page
    .getByLabel('CSV file')
    .setInputFiles({ name: 'carrier.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
  await page.getByText('Choose the column with the order ID.').waitFor();
  await page.getByLabel('Alpha is').selectOption('order');
  await page.getByLabel('Beta is').selectOption('tracking');
  await page.getByText('Will be marked sent', { exact: true }).first().waitFor();
  await page.getByText('A spreadsheet has shortened this number').waitFor();
  await page.getByRole('button', { name: 'Problems 2' }).click();
  await page.waitForFunction(() => document.querySelectorAll('table.table tbody tr').length === 2);
  await expectUsable(page);
  await page.getByRole('button', { name: 'Mark 1 parcel sent' }).click();
  await page.getByText('1 parcel marked sent').waitFor();
}

/** Changes a supporter's address, adds a note and resends the pledge link. */
async function supportActions(page, first, second) {
  await page.goto(`${base}/admin/#/supporters/${slug}/${second}`);
  await page.getByRole('button', { name: 'Change address' }).click();
  await page.getByLabel('Address', { exact: true }).fill('7 Another Street');
  await page.getByLabel('Reason').fill('Moved house');
  await expectUsable(page);
  await page.locator('dialog').getByRole('button', { name: 'Change address' }).click();
  await page.locator('address').getByText('7 Another Street').first().waitFor();
  await page.locator('.time').getByText('Moved house').waitFor();

  await page.goto(`${base}/admin/#/supporters/${slug}/${first}`);
  await page.getByText(/^Sent February 3/).waitFor();
  await page.getByRole('button', { name: 'Add note' }).click();
  await page.getByRole('textbox', { name: 'Note' }).fill('Called: at home on Fridays');
  await page.locator('dialog').getByRole('button', { name: 'Add note' }).click();
  await page.locator('.time').getByText('Called: at home on Fridays').waitFor();
  await page.getByRole('button', { name: 'Resend pledge link' }).click();
  await page.getByText('Pledge link is on its way').waitFor();
  await expectUsable(page);
  return (await page.locator('aside.panel').innerText()).match(/\S+@example\.com/)[0];
}

/** Checks the parcel's status on the supporter's page. */
async function supporterPage(visit, email) {
  const link = new URL(await linkFor(email));
  const page = await visit({ bypassCSP: true });
  await page.goto(`${base}/manage/${link.hash}`);
  await page.locator('.bill').waitFor();
  await page.getByText('Your parcel was sent on February 3, 2020 with UPS.').waitFor();
  assert.match(
    await page.getByRole('link', { name: 'Track parcel 1Z999AA10123456784' }).getAttribute('href'),
    /^https:\/\/www\.ups\.com\/.*1Z999AA10123456784$/,
  );
  assert.doesNotMatch(
    await page.locator('main').innerText(),
    /Fridays/,
    'an internal note is visible to the supporter',
  );
  await expectUsable(page);
}

/** The same screens in Spanish, on a small phone. */
async function spanishPhone(visit, second) {
  const page = await openDashboard(visit, 'es', { ...phone, viewport: { width: 320, height: 640 } });
  await page.goto(`${base}/es/admin/#/${list}`);
  await rows(page).first().waitFor();
  const field = page.getByLabel('Escanea o escribe un número de pedido');
  await field.fill(second);
  await field.press('Enter');
  await page.getByRole('log').getByText('Ya estaba empaquetado').waitFor();
  await expectUsable(page);
  await page.goto(`${base}/es/admin/#/supporters/${slug}/${second}`);
  await page.getByRole('button', { name: 'Marcar enviado' }).click();
  await page.getByLabel('Transportista').fill('Correos');
  await page.locator('dialog').getByRole('button', { name: 'Marcar enviado' }).click();
  await page.getByText('Paquete actualizado').waitFor();
  await expectUsable(page);
}

export default { packing };
