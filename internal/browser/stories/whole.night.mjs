// A campaign from creation to the final report, entirely in the dashboard.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { callAPI, makePledge } from './actions.mjs';
import { expectNoPersonalData, openDashboard, openScreen, publish, waitForPage } from './dashboard.mjs';

async function campaignLifecycle(visit) {
  let page = await openDashboard(visit, 'en');
  await openScreen(page, 'campaigns');
  await page.getByRole('button', { name: 'New campaign' }).click();
  await page.getByLabel('Title').fill('River Lights');
  await page.getByRole('button', { name: 'Begin' }).click();
  await page.getByRole('heading', { name: 'River Lights', level: 1 }).waitFor();
  await page.getByLabel('Goal').fill('40');
  await page.getByLabel('Start', { exact: false }).first().fill('2026-11-01');
  await page.getByLabel('Deadline').fill('2026-11-23');
  await page.getByLabel('Summary').fill('Lanterns on the water.');
  await publish(page);
  await openScreen(page, 'campaigns/river-lights/tiers');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.locator('details[open]').getByLabel('Name').fill('Lantern');
  await page.locator('details[open]').getByLabel('Price').fill('25');
  await publish(page);
  await openScreen(page, 'campaigns/river-lights/settings');
  await page.getByLabel('Published').check();
  await page.getByLabel('Preview only').uncheck();
  await publish(page);
  await waitForPage('/campaigns/river-lights/', /Lantern/);
  for (const who of ['first@example.com', 'second@example.com']) await makePledge(who, 'river-lights__lantern');

  assert.equal((await callAPI('/demo/clock', { advance: '80h' })).status, 200);
  page = await openDashboard(visit, 'en', { acceptDownloads: true });
  await openScreen(page, 'campaigns/river-lights/settlement');
  await page.getByText(/^Ready: 2 supporters/).waitFor();
  await page.getByRole('button', { name: /^Start charging/ }).click();
  await page
    .locator('dialog')
    .getByRole('button', { name: /^Charge \$/ })
    .click();
  await page.getByText(/^Complete since/).waitFor();
  await page.getByRole('button', { name: 'Compare now' }).click();
  await page.getByText(/books and the processor’s agree/).waitFor();
  await openScreen(page, 'reports?campaign=river-lights&report=pledges');
  await page.getByText('second@example.com').waitFor();
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save what is shown' }).click(),
  ]);
  const rows = (await readFile(await file.path(), 'utf8')).trim().split('\r\n');
  assert.equal(rows.length, 3);
  assert.match(rows.join('\n'), /"first@example\.com"/);
  await expectNoPersonalData(page);
}

export default { campaignLifecycle };
