// The dashboard with the demo's campaigns: all screens and tasks of an operator, in both languages,
// on a desktop and a phone.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import jsQR from 'jsqr';
import { PNG } from 'pngjs';
import { base, callAPI, makePledge, phone } from './actions.mjs';
import {
  codeFor,
  expectNoPersonalData,
  expectUsable,
  expireCache,
  mailTo,
  openDashboard,
  openScreen,
} from './dashboard.mjs';

/** Returns the names of the sidebar's tabs. */
const tabNames = (page) => page.locator('.app > .wide-only nav > a[href^="#"] > span:not(.n)').allTextContents();

const texts = {
  en: {
    offline: /can’t be reached/,
  },
};

/** Search, filters, and one supporter beside the list. */
async function supporters(visit) {
  const page = await openDashboard(visit, 'en');
  await openScreen(page, 'supporters?campaign=tidepool-traders');
  const field = page.getByRole('searchbox');
  const rows = page.locator('main.content tbody tr');
  const row = (email) => rows.filter({ hasText: email });
  await row('amir@example.com').waitFor();
  await field.pressSequentially('may', { delay: 20 });
  await row('amir@example.com').waitFor({ state: 'detached' });
  assert.equal(await rows.count(), 1);
  await expectUsable(page);
  await row('maya@example.com').getByRole('link').click();
  const panel = page.locator('aside.panel');
  await panel.getByText('1 Shore Road').waitFor();
  for (const part of ['Subtotal', 'Shipping', 'Tax', 'Total', 'Pledge confirmation sent'])
    await panel.getByText(part, { exact: true }).waitFor();
  await expectUsable(page);
  await panel.getByRole('button', { name: 'Emails' }).click();
  await panel.getByText('Pledge confirmation sent').waitFor();
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'detached' });
  await expectNoPersonalData(page);
  await row('maya@example.com').getByRole('link').click();
  const order = await panel.locator('.mono').filter({ hasText: /^pw-/ }).first().innerText();
  await openScreen(page, 'home');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill(order);
  await page.keyboard.press('Enter');
  await panel.getByText('1 Shore Road').waitFor();
  await page.goBack();
  await page.getByRole('heading', { name: 'Needs attention' }).waitFor();
  await openScreen(page, 'supporters?campaign=tidepool-traders');
  await field.waitFor();
  assert.equal(await field.inputValue(), 'may', 'input was lost');
  await field.fill('nobody is called this');
  await page.getByText('No match for “nobody is called this”').waitFor();
  await expectUsable(page);
  await field.fill('m'.repeat(254));
  await page.getByText('No match for').waitFor();
  await field.fill('');
  await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Canceled' }).click();
  await page.getByText('No supporters with these filters').waitFor();
  await page.getByRole('button', { name: 'Reset filters' }).click();
  await row('maya@example.com').waitFor();

  await openScreen(page, 'account');
  await page.locator('main.content').getByRole('button', { name: 'Sign out' }).click();
  await page.locator('[name=email]').fill('ada@example.com');
  await page.getByRole('button', { name: 'Email me a sign-in link' }).click();
  await page.getByLabel('Code in the email').fill(await codeFor('ada@example.com'));
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.locator('main.content h1').first().waitFor();
  await page.evaluate(() => {
    location.hash = '#/supporters';
  });
  await field.waitFor();
  assert.equal(await field.inputValue(), '', 'the search of one operator is shown to the next');
  assert.equal(await row('maya@example.com').count(), 0, 'the results of one operator are shown to the next');
}

const divideBy = (page, name) =>
  page.getByRole('navigation', { name: 'Group by' }).getByRole('link', { name, exact: true }).click();

// Proves ANA-09.
async function analytics(visit) {
  let page = await openDashboard(visit, 'en');
  await openScreen(page, 'analytics?campaign=tidepool-traders');
  await page.getByText('$1,207.43 with tax, shipping and tips').waitFor();
  await page.getByText('Expected fees').waitFor(); // there is no net amount before a charge
  for (const by of ['Tier', 'Country', 'Category']) await divideBy(page, by);
  await page
    .locator('tbody th')
    .filter({ hasText: /^Tips$/ })
    .waitFor();
  const shares = (await page.locator('.share').allInnerTexts()).map((s) => Number.parseInt(s, 10));
  assert.equal(
    shares.reduce((a, b) => a + b, 0),
    100,
    'the shares do not add up',
  );
  await divideBy(page, 'Language');
  await page
    .locator('tbody th')
    .filter({ hasText: /^English$/ })
    .waitFor();
  assert.match(page.url(), /by=languages/);
  await expectUsable(page);
  await divideBy(page, 'Referral code');
  await page.getByText('None counted yet').waitFor();
  assert.equal(await page.getByRole('columnheader', { name: 'Visits' }).count(), 0, 'a column of zeros is shown');
  await page.route('**/admin/analytics/*/visits', async (route) => {
    const answer = await route.fetch();
    const counted = { total: 60, referrals: [{ name: '', visits: 60 }] };
    return route.fulfill({ response: answer, json: { ...(await answer.json()), ...counted } });
  });
  await page.reload();
  await page.getByRole('columnheader', { name: 'Visits' }).waitFor();
  await page.getByRole('cell', { name: '60', exact: true }).waitFor();
  await expectUsable(page);
  assert.equal((await callAPI('/demo/clock', { advance: '8h' })).status, 200);
  await makePledge('later@example.com', 'night-ferry__digital-premiere');
  page = await openDashboard(visit, 'en'); // the previous session has expired
  await openScreen(page, 'analytics?campaign=night-ferry');
  await page.getByRole('img', { name: /^Pledged per day/ }).waitFor();
  await page.getByRole('group', { name: 'Chart' }).getByRole('button', { name: 'Total' }).click();
  await page.getByRole('img', { name: /^Pledged over time/ }).waitFor();
  await page.getByRole('button', { name: 'View as table' }).click();
  await expectUsable(page);
  await divideBy(page, 'Day');
  await page.locator('tbody tr').filter({ hasText: 'Sat, Nov 21' }).first().waitFor();
  await analyticsPeriod(page);
  await openScreen(page, 'reports?campaign=tidepool-traders&report=pledges');
  await page.getByText('maya@example.com').waitFor();
  await page.getByRole('button', { name: 'Export', exact: true }).click();
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'CSV', exact: true }).click(),
  ]);
  assert.equal(file.suggestedFilename(), 'tidepool-traders-pledges.csv');
  const rows = (await readFile(await file.path(), 'utf8')).trim().split('\n');
  assert.equal(rows.length, 16);
  await expectNoPersonalData(page);
  await expectUsable(page);
}

/** Figures of a period are compared with the same number of days before it. New supporters have no earlier pledge. */
async function analyticsPeriod(page) {
  const dates = page.getByRole('combobox', { name: 'Dates' });
  const figure = (name) => page.locator('.figs > div').filter({ has: page.getByText(name, { exact: true }) });
  const pledges = async () => Number(await figure('Pledges').locator('.fig-v').innerText());
  const ofCampaign = await pledges();
  await dates.selectOption('Last 7 days');
  await figure('Pledged')
    .getByText(/^[+−]\d+% on the 7 days before$/)
    .waitFor();
  const ofWeek = await pledges();
  assert.ok(ofWeek > 0 && ofWeek < ofCampaign, `${ofWeek} of ${ofCampaign} pledges are of the last week`);
  assert.match(page.url(), /from=2026-11-\d\d&to=2026-11-\d\d/);
  const newcomers = Number(await figure('New supporters').locator('.fig-v').innerText());
  const returning = Number.parseInt(await figure('New supporters').locator('.fig-n').innerText(), 10);
  assert.equal(newcomers + returning, ofWeek);
  assert.equal(await page.locator('main.content tbody tr').count(), 7, 'the table has days outside the period');
  await expectUsable(page);
  await page.reload();
  await figure('Pledged').getByText('on the 7 days before').waitFor();
  await dates.selectOption('Custom dates…');
  await page.getByLabel('From').fill('2026-01-01');
  await page.getByLabel('Until').fill('2026-01-02');
  await page.getByText('No pledges on these dates').waitFor();
  await expectUsable(page);
}

/** While the API is unreachable, loaded data stays visible with a note on its age. */
async function offline(visit) {
  const page = await openDashboard(visit, 'en');
  const nav = page.getByRole('group', { name: 'Night Ferry' });
  await openScreen(page, 'campaigns/night-ferry/settlement');
  await page.getByRole('heading', { name: /charging starts on/i }).waitFor();
  await page.route('**/admin/settlement/**', (r) => r.abort());
  await nav.getByRole('link', { name: 'Overview' }).click();
  await expireCache(page);
  await nav.getByRole('link', { name: 'Settlement' }).click();
  await page.getByText(texts.en.offline).first().waitFor();
  await page.getByRole('heading', { name: /charging starts on/i }).waitFor();
  await page.unroute('**/admin/settlement/**');
}

/** Rehearses the settlements of a campaign with a card that will expire, and of one without problems. */
async function rehearsal(visit) {
  await makePledge('runs.out@example.com', 'night-ferry__digital-premiere', 'expires:1h');
  const page = await openDashboard(visit, 'en');
  await openScreen(page, 'campaigns/night-ferry/settlement');
  await page.getByRole('button', { name: 'Rehearse' }).click();
  await page.getByText('The goal is not reached yet').waitFor();
  const problem = page.getByRole('row').filter({ hasText: '1 card will have expired' }).first();
  await problem.getByText('$26.97').waitFor();
  await problem.getByRole('link', { name: 'Check cards' }).waitFor();
  await page.locator('summary').filter({ hasText: 'Show 1 case' }).click();
  await page.getByRole('link', { name: 'runs.out@example.com' }).waitFor();
  await expectUsable(page);
  await expectNoPersonalData(page);
  await openScreen(page, 'campaigns/tidepool-traders/settlement');
  await page.getByRole('button', { name: 'Rehearse' }).click();
  await page.getByText('No failures expected, but banks can still decline').waitFor();
  await page.getByText(/^The goal of \$[\d,]+ holds unless banks decline another \$[\d.]+\.$/).waitFor();

  const small = await openDashboard(visit, 'es', phone);
  await openScreen(small, 'campaigns/night-ferry/settlement', 'es');
  await small.getByText('La meta aún no está alcanzada').waitFor(); // the result of the last rehearsal is stored
  await small.getByRole('row').filter({ hasText: '1 tarjeta habrá caducado' }).first().waitFor();
  await expectUsable(small);
}

/** Replaces parts of a settlement's status, for states that the demo does not reach. */
const alterStatus = (page, slug, changes) =>
  page.route(`**/admin/settlement/${slug}`, async (route) => {
    try {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, json: { ...(await answer.json()), ...changes } });
    } catch {
      // the page was closed meanwhile
    }
  });

/** Opens the settlement screen again with an expired cache, so that its data is loaded again. */
async function reopenSettlement(page, campaign) {
  const nav = page.getByRole('group', { name: campaign });
  await nav.getByRole('link', { name: 'Overview' }).click();
  await expireCache(page);
  await nav.getByRole('link', { name: 'Settlement' }).click();
}

/** Charging a pledge with different terms, reopening a campaign and resolving an unclear charge take two operators. */
async function decisions(visit) {
  const page = await openDashboard(visit, 'en');
  await openScreen(page, 'campaigns/night-ferry/settlement');
  await page.getByText('After restoring a backup').click();
  await page.getByRole('button', { name: 'Check terms' }).click();
  await page.getByText('The processor has no other terms.').waitFor();
  const sent = [];
  const pledge = {
    orderId: 'pw-01',
    amount: 2000,
    recorded: { revision: 2, amount: 0, cancelled: true },
    foundAt: '2026-11-21T00:00:00Z',
    seenAt: '2026-11-21T00:00:00Z',
  };
  await page.route('**/admin/terms/night-ferry', (route) => {
    if (route.request().method() !== 'POST') return route.fulfill({ json: { pledges: [pledge] } });
    sent.push(route.request().postDataJSON());
    Object.assign(pledge, { statedBy: 'ada@example.com', reason: 'they wrote to us' });
    return route.fulfill({ json: { confirmed: false, pledge } });
  });
  await alterStatus(page, 'night-ferry', { closedAt: '2026-11-22T00:00:00Z', missed: true });
  await page.route('**/admin/reopen/night-ferry', (route) => {
    sent.push(route.request().postDataJSON());
    return route.fulfill({
      json: {
        confirmed: false,
        reopening: { statedBy: 'ada@example.com', statedAt: '2026-11-22T00:00:00Z', reason: 'x' },
      },
    });
  });
  await reopenSettlement(page, 'Night Ferry');
  await page.getByRole('heading', { name: 'Closed by mistake?' }).waitFor();
  await page.getByRole('button', { name: 'Reopen campaign…' }).click();
  await page.getByLabel('Reason').fill('the goal was wrong');
  await expectUsable(page);
  await page.locator('dialog[open]').getByRole('button', { name: 'Reopen campaign' }).click();
  await page.locator('dialog[open]').waitFor({ state: 'detached' });
  await page.unroute('**/admin/settlement/night-ferry');
  await reopenSettlement(page, 'Night Ferry');
  await page.getByText('After restoring a backup').click();
  await page.getByRole('button', { name: 'Check terms' }).click();
  await page.getByText('$20.00 in our records, canceled at the processor').waitFor();
  await page.getByRole('button', { name: 'Charge $20.00…' }).click();
  await page.getByLabel('Reason').fill('they wrote to us');
  await page.locator('dialog[open]').getByRole('button', { name: 'Charge $20.00' }).click();
  await page.getByText('ada@example.com decided to charge it: they wrote to us.').waitFor();
  assert.deepEqual(sent, [{ reason: 'the goal was wrong' }, { orderId: 'pw-01', reason: 'they wrote to us' }]);
  await expectUsable(page);
}

/** A settlement on hold shows the cause and the steps to take, and an unclear charge requires two people. */
async function heldSettlement(visit) {
  const page = await openDashboard(visit, 'en');
  const now = '2026-11-22T09:00:00Z';
  const held = { since: now, codes: { authentication_required: 14 }, failed: 14, of: 20 };
  const promised = { endsAt: '2026-11-20T07:00:00Z', goal: 90000, pledges: 15 };
  const charge = {
    group: 'g1',
    amount: 9730,
    attempt: 1,
    status: 'needsAttention',
    reason: 'no_answer',
    orderIds: ['pw-0861'],
    pspCustomerId: 'cus_1',
    paymentIntentId: 'pi_3P',
    paymentUrl: 'https://dashboard.stripe.com/test/payments/pi_3P',
    differences: [],
    resolutions: [{ generation: 1, paymentIntentId: 'pi_3P', statedBy: 'ada@example.com', statedAt: now }],
  };
  const sent = [];
  await alterStatus(page, 'tidepool-traders', {
    state: 'ended',
    begun: true,
    held,
    broken: [promised],
    mayStart: false,
  });
  await page.route('**/admin/resolve/tidepool-traders', (route) => {
    if (route.request().method() !== 'POST') return route.fulfill({ json: { charges: [charge] } });
    sent.push(route.request().postDataJSON());
    return route.fulfill({ json: { confirmed: true, charge } });
  });
  await page.route('**/admin/settle-release/tidepool-traders', (route) => {
    sent.push('released');
    return route.fulfill({ json: { success: true } });
  });
  await openScreen(page, 'campaigns/tidepool-traders/settlement');
  const cause = page.getByRole('region', { name: '14 of the last 20 charges failed' });
  await cause.getByRole('listitem').nth(2).waitFor();
  assert.equal(await cause.getByRole('listitem').count(), 3);
  await page.getByText('On hold', { exact: true }).waitFor();
  await page.getByRole('heading', { name: 'Terms changed after supporters pledged' }).waitFor();
  await page.getByText('15 pledges agreed to: ends November 19, 2026, 11:59 PM').waitFor();
  await page.getByRole('heading', { name: '1 charge needs a decision' }).waitFor();
  await page.getByText(/charged with payment pi_3P\. A second person must confirm\./).waitFor();
  const payment = page.getByRole('link', { name: 'Open payment' });
  assert.equal(await payment.getAttribute('href'), charge.paymentUrl);
  await expectUsable(page);
  await page.getByRole('button', { name: 'Confirm', exact: true }).click();
  await page.getByText('Confirmed by two people.').waitFor();
  await page.getByRole('button', { name: 'I see something else…' }).click();
  await page.getByLabel('Result').selectOption('none');
  await expectUsable(page);
  await page.locator('dialog[open]').getByRole('button', { name: 'Submit' }).click();
  await page.locator('dialog[open]').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Resume charging…' }).click();
  await expectUsable(page);
  await page.locator('dialog[open]').getByRole('button', { name: 'Resume charging' }).click();
  await page.getByText('Charging resumes.').waitFor();
  assert.deepEqual(sent, [
    { group: 'g1', paymentIntentId: 'pi_3P', acceptAmount: false },
    { group: 'g1', nothingCharged: true },
    'released',
  ]);
}

/** The settlement screen of a campaign that missed its goal states that no one is charged, and has no charge button. */
async function missedGoal(visit) {
  const status = { state: 'ended', missed: true, closedAt: '2026-11-21T01:00:00Z' };
  const page = await openDashboard(visit, 'en');
  await alterStatus(page, 'night-ferry', status);
  await openScreen(page, 'campaigns/night-ferry/settlement');
  await page.getByText('The campaign did not reach its goal. Nobody is charged.').waitFor();
  await page.getByText('Goal missed', { exact: true }).waitFor();
  assert.equal(
    await page.getByRole('button', { name: /charge/i }).count(),
    0,
    'a campaign that missed its goal can be charged',
  );
  assert.equal(await page.getByText('Collectable').count(), 0, 'a campaign that missed its goal has money to collect');
  await expectUsable(page);
  const small = await openDashboard(visit, 'es', phone);
  await alterStatus(small, 'night-ferry', status);
  await openScreen(small, 'campaigns/night-ferry/settlement', 'es');
  await small.getByText('La campaña no alcanzó su meta. No se cobra a nadie.').waitFor();
  await expectUsable(small);
}

const figure = (page, name) => page.locator('.figs > div').filter({ hasText: name }).locator('.fig-v').innerText();
const cents = (amount) => Number(amount.replace(/[$,.]/g, ''));

/** Waits until the first email about a failed payment is sent, and returns the supporter's address. */
async function remindable(page, row) {
  const button = row.getByRole('button', { name: /^Remind: / });
  for (const until = Date.now() + 30_000; !(await button.count()); ) {
    assert.ok(Date.now() < until, 'the supporter cannot be reminded');
    await reopenSettlement(page, 'Tidepool Traders');
    await row.waitFor();
  }
  return (await button.getAttribute('aria-label')).replace('Remind: ', '');
}

/** A settlement, from the time before the deadline to the reconciliation with the processor. */
// Proves ANA-09.
async function settlement(visit) {
  let page = await openDashboard(visit, 'en');
  await openScreen(page, 'campaigns/tidepool-traders/settlement');
  await page.getByText(/^Goal reached: \$1,015 of \$9[05]0$/).waitFor();
  await page.getByText(/^The campaign ends November 21, 2026, 11:59 PM MST\. Nobody has been charged yet\.$/).waitFor();
  assert.equal(await page.getByRole('button', { name: /^Charge/ }).count(), 0, 'charging starts before the deadline');
  assert.equal((await callAPI('/demo/clock', { advance: '33h' })).status, 200);

  page = await openDashboard(visit, 'en');
  await openScreen(page, 'campaigns/tidepool-traders/settlement');
  const charge = page.getByRole('button', { name: 'Charge 15 supporters now' });
  await charge.waitFor();
  await page.getByRole('button', { name: 'Preview charges' }).click();
  await page.locator('dialog[open]').getByText('maya@example.com').waitFor();
  await page.locator('dialog[open]').getByText('15 supporters, $1,207.43').waitFor();
  await expectUsable(page);
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: 'Pause charging…' }).click();
  await page.getByLabel('Reason').fill('the printer is late');
  await expectUsable(page);
  await page.locator('dialog[open]').getByRole('button', { name: 'Pause charging' }).click();
  await page
    .getByRole('region', { name: 'Charging is paused' })
    .getByText(/the printer is late/)
    .waitFor();
  await page.getByText('On hold', { exact: true }).waitFor();
  assert.equal(await charge.getAttribute('aria-disabled'), 'true', 'charging can be started while it is paused');
  assert.equal(await page.getByRole('button', { name: 'Pause charging…' }).count(), 0);
  await expectUsable(page);
  await page.getByRole('button', { name: 'Resume charging…' }).click();
  await page.locator('dialog[open]').getByRole('button', { name: 'Resume charging' }).click();
  await page.getByText(/the printer is late/).waitFor({ state: 'detached' });

  await page.getByText('Stop all charging', { exact: true }).click();
  await page.getByRole('button', { name: 'Stop all charging…' }).click();
  await page.getByLabel('Reason').fill('a test of the brake');
  await expectUsable(page);
  await page.locator('dialog[open]').getByRole('button', { name: 'Stop all charging' }).click();
  await page.getByText(/a test of the brake/).waitFor();
  await page.getByText('On hold', { exact: true }).waitFor();
  assert.equal(await charge.getAttribute('aria-disabled'), 'true', 'charging can be started while it is stopped');
  await expectUsable(page);
  await page.getByRole('button', { name: 'Resume all charging…' }).click();
  await page.locator('dialog[open]').getByRole('button', { name: 'Resume all charging' }).click();
  await page.getByText(/a test of the brake/).waitFor({ state: 'detached' });

  await charge.click();
  await page.getByRole('heading', { name: 'Charge 15 supporters $1,207.43?' }).waitFor();
  await expectUsable(page);
  await page.locator('dialog[open]').getByRole('button', { name: 'Charge 15 supporters $1,207.43' }).click();
  await page.getByText(/^Charging finished on .+ Failed payments can still be fixed until /).waitFor();
  assert.equal(await figure(page, 'Collected'), '$1,095.35');
  assert.ok(cents(await figure(page, 'Net')) <= 114160, 'net is more than was collected');
  await page.getByText('2 failed payments').first().waitFor();
  const failed = page.getByRole('region', { name: 'Failed payments' }).last();
  const row = failed.getByRole('row').filter({ hasText: 'amir@example.com' });
  await row.getByText('Supporter approves the payment at their bank').waitFor();
  await row.getByText('in 14 days').waitFor();
  const email = await remindable(page, row);
  await row.getByRole('button', { name: `Remind: ${email}` }).click();
  await page.getByText('1 reminder is on its way.').waitFor();
  await row.getByRole('button', { name: /^Reminded / }).waitFor();
  await page.getByRole('button', { name: 'Remind all…' }).click();
  await page.getByRole('heading', { name: 'Remind 1 supporter?' }).waitFor();
  await expectUsable(page);
  await page.locator('dialog[open]').getByRole('button', { name: 'Email 1 supporter' }).click();
  await page.locator('dialog[open]').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Remind all…' }).click();
  await page.getByText('Everyone was reminded already, or the first email is still on its way.').waitFor();
  await page.getByText('Not compared yet').waitFor();
  assert.equal(await page.getByText('$0.00', { exact: true }).count(), 1, 'sums are shown before the first comparison'); // the row “Not collectable”
  await page.getByRole('button', { name: 'Compare now' }).click();
  await page.getByText('Matches the processor.').waitFor();
  await page.getByText(/: \$1,095\.35\. No differences\.$/).waitFor();
  await expectUsable(page);
  await expectNoPersonalData(page);
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/settlement.png`, fullPage: true });

  const small = await openDashboard(visit, 'es', phone);
  await openScreen(small, 'campaigns/tidepool-traders/settlement', 'es');
  await small.getByText(/^El cobro terminó el /).waitFor();
  await small.getByRole('heading', { name: 'Pagos fallidos' }).waitFor();
  await expectUsable(small);
  await small.emulateMedia({ colorScheme: 'dark' });
  await expectUsable(small);
}

/** A new user gets access, sees only permitted screens and is signed out when their session is revoked. */
async function users(visit) {
  const email = 'packer@example.com';
  const page = await openDashboard(visit, 'en');
  await openScreen(page, 'settings/users');
  await page.getByRole('button', { name: 'Invite user' }).click();
  await page.getByLabel('Email', { exact: true }).first().fill(email);
  await page.getByLabel('Name').fill('The packer');
  await page.getByLabel('Night Ferry').check();
  for (const may of ['Content', 'Supporters', 'Money']) await page.getByLabel(may, { exact: true }).uncheck();
  await page.getByRole('checkbox', { name: 'Email', exact: true }).uncheck();
  await expectUsable(page);
  await page.getByRole('button', { name: 'Send invitation' }).click();
  await page.getByText(`Invitation sent to ${email}`).waitFor();
  await page.getByRole('row').filter({ hasText: email }).getByText('Night Ferry: fulfillment').waitFor();

  const theirs = await visit({ bypassCSP: true });
  await theirs.goto(`${base}/admin/`);
  await theirs.locator('[name=email]').fill(email);
  await theirs.getByRole('button', { name: 'Email me a sign-in link' }).click();
  await theirs.getByLabel('Code in the email').fill(await codeFor(email));
  await theirs.getByRole('button', { name: 'Sign in', exact: true }).click();
  await theirs.locator('main.content h1').first().waitFor();
  assert.deepEqual(await tabNames(theirs), ['Home', 'Campaigns', 'Reports']);
  await openScreen(theirs, 'settings/users');
  await theirs.getByRole('heading', { name: 'Campaigns' }).first().waitFor(); // the home screen
  await openScreen(theirs, 'reports');
  await theirs.getByText('No parcels yet').waitFor(); // no charges before the deadline
  assert.doesNotMatch(
    await theirs.locator('main').innerText(),
    /\$|Tidepool/,
    'a packer sees amounts or another campaign',
  );
  await expectUsable(theirs);

  await openScreen(page, 'settings/admin_sessions');
  const row = page.locator('tbody tr').filter({ hasText: email });
  await row.getByRole('button', { name: `End session of ${email}` }).click();
  await row.getByText(/^Ended/).waitFor();
  await expectUsable(page);
  await theirs.reload();
  await theirs.getByRole('button', { name: 'Email me a sign-in link' }).waitFor();

  const elsewhere = await openDashboard(visit, 'en'); // another session of the same operator
  await page.reload();
  await page.getByRole('button', { name: /^End your \d+ other sessions?…$/ }).click();
  const question = page.getByRole('dialog', { name: /^End your \d+ other sessions?\?$/ });
  await expectUsable(page);
  await question.getByRole('button', { name: /^End your \d+ other sessions?$/ }).click();
  await question.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: /^End your/ }).waitFor({ state: 'detached' });
  await elsewhere.reload();
  await elsewhere.getByRole('button', { name: 'Email me a sign-in link' }).waitFor();

  await openScreen(page, 'settings/audit_log');
  await page.locator('main.content tbody tr').first().waitFor();
  await expectUsable(page);
  for (const part of ['secrets', 'plan_usage', 'runtime_diagnostics']) {
    await openScreen(page, `settings/${part}`);
    await page.locator('main.content .rows, main.content .card').first().waitFor();
    await expectUsable(page);
  }
  await expectNoPersonalData(page);
}

/** Previews for reviewers. */
// Proves PRV-11, PRV-12, PRV-13, SIT-14, SIT-15, SIT-18.
async function preview(visit) {
  const page = await openDashboard(visit, 'en');
  await openScreen(page, 'campaigns/slow-weather/overview');
  await page.getByRole('button', { name: 'Share preview' }).click();
  const card = page.getByRole('dialog', { name: 'Share a preview' });
  await card.getByLabel('Reviewers').fill('eve.reviewer@example.com, mike.reviewer@example.com');
  await card.getByRole('button', { name: 'Send links' }).click();
  await card.getByText('2 links are on their way.').waitFor();
  await expectUsable(page);
  await card.getByText(/^Open to .*eve\.reviewer@example\.com.* until /).waitFor();
  const eve = await openPreview(visit, 'eve.reviewer@example.com');
  const mike = await openPreview(visit, 'mike.reviewer@example.com', { bypassCSP: true, ...phone });
  await expectUsable(mike);
  assert.deepEqual(
    await mike.evaluate(() =>
      window.axe.run({ runOnly: ['best-practice'] }).then((r) => r.violations.map((v) => v.id)),
    ),
    [],
  );
  await eve.reload();
  await eve.frameLocator('iframe').getByRole('heading', { name: 'Slow Weather', level: 1 }).waitFor();

  await card.getByLabel('Reviewers').fill('mike.reviewer@example.com');
  await card.getByRole('button', { name: 'Send links' }).click();
  await card.getByText('1 link is on its way.').waitFor();
  await eve.reload();
  await eve.getByText('You no longer have access to this preview.').waitFor();
  await mike.reload();
  await mike.frameLocator('iframe').getByRole('heading', { name: 'Slow Weather', level: 1 }).waitFor();
  const mine = await page.context().newPage();
  await mine.goto(`${base}/campaigns/slow-weather/preview/`);
  await mine.frameLocator('iframe').getByRole('heading', { name: 'Slow Weather', level: 1 }).waitFor();
  await mine.close();
  for (const path of [
    '/sitemap.xml',
    '/api/campaigns.json',
    '/api/add-ons.json',
    '/campaigns/slow-weather/preview/',
    '/campaigns/slow-weather/',
    '/feed.xml',
    '/',
  ]) {
    const text = await (await fetch(base + path)).text();
    assert.ok(text.length > 100 && !text.includes('reviewer@'), `${path} contains a reviewer`);
    assert.ok(!text.includes('/preview/') || path.endsWith('/preview/'), `${path} links to the preview`);
  }
}

/** Opens the link of a reviewer's mail in a new browser, and asserts that the token is removed and pledging is disabled. */
async function openPreview(visit, email, options) {
  const text = await mailTo(email, /\/preview\/#t=/);
  const page = await visit(options);
  const asked = [];
  page.on('request', (r) => asked.push(r.url()));
  await page.goto(text.match(/http\S+\/preview\/#t=\S+/)[0]);
  await page.frameLocator('iframe').getByRole('heading', { name: 'Slow Weather', level: 1 }).waitFor();
  const address = new URL(page.url());
  assert.equal(address.search + address.hash, '', 'the token is still in the URL');
  await page.getByRole('heading', { name: 'Preview', level: 1 }).waitFor();
  await page.getByText('This page is not public yet.').waitFor();
  assert.equal(await page.getByRole('navigation').count(), 0, 'there is a second header');
  assert.equal(
    await page.evaluate(() => document.documentElement.scrollHeight - innerHeight),
    0,
    'there is a second scrollbar',
  );
  const frame = page.locator('iframe');
  assert.equal(await frame.getAttribute('sandbox'), 'allow-scripts');
  const inside = page.frames().find((f) => f !== page.mainFrame());
  assert.equal(await page.title().then((t) => t.includes('Slow Weather')), false, 'the static page contains the title');
  assert.deepEqual(
    await inside.evaluate(() =>
      [...document.querySelectorAll('button, input, select')].filter((c) => !c.disabled).map((c) => c.outerHTML),
    ),
    [],
    'a control is enabled',
  );
  assert.ok(
    (await inside.evaluate(() => [...document.images].filter((i) => i.src.startsWith('data:')).length)) > 0,
    'images are missing',
  );
  assert.ok(
    await inside.evaluate(() => getComputedStyle(document.body).backgroundColor !== 'rgba(0, 0, 0, 0)'),
    'styles are missing',
  );
  assert.ok(
    asked.some((u) => u.includes('/admin/campaign-preview/slow-weather?')),
    'the preview was not requested',
  );
  return page;
}

/** Decodes the QR code in a PNG. */
function decoded(file) {
  const { data, width, height } = PNG.sync.read(file);
  return { text: jsQR(new Uint8ClampedArray(data), width, height)?.data, width };
}

/** Makes a pledge by a tracked link. */
const pledgeByLink = (attribution) =>
  callAPI('/checkout-intent/start', {
    email: 'linked@example.com',
    items: [{ id: 'night-ferry__digital-premiere' }],
    attribution,
  }).then(async ({ status, body }) => {
    assert.equal(status, 200, JSON.stringify(body));
    const { orderId, sessionId } = body;
    assert.equal((await callAPI('/_sim/complete', { session: sessionId, card: 'ok' })).status, 200);
    assert.equal((await callAPI('/checkout-intent/complete', { orderId, sessionId })).status, 200);
  });

/** The links in use with their pledges, and the checkout reminders' figures. */
// Proves MKT-08.
async function linksInUse(visit) {
  await pledgeByLink({ utmSource: 'newsletter', utmMedium: 'email', utmCampaign: 'last-weeks' });
  const page = await openDashboard(visit, 'en');
  await openScreen(page, 'marketing?campaign=night-ferry');
  const row = page.getByRole('row').filter({ hasText: 'newsletter / email' }).filter({ hasText: 'last-weeks' });
  await row.waitFor();
  assert.match(await row.innerText(), /\$\d+\.\d\d/);
  await expectUsable(page);
  await row.getByRole('button', { name: 'Link and QR code of newsletter / email' }).click();
  assert.match(
    await page.locator('dialog').getByLabel('Link', { exact: true }).inputValue(),
    /\/campaigns\/night-ferry\/\?utm_campaign=last-weeks&utm_medium=email&utm_source=newsletter$/,
  );
  await expectUsable(page);
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Checkout reminders' }).click();
  await page.getByText('Agreed to a reminder').waitFor();
  await expectUsable(page);
  const small = await openDashboard(visit, 'es', phone);
  await openScreen(small, 'marketing?campaign=night-ferry', 'es');
  await small.getByText('newsletter / email').waitFor();
  await expectUsable(small);
}

/** Tracking links with QR codes, referral codes, embeds, suppressions, and an announcement with two authors. */
// Proves AAU-34, MKT-02, MKT-03, MKT-07.
async function marketing(visit) {
  const page = await openDashboard(visit, 'en', { acceptDownloads: true });
  assert.deepEqual(await tabNames(page), [
    'Home',
    'Settings',
    'Add-ons',
    'Campaigns',
    'Analytics',
    'Reports',
    'Supporters',
    'Marketing',
  ]);
  await openScreen(page, 'marketing?campaign=slow-weather');
  await page.getByText('More tracking fields').click();
  await page.getByLabel('Referral code').fill('ada & bob');
  await page.locator('.err').first().waitFor();
  await page.getByLabel('Referral code').fill('rain-fans');
  await page.getByLabel('Source').fill('newsletter');
  await page.waitForFunction(() => /ref=rain-fans.*newsletter/.test(document.querySelector('input[readonly]')?.value));
  const link = await page.getByLabel('Link', { exact: true }).inputValue();
  assert.match(link, /\/campaigns\/slow-weather\/\?ref=rain-fans&utm_source=newsletter$/);
  await expectUsable(page);
  const asked = [];
  page.on('request', (r) => {
    if (/^https?:/.test(r.url())) asked.push(r.url());
  });
  const files = {};
  for (const kind of ['PNG', 'SVG']) {
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.locator('.qr').first().getByRole('button', { name: kind }).click(),
    ]);
    assert.equal(file.suggestedFilename(), `slow-weather-en.${kind.toLowerCase()}`);
    files[kind] = await readFile(await file.path());
  }
  assert.deepEqual(asked, [], 'QR codes are not generated in the browser');
  const read = decoded(files.PNG);
  assert.equal(read.text, link);
  assert.ok(read.width >= 700, `the QR code is ${read.width} pixels wide`);
  assert.match(files.SVG.toString(), /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 (\d+) \1"/);

  await page.getByRole('link', { name: 'Referral codes' }).click();
  await page.getByRole('button', { name: 'Add code' }).click();
  await page.locator('dialog').getByLabel('Promoter').fill('The rain club');
  await page.locator('dialog').getByLabel('Referral code').fill('ada');
  await expectUsable(page);
  await page.locator('dialog').getByRole('button', { name: 'Save code' }).click();
  await page.getByRole('button', { name: 'Edit The rain club' }).click();
  await page.locator('dialog').getByLabel('Promoter').fill('The rain society');
  await page.locator('dialog').getByRole('button', { name: 'Save code' }).click();
  await page.getByRole('button', { name: 'Link and QR code of The rain society' }).click();
  assert.match(await page.locator('dialog').getByLabel('Link', { exact: true }).inputValue(), /ref=ada/);
  await expectUsable(page);
  await page.locator('dialog').getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'Edit The rain society' }).click();
  await page.locator('dialog').getByRole('button', { name: 'Delete code' }).click();
  await page.getByText('No referral codes yet').waitFor();

  await page.getByRole('link', { name: 'Embed' }).click();
  await page.locator('pre').filter({ hasText: '<iframe' }).waitFor();
  await page.getByLabel('Compact size').check();
  await page.locator('pre').filter({ hasText: 'compact' }).waitFor();
  await expectUsable(page);

  await page.getByRole('link', { name: 'Suppressed addresses' }).click();
  await page.getByLabel('Email').fill('enough@example.com');
  await page.getByRole('button', { name: 'Suppress address' }).click();
  await page
    .getByRole('row')
    .filter({ hasText: 'enough@example.com' })
    .filter({ hasText: 'operator@example.com' })
    .waitFor();
  await expectUsable(page);
  await page.getByRole('button', { name: 'Allow emails to enough@example.com again' }).click();
  await page.getByText('No suppressed addresses.').waitFor();
  await page.getByLabel('In all campaigns').check();
  await page.getByLabel('Email').last().fill('bounced@example.com');
  await page.getByRole('button', { name: 'Allow emails again' }).click();
  await page.getByText('This address gets emails again.').waitFor();
  await expectUsable(page);

  const other = await openDashboard(visit, 'es', phone);
  await page.getByRole('link', { name: 'Announcement' }).click();
  await page.getByLabel('Subject').fill('Rain at last');
  await page.getByLabel('Button label').focus(); // leaving a field saves the draft
  await page.getByText(/shared with your team, saved /).waitFor();
  await openScreen(other, 'marketing?campaign=slow-weather&part=announcement', 'es');
  await other.getByLabel('Asunto').waitFor();
  assert.equal(await other.getByLabel('Asunto').inputValue(), 'Rain at last', 'the draft is not shared');
  await expectUsable(other);
  await expectNoPersonalData(page);
}

/** The account screen, and the data that remains in the browser after a session. */
async function account(visit) {
  const page = await openDashboard(visit, 'en');
  await openScreen(page, 'account');
  await page.getByText('Super admin', { exact: true }).waitFor();
  await expectUsable(page);
  await page.getByRole('button', { name: 'Dark' }).click();
  await expectUsable(page);
  const small = await openDashboard(visit, 'es', phone);
  await openScreen(small, 'account', 'es');
  await small.getByText('Superadministrador', { exact: true }).waitFor();
  await expectUsable(small);
  await openScreen(page, 'campaigns/night-ferry/settlement');
  await page.getByRole('heading', { name: /charging starts on/i }).waitFor();
  await page.evaluate(async () => {
    for (const key of Object.keys(localStorage)) localStorage.removeItem(key);
  });
  await page.route('**/admin/**', (r) =>
    r.fulfill({ status: 401, json: { error: 'Sign in first', code: 'unauthorized' } }),
  );
  await expireCache(page);
  await page.getByRole('group', { name: 'Night Ferry' }).getByRole('link', { name: 'Overview' }).click();
  await page.getByText("You're signed out.").waitFor();
  await expectUsable(page);
}

export default {
  preview,
  marketing,
  linksInUse,
  account,
  users,
  supporters,
  analytics,
  offline,
  rehearsal,
  decisions,
  heldSettlement,
  missedGoal,
  settlement,
};
