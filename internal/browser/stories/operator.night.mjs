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
  publish,
  waitForPage,
} from './dashboard.mjs';

const texts = {
  en: {
    needed: 'What needs you',
    backup: 'No backup yet',
    find: 'Find',
    settle: /^Settlement$/,
    look: 'See what would be charged',
    start: /^Start charging/,
    charge: /^Charge \$1,258\.18$/,
    ready: /^Ready: 15 supporters/,
    complete: /^Complete since/,
    compare: 'Compare now',
    agree: /books and the processor’s agree/,
    refused: 'Refused charges',
    offline: /can't be reached/,
  },
  es: { needed: 'Lo que te necesita', find: 'Buscar', complete: /^Completo desde/, refused: 'Cobros rechazados' },
};

async function home(visit) {
  const w = texts.en;
  const page = await openDashboard(visit, 'en');
  await page.getByRole('heading', { name: w.needed }).waitFor();
  await page.getByText(w.backup).waitFor();
  await page.getByRole('link', { name: 'Tidepool Traders' }).waitFor();
  await page.getByText('$1,015.00').first().waitFor();
  await expectUsable(page);
  await page.keyboard.press('Control+k');
  await page.keyboard.type('night');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Night Ferry', level: 1 }).waitFor();
  await page.getByRole('button', { name: 'Look at the cards' }).click();
  await page.getByText('All of them look fine.').waitFor();
  await expectUsable(page);
}

async function supporters(visit) {
  const page = await openDashboard(visit, 'en');
  await openScreen(page, 'supporters?campaign=tidepool-traders');
  const field = page.getByLabel('Find');
  await page.getByRole('link', { name: 'amir@example.com' }).waitFor();
  await field.pressSequentially('may', { delay: 20 });
  await page.getByRole('link', { name: 'amir@example.com' }).waitFor({ state: 'detached' });
  assert.equal(await page.getByRole('link', { name: /@example\.com/ }).count(), 1);
  await expectUsable(page);
  await page.getByRole('link', { name: 'maya@example.com' }).click();
  await page.getByText('1 Shore Road').waitFor();
  await page.getByText('Mail · confirmation · sent').waitFor();
  await expectNoPersonalData(page);
  const order = await page.locator('strong').filter({ hasText: /^pw-/ }).first().innerText();
  await openScreen(page, 'home');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill(order);
  await page.keyboard.press('Enter');
  await page.getByText('1 Shore Road').waitFor();
  await page.goBack();
  await page.getByText('What needs you').waitFor();
  await openScreen(page, 'supporters?campaign=tidepool-traders');
  await page.getByRole('link', { name: 'maya@example.com' }).click();
  await page.getByText('1 Shore Road').waitFor();
  await expectUsable(page);
  await page.getByRole('link', { name: 'Demo operator' }).click();
  await page
    .getByText(/@example\.com/)
    .first()
    .waitFor();
  await page.goBack();
  await page.goBack();
  await page.getByLabel('Find').waitFor();
  assert.equal(await page.getByLabel('Find').inputValue(), 'may', 'input was lost');
  await page.getByLabel('Find').fill('nobody is called this');
  await page.getByText('Nobody is found by that.').waitFor();
  await page.getByLabel('Find').fill('m'.repeat(254));
  await page.getByText('Nobody is found by that.').waitFor();

  await page.getByLabel('Find').fill('may');
  await page.getByRole('link', { name: 'maya@example.com' }).waitFor();
  await page.getByRole('link', { name: 'Demo operator' }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.locator('[name=email]').fill('ada@example.com');
  await page.getByRole('button', { name: 'Email me a link' }).click();
  await page.getByLabel('Code').fill(await codeFor('ada@example.com'));
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.locator('nav.tabs').waitFor();
  await page.evaluate(() => {
    location.hash = '#/supporters';
  });
  await page.getByLabel('Find').waitFor();
  assert.equal(await page.getByLabel('Find').inputValue(), '', 'the search of one operator is shown to the next');
  assert.equal(
    await page.getByRole('link', { name: 'maya@example.com' }).count(),
    0,
    'the results of one operator are shown to the next',
  );
}

/** Asserts that all amounts on the page, including those in charts, have two decimals. */
async function exactCents(page) {
  const sums = (
    await page.locator('main').evaluate((e) =>
      [...e.querySelectorAll('*')]
        .filter((x) => !x.children.length)
        .map((x) => x.textContent)
        .join(' '),
    )
  ).match(/\$[\d,.]*/g);
  assert.ok(sums.length > 10 && sums.every((s) => /^\$[\d,]+\.\d\d$/.test(s)), `amounts without cents: ${sums}`);
}

// Proves ANA-09.
async function analytics(visit) {
  let page = await openDashboard(visit, 'en');
  await openScreen(page, 'analytics?campaign=tidepool-traders');
  await page.getByText('$1,217.19').waitFor(); // net
  await exactCents(page);
  await page.getByLabel('Divided by').selectOption('languages');
  await page.locator('tbody th').filter({ hasText: /^en$/ }).waitFor();
  assert.match(page.url(), /by=languages/);
  await expectUsable(page);
  await page.getByLabel('Divided by').selectOption('referrals');
  await page.getByRole('columnheader', { name: 'Visits' }).waitFor();
  await expectUsable(page);
  assert.equal((await callAPI('/demo/clock', { advance: '8h' })).status, 200);
  await makePledge('later@example.com', 'night-ferry__digital-premiere');
  page = await openDashboard(visit, 'en'); // the previous session has expired
  await openScreen(page, 'analytics?campaign=night-ferry');
  await page.getByRole('img', { name: /^Toward the goal, day by day/ }).waitFor();
  await page.getByLabel('Divided by').selectOption('days');
  await page.locator('tbody tr').filter({ hasText: '2026-11-21' }).first().waitFor();
  await exactCents(page);
  await expectUsable(page);
  await openScreen(page, 'reports?campaign=tidepool-traders');
  await page.getByText('maya@example.com').waitFor();
  await page.getByRole('button', { name: 'total', exact: true }).click();
  assert.equal(
    await page.locator('tbody tr').first().locator('td').nth(3).innerText(),
    '58.29',
    'amounts are not sorted numerically',
  );
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download CSV' }).click(),
  ]);
  assert.equal(file.suggestedFilename(), 'tidepool-traders-pledges.csv');
  const rows = (await readFile(await file.path(), 'utf8')).trim().split('\n');
  assert.equal(rows.length, 16);
  await expectNoPersonalData(page);
  await expectUsable(page);
}

/** While the API is unreachable, loaded data stays visible with a note on its age. */
async function offline(visit) {
  const page = await openDashboard(visit, 'en');
  await openScreen(page, 'campaigns/night-ferry/settlement');
  await page.getByText(/^Nobody is charged before/).waitFor();
  await page.route('**/admin/settlement/**', (r) => r.abort());
  await page.getByRole('link', { name: 'Overview' }).click();
  await expireCache(page);
  await page.getByRole('link', { name: 'Settlement', exact: true }).click();
  await page.getByText(texts.en.offline).waitFor();
  await page.getByText(/^Nobody is charged before/).waitFor();
  await page.unroute('**/admin/settlement/**');
}

/** Rehearses the settlement of a campaign with a card that will have expired, and of one without problems. */
async function rehearsal(visit) {
  await makePledge('runs.out@example.com', 'night-ferry__digital-premiere', 'expires:1h');
  const page = await openDashboard(visit, 'en');
  await openScreen(page, 'campaigns/night-ferry/settlement');
  await page.getByRole('button', { name: 'Rehearse' }).click();
  await page.getByText(/^The goal is not reached yet: /).waitFor();
  const row = page.getByRole('row').filter({ hasText: 'The card will have run out' });
  await row.getByRole('link', { name: 'runs.out@example.com' }).waitFor();
  await page.getByText('The card will have run out: 1, $26.97').waitFor();
  await expectUsable(page);
  await expectNoPersonalData(page);
  await openScreen(page, 'campaigns/tidepool-traders/settlement');
  await page.getByRole('button', { name: 'Rehearse' }).click();
  await page.getByText(/^What would be collected reaches the goal\./).waitFor();
  await page.getByText('Every card looks good, and everything adds up.').waitFor();

  const small = await openDashboard(visit, 'es', phone);
  await openScreen(small, 'campaigns/night-ferry/settlement', 'es');
  await small.getByText(/^El objetivo aún no está alcanzado: /).waitFor(); // the result of the last rehearsal is stored
  await small.getByRole('row').filter({ hasText: 'La tarjeta habrá caducado' }).waitFor();
  await expectUsable(small);
}

/** Charging a pledge with different terms and reopening a campaign take the decision of two operators. */
async function decisions(visit) {
  const page = await openDashboard(visit, 'en');
  await openScreen(page, 'campaigns/night-ferry/settlement');
  await page.getByRole('button', { name: 'Check the terms' }).click();
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
  const until = '2026-11-22';
  await page.route('**/admin/settlement/night-ferry', async (route) => {
    const answer = await route.fetch();
    return route.fulfill({ response: answer, json: { ...(await answer.json()), closedAt: `${until}T00:00:00Z` } });
  });
  await page.route('**/admin/reopen/night-ferry', (route) => {
    sent.push(route.request().postDataJSON());
    return route.fulfill({
      json: {
        confirmed: false,
        reopening: { statedBy: 'ada@example.com', statedAt: `${until}T00:00:00Z`, reason: 'x' },
      },
    });
  });
  await page.getByRole('link', { name: 'Overview' }).click();
  await expireCache(page);
  await page.getByRole('link', { name: 'Settlement', exact: true }).click();
  await page.getByRole('heading', { name: 'Closed by mistake?' }).waitFor();
  await page.getByLabel('Why').first().fill('the goal was wrong');
  await page.getByRole('button', { name: 'Reopen the campaign' }).click();
  await expectUsable(page);
  await page.unroute('**/admin/settlement/night-ferry');
  await page.getByRole('link', { name: 'Overview' }).click();
  await expireCache(page);
  await page.getByRole('link', { name: 'Settlement', exact: true }).click();
  await page.getByRole('button', { name: 'Check the terms' }).click();
  await page.getByText('$20.00 in our records, cancelled at the processor').waitFor();
  await page.getByLabel('Why').first().fill('they wrote to us');
  await page.getByRole('button', { name: 'Charge $20.00' }).click();
  await page.getByText('ada@example.com decided to charge it: they wrote to us.').waitFor();
  assert.deepEqual(sent, [{ reason: 'the goal was wrong' }, { orderId: 'pw-01', reason: 'they wrote to us' }]);
  await expectUsable(page);
}

async function settlement(visit) {
  const w = texts.en;
  let page = await openDashboard(visit, 'en');
  await openScreen(page, 'campaigns/tidepool-traders/settlement');
  await page.getByText(/^The goal is reached: \$1,015\.00 of \$900\.00/).waitFor();
  assert.equal(
    await page.getByRole('button', { name: w.start }).count(),
    0,
    'charging can be started before the deadline',
  );
  assert.equal((await callAPI('/demo/clock', { advance: '25h' })).status, 200);

  page = await openDashboard(visit, 'en');
  await openScreen(page, 'home');
  await page.getByText('Tidepool Traders has ended with $1,015.00 and waits to be charged').waitFor();
  await page.getByRole('link', { name: 'Look' }).first().click();
  await page.getByText(w.ready).waitFor();
  await page.getByRole('button', { name: w.look }).click();
  await page.getByRole('heading', { name: 'What would be charged now' }).waitFor();
  await page.getByText('maya@example.com').waitFor();
  await expectUsable(page);

  await page.getByText('Stop all charging', { exact: true }).click();
  await page.getByLabel('Why').fill('a test of the brake');
  await page.getByRole('button', { name: 'Stop all charging now' }).click();
  await page.getByText(/a test of the brake/).waitFor();
  await page.getByRole('button', { name: w.start }).click();
  await page.locator('dialog').getByRole('button', { name: w.charge }).click();
  await page.locator('dialog [role=alert]').waitFor();
  assert.match(await page.locator('dialog [role=alert]').innerText(), /a test of the brake/);
  await page.locator('dialog').getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'Let charging go on' }).click();
  await page.getByText(/a test of the brake/).waitFor({ state: 'detached' });

  await page.getByRole('button', { name: w.start }).click();
  await page.locator('dialog').getByRole('button', { name: w.charge }).click();
  await page.getByText(w.complete).waitFor();
  await page.getByText('13 charged, $1,141.60').waitFor();
  await page.getByRole('heading', { name: w.refused }).waitFor();
  await page.getByText('priya@example.com').waitFor();
  await page.getByText('The supporter approves the payment').waitFor();
  await page.getByRole('button', { name: w.compare }).click();
  await page.getByText(w.agree).waitFor();
  await expectUsable(page);
  await expectNoPersonalData(page);
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/settlement.png`, fullPage: true });

  const small = await openDashboard(visit, 'es', phone);
  await openScreen(small, 'campaigns/tidepool-traders/settlement', 'es');
  await small.getByText(texts.es.complete).waitFor();
  await small.getByRole('heading', { name: texts.es.refused }).waitFor();
  await expectUsable(small);
  await small.emulateMedia({ colorScheme: 'dark' });
  await expectUsable(small);
}

/** A new user gets access, sees only permitted screens and is signed out when their session is revoked. */
async function users(visit) {
  const email = 'packer@example.com';
  const page = await openDashboard(visit, 'en');
  await openScreen(page, 'settings/users');
  await page.getByRole('button', { name: 'Add somebody' }).click();
  await page.getByLabel('Address').fill(email);
  await page.getByLabel('Name').fill('The packer');
  await page.getByLabel('Night Ferry').check();
  for (const may of ['Content', 'Supporters', 'Money', 'Mails']) await page.getByLabel(may, { exact: true }).uncheck();
  await expectUsable(page);
  await page.getByRole('button', { name: 'Add and email them' }).click();
  await page.getByText(`Saved: ${email}`).waitFor();
  await page.getByRole('row').filter({ hasText: email }).getByText('night-ferry: Fulfilment').waitFor();

  const theirs = await visit({ bypassCSP: true, ...phone });
  await theirs.goto(`${base}/admin/`);
  await theirs.locator('[name=email]').fill(email);
  await theirs.getByRole('button', { name: 'Email me a link' }).click();
  await theirs.getByLabel('Code').fill(await codeFor(email));
  await theirs.getByRole('button', { name: 'Sign in', exact: true }).click();
  await theirs.locator('nav.tabs').waitFor();
  assert.deepEqual(await theirs.locator('nav.tabs li').allInnerTexts(), ['Home', 'Campaigns', 'Reports']);
  await openScreen(theirs, 'settings/users');
  await theirs.getByRole('heading', { name: /^Hello/ }).waitFor();
  await openScreen(theirs, 'reports');
  await theirs.getByText('Nothing here yet.').waitFor(); // no charges before the deadline
  assert.doesNotMatch(
    await theirs.locator('main').innerText(),
    /\$|Tidepool/,
    'a packer sees amounts or another campaign',
  );
  await expectUsable(theirs);

  await page.getByRole('link', { name: 'Sessions' }).click();
  const row = page.locator('tbody tr').filter({ hasText: email });
  await row.getByRole('button', { name: 'End it' }).click();
  await row.getByText(/^Ended/).waitFor();
  await expectUsable(page);
  await expireCache(theirs);
  await theirs.getByRole('link', { name: 'Home' }).click();
  await theirs.getByRole('button', { name: 'Email me a link' }).waitFor();

  await page.getByRole('link', { name: 'Audit log' }).click();
  for (const action of ['user.save', 'session.revoke'])
    await page.locator('tbody tr').filter({ hasText: action }).first().waitFor();
  await expectUsable(page);
  for (const part of ['secrets', 'plan', 'diagnostics']) {
    await openScreen(page, `settings/${part}`);
    await page.locator('.screen table, .screen .note, .screen .todo').first().waitFor();
    await expectUsable(page);
  }
  await expectNoPersonalData(page);
}

const setTo = (page, name, value) =>
  page.waitForFunction(
    ([n, v]) =>
      [...document.querySelectorAll('details[open] .field')].some(
        (f) => f.querySelector('label')?.textContent.startsWith(n) && f.querySelector('input')?.value === v,
      ),
    [name, value],
  );

/** The live preview next to the editor, and previews for reviewers. */
// Proves PRV-11, PRV-12, PRV-13, SIT-14, SIT-15, SIT-18.
async function preview(visit) {
  const page = await openDashboard(visit, 'en');
  await page.setViewportSize({ width: 1440, height: 900 });
  await openScreen(page, 'campaigns/slow-weather/content');
  await page.getByRole('button', { name: 'Show the page' }).click();
  const drawn = page.frameLocator('.drawn iframe');
  await drawn.getByRole('heading', { level: 1 }).waitFor();
  assert.equal(
    await page.locator('.drawn iframe').getAttribute('sandbox'),
    'allow-same-origin',
    'scripts may run in the preview',
  );
  await page.evaluate(() => document.querySelector('.drawn iframe').contentWindow.scrollTo(0, 400));
  await page.getByLabel('Risks').fill('The weather may be quick.');
  await drawn.getByText('The weather may be quick.').waitFor();
  assert.equal(
    await page.evaluate(() => document.querySelector('.drawn iframe').contentWindow.scrollY),
    400,
    'the scroll position was lost',
  );
  await expectUsable(page);
  await page.getByRole('button', { name: 'Discard changes' }).click();
  await page.getByRole('button', { name: 'Hide the page' }).click();

  await openScreen(page, 'campaigns/slow-weather/overview');
  const card = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Preview' }) });
  await card.getByLabel('Reviewers').fill('eve.reviewer@example.com, mike.reviewer@example.com');
  await card.getByRole('button', { name: 'Send the links' }).click();
  await card.getByText('2 links are on their way.').waitFor();
  await expectUsable(page);
  await card.getByText(/^May look until .*eve\.reviewer@example\.com/).waitFor();
  const eve = await openPreview(visit, 'eve.reviewer@example.com');
  const mike = await openPreview(visit, 'mike.reviewer@example.com', { bypassCSP: true, ...phone });
  await expectUsable(mike);
  await eve.reload();
  await eve.frameLocator('iframe').getByRole('heading', { name: 'Slow Weather', level: 1 }).waitFor();

  await card.getByLabel('Reviewers').fill('mike.reviewer@example.com');
  await card.getByRole('button', { name: 'Send the links' }).click();
  await card.getByText('1 link is on its way.').waitFor();
  await eve.reload();
  await eve.getByText('This preview is not open to you any more.').waitFor();
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
    await inside.evaluate(() => getComputedStyle(document.querySelector('.campaign .stage')).display !== ''),
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

/** Tracking links with QR codes, referral codes, embeds, suppressions, and an announcement with two authors. */
// Proves AAU-34, MKT-02, MKT-03, MKT-07.
async function marketing(visit) {
  const page = await openDashboard(visit, 'en', { acceptDownloads: true });
  assert.deepEqual(await page.locator('nav.tabs li').allInnerTexts(), [
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
  await page.getByLabel('Code', { exact: true }).fill('ada & bob');
  await page.getByRole('button', { name: 'Make the link' }).click();
  await page.locator('.wrong, [role=alert]').first().waitFor();
  await page.getByLabel('Code', { exact: true }).fill('rain-fans');
  await page.getByLabel('Source').fill('newsletter');
  await page.getByRole('button', { name: 'Make the link' }).click();
  const link = await page.locator('.links a').first().getAttribute('href');
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
  await page.getByRole('button', { name: 'Add a code' }).click();
  await page.locator('dialog').getByLabel('Code').fill('ada');
  await page.locator('dialog').getByLabel('Who').fill('The rain club');
  await page.locator('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByRole('row').filter({ hasText: 'The rain club' }).getByRole('button', { name: 'Change' }).click();
  await page.locator('dialog').getByLabel('Who').fill('The rain society');
  await page.locator('dialog').getByRole('button', { name: 'Save' }).click();
  await page
    .getByRole('row')
    .filter({ hasText: 'The rain society' })
    .getByRole('button', { name: 'Link and QR code' })
    .click();
  await page.locator('dialog a').filter({ hasText: 'ref=ada' }).first().waitFor();
  await expectUsable(page);
  await page.locator('dialog').getByRole('button', { name: 'Close' }).click();
  await page.getByRole('row').filter({ hasText: 'The rain society' }).getByRole('button', { name: 'Change' }).click();
  await page.locator('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('There are none yet. Add the first one.').waitFor();

  await page.getByRole('link', { name: 'For other sites' }).click();
  await page.locator('pre').filter({ hasText: '<iframe' }).waitFor();
  await page.getByLabel('Compact').check();
  await page.locator('pre').filter({ hasText: 'compact' }).waitFor();
  await expectUsable(page);

  await page.getByRole('link', { name: 'No mails' }).click();
  await page.getByLabel('Address').fill('enough@example.com');
  await page.getByRole('button', { name: 'Stop mails to it' }).click();
  await page
    .getByRole('row')
    .filter({ hasText: 'enough@example.com' })
    .filter({ hasText: 'operator@example.com' })
    .waitFor();
  await expectUsable(page);
  await page.getByRole('row').filter({ hasText: 'enough@example.com' }).getByRole('button', { name: 'Clear' }).click();
  await page.getByText('There are none.').waitFor();
  await page.getByLabel('All campaigns').check();
  await page.getByLabel('Address').last().fill('bounced@example.com');
  await page.getByRole('button', { name: 'Take it back' }).click();
  await page.getByText('Nothing stops mails to it any more.').waitFor();
  await expectUsable(page);

  const other = await openDashboard(visit, 'es', phone);
  await page.getByRole('link', { name: 'Announcement' }).click();
  await page.getByLabel('Subject').fill('Rain at last');
  await page.getByRole('button', { name: 'Save draft' }).click();
  await page.getByText(/^Saved /).waitFor();
  await openScreen(other, 'marketing?campaign=slow-weather&part=announcement', 'es');
  await other.getByLabel('Asunto').waitFor();
  assert.equal(await other.getByLabel('Asunto').inputValue(), 'Rain at last', 'the draft is not shared');
  await expectUsable(other);
  await other.getByLabel('Asunto').fill('Por fin llueve');
  await other.getByRole('button', { name: 'Guardar borrador' }).click();
  await other.getByText(/^Guardado el /).waitFor();
  await page.getByLabel('Subject').fill('Rain, finally');
  await page.getByRole('button', { name: 'Save draft' }).click();
  await page.getByText('Somebody else has saved this draft meanwhile.').waitFor();
  await page.getByRole('button', { name: 'Take theirs' }).click();
  await page.waitForFunction(() => [...document.querySelectorAll('input')].some((i) => i.value === 'Por fin llueve'));
  await expectNoPersonalData(page);
}

/** Two operators change the same field of a reward, and one keeps unpublished input while the other publishes. */
async function rewards(page, late) {
  for (const p of [page, late]) {
    await openScreen(p, 'campaigns/slow-weather/tiers');
    await p.locator('details summary').first().click();
    await p.getByLabel('Price').first().waitFor();
  }
  await page.getByLabel('Price').first().fill('21');
  await publish(page);
  await late.getByLabel('Price').first().fill('23');
  await late.getByLabel('Name').first().fill('The download');
  await late.getByRole('button', { name: 'Review changes' }).click();
  await late.getByText('Somebody else has changed 1 field meanwhile').waitFor();
  await late.getByRole('button', { name: 'Keep mine' }).click();
  await late.getByRole('button', { name: 'Review changes' }).click();
  await late
    .locator('dialog li')
    .filter({ hasText: /\$21 to \$23/ })
    .waitFor();
  await late.locator('dialog li').filter({ hasText: 'The download' }).waitFor();
  await late.locator('dialog').getByRole('button', { name: 'Close' }).click();
  await late.getByRole('button', { name: 'Discard changes' }).click();
  await late.locator('details summary').filter({ hasText: 'Download' }).click();
  await setTo(late, 'Price', '21');

  await late.getByRole('button', { name: 'Add' }).last().click();
  await late.getByLabel('Name').last().fill('A postcard');
  await late.getByLabel('Price').last().fill('9');
  await publish(late);

  await openScreen(page, 'campaigns/slow-weather/settings');
  await page.getByLabel('Reports go to').fill('typed@example.com');
  await openScreen(late, 'campaigns/slow-weather/settings');
  await late.getByLabel('Time to fix a payment').fill('20'); // in a mapping that the file does not have yet
  await publish(late);
  await page.getByRole('button', { name: 'Review changes' }).click(); // also reads the file again
  await page.locator('dialog').getByRole('button', { name: 'Close' }).click();
  await page.getByText('History', { exact: true }).click();
  await expireCache(page);
  await page.getByRole('link', { name: 'Content', exact: true }).click();
  await page.getByRole('link', { name: 'Settings', exact: true }).last().click();
  assert.equal(await page.getByLabel('Reports go to').inputValue(), 'typed@example.com', 'input was lost');
  await page.getByRole('button', { name: 'Discard changes' }).click();
}

/** An uploaded image is scaled down, renamed, published, used on the page, and deleted once it is unused. */
async function images(page) {
  await openScreen(page, 'campaigns/slow-weather/content');
  const field = page.locator('.media').filter({ has: page.getByLabel(/^Wide picture/) });
  const was = await field.locator('input').first().inputValue();
  const large = await page.evaluate(async () => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 4000, height: 1000 });
    canvas.getContext('2d').fillRect(0, 0, 2000, 1000);
    const picture = await new Promise((done) => canvas.toBlob(done, 'image/jpeg'));
    return [...new Uint8Array(await picture.arrayBuffer())];
  });
  const file = { name: 'Lluvia de ABRIL (1).JPG', mimeType: 'image/jpeg', buffer: Buffer.from(large) };
  await field.locator('input[type=file]').setInputFiles(file);
  await page.waitForFunction(() =>
    [...document.querySelectorAll('.media input')].some(
      (i) => i.value === '/assets/images/campaigns/slow-weather/lluvia-de-abril-1.jpg',
    ),
  );
  await field.locator('input[type=file]').setInputFiles(file);
  await field.getByText('There is a file named lluvia-de-abril-1.jpg already.').waitFor();
  await expectUsable(page);
  await field.getByRole('button', { name: 'Keep both' }).click();
  await page.waitForFunction(() =>
    [...document.querySelectorAll('.media input')].some((i) => i.value.endsWith('lluvia-de-abril-1-2.jpg')),
  );
  await field
    .locator('input[type=file]')
    .setInputFiles({ name: 'rain.jpg', mimeType: 'image/jpeg', buffer: Buffer.from('<svg onload="x">') });
  await field.getByText(/its content must match its name/).waitFor();
  await page.reload();
  await field.locator('img').waitFor();
  await page.waitForFunction(
    () =>
      [...document.querySelectorAll('.media img')].some((i) => i.src.startsWith('data:') && i.naturalWidth === 2560),
    null,
    { polling: 200 },
  );
  await publish(page);
  await waitForPage('/campaigns/slow-weather/', /-1600\.jpg/);

  await field.getByRole('button', { name: 'Choose' }).click();
  await page
    .locator('dialog li')
    .filter({ hasText: 'lluvia-de-abril-1.jpg' })
    .getByRole('button', { name: 'Remove' })
    .click();
  await page.locator('dialog').getByText('lluvia-de-abril-1.jpg', { exact: true }).waitFor({ state: 'detached' });
  await page.locator('dialog li').filter({ hasText: 'lluvia-de-abril-1-2.jpg' }).getByText('used in 1 place').waitFor();
  await expectUsable(page);
  await page.locator('dialog').getByRole('button', { name: 'Close' }).click();
  await field.locator('input').first().fill(was);
  await publish(page);
  await field.getByRole('button', { name: 'Choose' }).click();
  await page.locator('dialog').getByText('lluvia').waitFor({ state: 'detached' });
  await page.locator('dialog').getByRole('button', { name: 'Close' }).click();
}

const box = (name, ...bodies) => {
  const body = Buffer.concat(bodies.map((b) => Buffer.from(b, 'latin1')));
  const head = Buffer.alloc(8);
  head.writeUInt32BE(body.length + 8);
  head.write(name, 4, 'latin1');
  return Buffer.concat([head, body]);
};

/** A video is uploaded directly to the bucket, and its URL is in the form and on the published page. */
async function videos(page) {
  await openScreen(page, 'campaigns/slow-weather/content');
  const field = page
    .locator('.media')
    .filter({ has: page.getByLabel(/^Video/) })
    .first();
  const input = field.locator('input').first();
  const was = await input.inputValue();
  const track = box('trak', box('mdia', box('hdlr', '\0\0\0\0mhlrvide')));
  const film = Buffer.concat([
    box('ftyp', 'isom\0\0\0\0isom'),
    box('mdat', 'frames'),
    box('moov', track),
    box('udta', '+48.20+016.37/'),
  ]);
  const sent = [];
  page.on(
    'request',
    (r) => ['PUT', 'POST'].includes(r.method()) && sent.push(`${r.method()} ${new URL(r.url()).pathname}`),
  );
  await field.locator('input[type=file]').setInputFiles({ name: 'Trailer.mp4', mimeType: 'video/mp4', buffer: film });
  await page.waitForFunction(() =>
    [...document.querySelectorAll('.media input')].some((i) =>
      /^http:.*\/films\/assets\/videos\/campaigns\/slow-weather\/trailer-[0-9a-f]{8}\.mp4$/.test(i.value),
    ),
  );
  assert.match(
    sent.join(', '),
    /^POST \/admin\/media\/grant, PUT \/films\/incoming\/[0-9a-f]{64}\.mp4, POST \/admin\/media\/take$/,
  );
  const address = await input.inputValue();
  await field
    .locator('input[type=file]')
    .setInputFiles({ name: 'trailer.mp4', mimeType: 'video/mp4', buffer: Buffer.from('<html>') });
  await field.getByText(/its content must match its name/).waitFor();
  assert.equal(await input.inputValue(), address);
  let answer;
  const typed = new Promise((go) => {
    answer = go;
  });
  await page.route(/\/admin\/content\?/, async (r) => {
    await typed;
    await r.continue();
  });
  await publish(page);
  await page.waitForFunction(
    async (film) => (await (await fetch('/campaigns/slow-weather/')).text()).includes(film),
    address,
    { polling: 200 },
  );
  assert.equal(await input.inputValue(), address, 'the published value is gone until the file is read again');
  await input.fill(was);
  answer();
  await publish(page);
  await page.waitForFunction(
    async (film) => !(await (await fetch('/campaigns/slow-weather/')).text()).includes(film),
    address,
    { polling: 200 },
  );
  await page.unroute(/\/admin\/content\?/);
}

/** Edits a campaign, publishes and undoes the change, and resolves conflicts between two operators. */
// Proves AAU-35, AAU-36, AAU-37, CON-11.
async function edit(visit) {
  const page = await openDashboard(visit, 'en');
  const late = await openDashboard(visit, 'en');
  for (const p of [page, late]) {
    await openScreen(p, 'campaigns/slow-weather/settings');
    await p.getByLabel('Summary').waitFor();
  }
  assert.deepEqual(await page.locator('nav.subtabs li').allInnerTexts(), [
    'Overview',
    'Settings',
    'Content',
    'Tiers',
    'Support Items',
    'Add-Ons',
    'Stretch Goals',
    'Ongoing Items',
    'Diary Entries',
    'Decisions',
    'Blast',
    'Settlement',
  ]);
  await expectUsable(page);
  const sent = [];
  page.on('request', (r) => r.method() !== 'GET' && sent.push(r.url()));
  await page.getByLabel('Summary').fill('A film about rain that takes its time.');
  await page.getByText('1 field is changed and not published.').waitFor();
  await page.reload();
  await page.getByText('1 field is changed and not published.').waitFor();
  assert.equal(
    await page.getByLabel('Summary').inputValue(),
    'A film about rain that takes its time.',
    'input was lost',
  );
  assert.deepEqual(sent, [], 'a draft is sent to the server');
  await openScreen(page, 'home');
  await page
    .getByRole('listitem')
    .filter({ hasText: 'Slow Weather: 1 field is changed here and not published' })
    .getByRole('link', { name: 'Look' })
    .click();
  await page.getByRole('link', { name: 'Settings', exact: true }).last().click();
  await page.getByRole('button', { name: 'Review changes' }).click();
  await page.locator('dialog').getByText('A film about rain').waitFor();
  await expectUsable(page);
  await page.getByRole('button', { name: 'Publish' }).click();
  await page.getByText(/^Published\. /).waitFor();
  await waitForPage('/campaigns/slow-weather/', /A film about rain that takes its time\./);

  await late.getByLabel('Goal').fill('lots');
  await late.getByRole('button', { name: 'Review changes' }).click();
  await late.getByText('This has to be put right first').waitFor();
  await late.locator('dialog').getByRole('button', { name: 'Close' }).click();
  await late.getByLabel('Goal').fill('7000');
  await late.getByLabel('Summary').fill('Something else.');
  await late.getByRole('button', { name: 'Review changes' }).click();
  await late.getByText('Somebody else has changed 1 field meanwhile').waitFor();
  await expectUsable(late);
  await late.getByRole('button', { name: 'Take what is there now' }).click();
  await late.getByRole('button', { name: 'Review changes' }).click();
  await late
    .locator('dialog li')
    .filter({ hasText: /^goal: \$6,500 to \$7,000/ })
    .waitFor();
  assert.equal(await late.locator('dialog li').count(), 1);
  await late.getByRole('button', { name: 'Publish' }).click();
  await late.getByText(/^Published\. /).waitFor();

  await late.getByText('History', { exact: true }).click();
  await late.locator('.history li').filter({ hasText: /7,000/ }).getByRole('button', { name: 'Take it back' }).click();
  await late.locator('dialog').getByRole('button', { name: 'Take it back' }).click();
  await late.locator('dialog').waitFor({ state: 'detached' });
  await late.waitForFunction(() => [...document.querySelectorAll('input')].some((i) => i.value === '$6,500'));
  await expectNoPersonalData(late);

  await rewards(page, late);
  await images(page);
  await videos(page);

  const small = await openDashboard(visit, 'es', phone);
  await openScreen(small, 'campaigns/slow-weather/tiers', 'es');
  await small.getByText(/^1\. /).first().click();
  await small.getByLabel('Precio').first().waitFor();
  await expectUsable(small);
}

/** Creates a campaign, shows its launch checklist and archives it. */
async function createCampaign(visit) {
  const page = await openDashboard(visit, 'en');
  await openScreen(page, 'campaigns');
  await page.getByRole('button', { name: 'New campaign' }).click();
  await page.getByLabel('Title').fill('Salt Road');
  await expectUsable(page);
  await page.getByRole('button', { name: 'Begin' }).click();
  await page.getByRole('heading', { name: 'Salt Road', level: 1 }).waitFor();
  await page.getByLabel('Goal').waitFor();
  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByText('Something is still to be done.').waitFor();
  await page.getByText('Hidden', { exact: true }).waitFor();
  assert.equal((await fetch(`${base}/campaigns/salt-road/`)).status, 404, 'an unlaunched campaign is public');
  await expectUsable(page);
  await page.getByRole('link', { name: 'Settlement' }).click();
  await page.getByText('The campaign has no deadline yet. Nobody can be charged.').waitFor();
  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByRole('button', { name: 'Duplicate' }).click();
  await page.getByLabel('Title').fill('Salt Road');
  await page.locator('dialog').getByRole('button', { name: 'Begin' }).click();
  await page.locator('dialog [role=alert]').waitFor(); // the name is taken
  await page.locator('dialog').getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'Archive' }).click();
  await expectUsable(page);
  await page.locator('dialog').getByRole('button', { name: 'Archive', exact: true }).click();
  await page.getByText('1 file was moved.').waitFor();
  await page.locator('dialog').getByRole('button', { name: 'Close' }).click();
  await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor();
  await page.locator('tbody tr').filter({ hasText: 'Salt Road' }).getByText('Archived').waitFor();
}

/** A mail to supporters: a draft shared by two operators, counted and sent once. */
async function blast(visit) {
  const { supporterCount: n } = (await callAPI('/live/night-ferry')).body.stats;
  const page = await openDashboard(visit, 'en');
  const other = await openDashboard(visit, 'en');
  for (const p of [page, other]) {
    await openScreen(p, 'campaigns/night-ferry/blast');
    await p.getByLabel('Subject').waitFor();
  }
  await page.getByLabel('Subject').fill('We sail on Friday');
  await page.getByLabel('Text').fill('The ship is **ready**.');
  await page.getByRole('button', { name: 'Save draft' }).click();
  await page.getByText(/^Saved /).waitFor();
  await other.getByLabel('Subject').fill('Another subject');
  await other.getByLabel('Text').fill('Another text.');
  await other.getByRole('button', { name: 'Save draft' }).click();
  await other.getByRole('button', { name: 'Take theirs' }).click();
  await other.waitForFunction(() =>
    [...document.querySelectorAll('input')].some((i) => i.value === 'We sail on Friday'),
  );
  await expectUsable(page);
  await page.getByRole('button', { name: 'Send a test to me' }).click();
  await page.getByText('A test is on its way to operator@example.com.').waitFor();
  assert.match(await mailTo('operator@example.com', /The ship is/), /We sail on Friday|The ship is/);
  await page.getByRole('button', { name: 'Count and review' }).click();
  await page.getByRole('heading', { name: `Send to ${n} people?` }).waitFor();
  await expectUsable(page);
  await page.getByRole('button', { name: `Send to ${n} people` }).click();
  await page.getByText(`${n} recipients`).first().waitFor();
  await page.locator('.note').getByText('Sent', { exact: true }).waitFor();
  await page.reload();
  await page.locator('.note').getByText(`${n} recipients`).waitFor();
  await page.getByLabel('Subject').fill('Something new');
  await page.locator('summary').filter({ hasText: 'We sail on Friday' }).click();
  await page.getByText('The ship is **ready**.').last().waitFor();
  await expectUsable(page);
  await page.getByRole('button', { name: 'Use again' }).click();
  await page.locator('dialog').getByRole('button', { name: 'Use again' }).click();
  assert.equal(await page.getByLabel('Subject').inputValue(), 'We sail on Friday');
  const { body } = await callAPI('/demo/mail', undefined, { Accept: 'application/json' });
  assert.equal(new Set(body.filter((m) => m.subject === 'We sail on Friday').map((m) => m.to)).size, n);
  assert.equal(body.filter((m) => m.subject === 'We sail on Friday').length, n);
  await expectNoPersonalData(page);
}

export default {
  home,
  edit,
  preview,
  marketing,
  createCampaign,
  blast,
  users,
  supporters,
  analytics,
  offline,
  rehearsal,
  decisions,
  settlement,
};
