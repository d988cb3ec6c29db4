// Large tables respond to a click before the rows are rendered, and loading, paging, sorting and the
// CSV export have the same rows.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { expectUsable, openDashboard, openScreen } from './dashboard.mjs';

const total = 120;
const part = 25; // rows per response
const people = Array.from({ length: total }, (_, n) => ({
  orderId: `pw-${String(n).padStart(26, '0')}`,
  campaignSlug: 'night-ferry',
  email: `p${n}@example.com`,
  name: `Person ${n}`,
  pledgeStatus: 'active',
  status: 'active',
  rewards: ['Digital premiere'],
  amount: ((n * 37) % total) * 100,
  createdAt: '2026-11-20T12:00:00Z',
}));

async function tables(visit) {
  const page = await openDashboard(visit, 'en');
  await page.route('**/admin/supporters', (r) => {
    const from = Number(r.request().postDataJSON().cursor ?? 0);
    return r.fulfill({
      json: { supporters: people.slice(from, from + part), next: from + part < total ? String(from + part) : '' },
    });
  });
  await openScreen(page, 'supporters?campaign=night-ferry');
  const waitForStatus = (text) => page.locator('.table-foot [role=status]').filter({ hasText: text }).waitFor();
  const rows = page.locator('main.content tbody tr');
  const waitForRows = () => page.locator('.tablewrap:not([aria-busy=true])').waitFor();
  const more = page.getByRole('button', { name: 'Show more' });
  await waitForStatus(/^25 pledges shown$/);
  await more.click();
  await waitForStatus(/^50 pledges shown$/);
  await more.click();
  await waitForStatus(/^75 pledges shown · page 2 of 2$/);
  assert.equal(await more.evaluate((e) => e === document.activeElement), true, 'the focus was lost');
  await waitForRows();
  assert.equal(await rows.count(), 25);
  await rows.first().getByText('p50@example.com').waitFor();
  await page.getByRole('button', { name: 'Previous rows' }).click();
  await waitForStatus(/page 1 of 2$/);
  await waitForRows();
  assert.equal(await rows.count(), 50);

  const amount = page.getByRole('columnheader', { name: 'Total' });
  const first = await amount.getByRole('button').evaluate(async (button) => {
    button.click();
    await new Promise(requestAnimationFrame);
    const table = button.closest('.tablewrap');
    return [button.closest('th').ariaSort, table.ariaBusy, table.querySelector('tbody a b').textContent];
  });
  assert.deepEqual(
    first,
    ['ascending', 'true', 'Person 0'],
    'a click is acknowledged only after all rows are rendered',
  );
  await waitForRows();
  const amounts = async () =>
    (await rows.locator('td.end:nth-of-type(3)').allInnerTexts()).map((t) => Number(t.replace(/[$,]/g, '')));
  const loaded = people
    .slice(0, 75)
    .map((p) => p.amount / 100)
    .sort((a, b) => a - b);
  assert.deepEqual(await amounts(), loaded.slice(0, 50));
  await amount.getByRole('button').click();
  await page.locator('th[aria-sort=descending]').waitFor();
  await waitForRows();
  assert.deepEqual(await amounts(), loaded.toReversed().slice(0, 50));
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export', exact: true }).click(),
  ]);
  const lines = (await readFile(await file.path(), 'utf8')).trim().split('\r\n');
  assert.equal(lines.length, 51, 'the export differs from the table');
  assert.match(lines[0], /^.?"Supporter","Tier","Total","Status","Date"$/);
  await expectUsable(page);
}

export default { tables };
