// A campaign from creation to the final report, entirely in the dashboard.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { callAPI, makePledge } from './actions.mjs';
import { expectNoPersonalData, openDashboard, openScreen, publish, publishFields, waitForPage } from './dashboard.mjs';

async function campaignLifecycle(visit) {
  let page = await openDashboard(visit, 'en');
  await openScreen(page, 'campaigns');
  await page.getByRole('button', { name: 'New campaign' }).click();
  await page.getByLabel('Title').fill('River Lights');
  await page.getByRole('button', { name: 'Create campaign' }).click();
  await page.getByRole('heading', { name: 'Launch River Lights', level: 1 }).waitFor();
  await openScreen(page, 'campaigns/river-lights/settings');
  await page.getByLabel('Funding goal').fill('40');
  await page.getByRole('textbox', { name: 'Starts' }).fill('2026-11-01');
  await page.getByRole('textbox', { name: 'Ends', exact: true }).fill('2026-11-23');
  await page.getByLabel('Summary').fill('Lanterns on the water.');
  await publish(page);
  await openScreen(page, 'campaigns/river-lights/tiers');
  await page.getByRole('button', { name: /^Digital copy/ }).click();
  await page.locator('aside.panel').getByLabel('Name').fill('Lantern');
  await page.locator('aside.panel').getByLabel('Price').fill('25');
  await page.keyboard.press('Escape');
  await publish(page);
  await publishFields(page, 'river-lights', {
    long_content: [{ type: 'text', text: 'Lanterns float down the river.' }],
    hero_image: '/assets/images/campaigns/night-ferry/hero.svg',
    hero_image_alt: 'Lanterns on a river',
    creator_name: 'Ada',
  });
  await openScreen(page, 'campaigns/river-lights');
  await page.reload();
  await page.getByText('Everything is ready.').waitFor();
  await page.getByRole('button', { name: 'Launch campaign…' }).click();
  await page.locator('dialog').getByRole('button', { name: 'Launch campaign', exact: true }).click();
  await page.getByText('River Lights is launched.').waitFor();
  await waitForPage('/campaigns/river-lights/', /Lantern/);
  for (const who of ['first@example.com', 'second@example.com']) await makePledge(who, 'river-lights__lantern');

  assert.equal((await callAPI('/demo/clock', { advance: '80h' })).status, 200);
  page = await openDashboard(visit, 'en', { acceptDownloads: true });
  await openScreen(page, 'campaigns/river-lights/settlement');
  await page.getByRole('button', { name: 'Charge 2 supporters now' }).click();
  await page
    .locator('dialog[open]')
    .getByRole('button', { name: /^Charge 2 supporters \$/ })
    .click();
  await page.getByText(/^Charging finished on /).waitFor();
  await page.getByRole('button', { name: 'Compare now' }).click();
  await page.getByText('Matches the processor.').waitFor();
  await openScreen(page, 'reports?campaign=river-lights&report=pledges');
  await page.getByText('second@example.com').waitFor();
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export these rows (CSV)' }).click(),
  ]);
  const rows = (await readFile(await file.path(), 'utf8')).trim().split('\r\n');
  assert.equal(rows.length, 3);
  assert.match(rows.join('\n'), /"first@example\.com"/);
  await expectNoPersonalData(page);
}

export default { campaignLifecycle };
