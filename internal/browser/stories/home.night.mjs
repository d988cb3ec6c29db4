// The home screen, the campaign list, and a campaign's overview, creation, launch and archiving.
import assert from 'node:assert/strict';
import { base, makePledge, openPledge, phone } from './actions.mjs';
import {
  expectNoPersonalData,
  expectUsable,
  expireCache,
  openDashboard,
  openScreen,
  publishFields,
  waitForPage,
} from './dashboard.mjs';

/** Changes the response to a request of the dashboard. */
async function changeResponse(page, pattern, change) {
  await page.route(pattern, async (route) => {
    const response = await route.fetch();
    const json = await response.json();
    change(json);
    await route.fulfill({ response, json });
  });
}

/** Changes the summary of Night Ferry and opens a screen again. */
async function openWith(page, place, changes, lang = 'en') {
  await page.unroute('**/admin/summary');
  await changeResponse(page, '**/admin/summary', ({ campaigns }) =>
    Object.assign(
      campaigns.find((c) => c.campaignSlug === 'night-ferry'),
      changes,
    ),
  );
  await page.goto('about:blank');
  await openScreen(page, place, lang);
}

const findings = [
  ['backup.unknown', 'notice', 'No backup was found'],
  ['people.one', 'warning', 'There is only one super admin'],
  ['mail.late', 'critical', 'Mails are overdue'],
  ['settlement.held', 'critical', 'Charges are on hold: night-ferry'],
].map(([id, severity, found]) => ({ id, severity, found, remedy: 'Fix it.' }));

/** Tasks are sorted by urgency, and each has one link that names its action. */
async function tasks(visit) {
  const page = await openDashboard(visit, 'en');
  await page.getByRole('heading', { name: /^Good (morning|afternoon|evening)$/, level: 1 }).waitFor();
  await page.getByText('No backup yet').first().waitFor();
  await page
    .getByRole('link', { name: /Tidepool Traders/ })
    .first()
    .waitFor();
  await page.getByText('$1,015').first().waitFor();
  const next = page.getByRole('region', { name: 'Coming up' }).getByRole('link');
  await next.first().waitFor();
  const days = await next.locator('.muted.block').allInnerTexts();
  assert.match(days[0], /^\w{3}, \w{3} \d+, \d+:\d\d [AP]M M[SD]T · (today|tomorrow|in \d+ days)$/);
  await expectUsable(page);
  await changeResponse(page, '**/admin/health?*', (report) =>
    Object.assign(report, { severity: 'critical', findings }),
  );
  const soon = new Date(Date.now() + 3 * 86_400_000).toISOString();
  await openWith(page, 'home', {
    settlement: { status: 'needs_attention', needsAttention: 2 },
    repairable: { pledges: 3, amount: 15_000, until: soon },
    cardCheck: {
      checkedAt: new Date().toISOString(),
      atRiskCharges: 11,
      atRiskAmount: 128_400,
      charges: 24,
      amount: 0,
      causes: [],
      askable: 11,
    },
  });
  const rows = page.locator('.need > li');
  await rows.filter({ hasText: 'Mails are overdue' }).waitFor();
  const titles = await rows.locator('h3').allInnerTexts();
  const order = [
    '2 charges need a decision',
    'Charges are on hold: night-ferry',
    'Mails are overdue',
    '11 cards will fail after the deadline',
    'There is only one super admin',
    'No backup was found',
  ];
  assert.deepEqual(
    titles.filter((t) => order.includes(t)),
    order,
  );
  for (const row of await rows.all()) {
    const act = row.getByRole('link');
    assert.equal(await act.count(), 1);
    assert.match(await act.getAttribute('href'), /^#\/(settings|campaigns)\//);
    assert.ok(!/^(Look|Open)$/.test(await act.innerText()));
  }
  assert.equal(await page.locator('.nav .n.alert [aria-hidden]').first().innerText(), String(titles.length));
  await rows.first().getByRole('link', { name: 'Resolve: 2 charges need a decision' }).click();
  await page.waitForURL(/#\/campaigns\/night-ferry\/settlement$/);
  await expectNoPersonalData(page);
}

/** The home screen without campaigns, without tasks, while it loads, and without the server. */
const states = (lang, options, words) => async (visit) => {
  const page = await openDashboard(visit, lang, options);
  await page.route('**/admin/health?*', (r) =>
    r.fulfill({ json: { at: new Date().toISOString(), severity: 'ok', findings: [] } }),
  );
  const reopen = async () => {
    await page.goto('about:blank');
    await openScreen(page, 'home', lang);
  };
  await reopen();
  await page.getByText(words.caughtUp).waitFor();
  await expectUsable(page);
  await changeResponse(page, '**/admin/summary', (s) => {
    s.campaigns = [];
  });
  await reopen();
  await page.getByRole('heading', { name: words.none }).waitFor();
  await page.getByRole('button', { name: words.create }).waitFor();
  await expectUsable(page);
  await page.unroute('**/admin/summary');
  // The page also loads the summary by itself, so the server returns it only after the click.
  await page.route('**/admin/summary', async (r) =>
    (await page.evaluate(() => globalThis.clicked))
      ? r.continue()
      : r.fulfill({ status: 503, json: { error: 'Busy', code: 'unavailable', requestId: 'x' } }),
  );
  await reopen();
  await page.getByRole('heading', { name: words.failed }).waitFor();
  await expectUsable(page);
  await page.evaluate(() =>
    document.addEventListener('click', () => Object.assign(globalThis, { clicked: true }), { capture: true }),
  );
  await page.getByRole('button', { name: words.again }).click();
  await page.getByText(words.caughtUp).waitFor();
  await page.unroute('**/admin/summary');
};

/** The overview shows the same deadline as the public page, and the days left as whole days. */
async function overview(visit) {
  const page = await openDashboard(visit, 'en');
  await openScreen(page, 'campaigns/night-ferry');
  await page.getByRole('heading', { name: 'Night Ferry', level: 1 }).waitFor();
  const stated = await page
    .locator('.figs')
    .getByText(/^\w+ \d+, \d{4}, /)
    .innerText();
  assert.match(stated, /11:59 PM/);
  const site = await page.context().newPage();
  await site.goto(`${base}/campaigns/night-ferry/`);
  await site.getByText(stated).first().waitFor();
  const left = await site.locator('[data-live=night-ferry] [data-left]').first();
  await left.getByText(/\d+ days? left/).waitFor();
  const days = (await left.innerText()).replace(/\s+/g, ' ').match(/\d+ days?/)[0];
  await site.close();
  await page.locator('.figs').getByText(days, { exact: true }).waitFor();

  await page.getByRole('img', { name: /^Pledged: \$[\d,.]+ on .*, goal \$12,000/ }).waitFor();
  await page.getByRole('button', { name: 'View as table' }).click();
  await page.getByRole('columnheader', { name: 'That day' }).waitFor();
  await page.getByRole('button', { name: 'By day' }).click();
  await expectUsable(page);
  const reward = page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: 'A night on board' }) });
  assert.match(await reward.innerText(), /\$350/);
  await page.getByRole('button', { name: 'Check cards' }).click();
  await page.getByText(/^Checked /).waitFor();
  await page.getByText(/will fail as far as the processor knows|will fail when/).waitFor();

  const primary = page.locator('.phead .btn.primary');
  for (const [changes, badge, action] of [
    [{ status: 'funded' }, 'Goal reached', 'Post an update'],
    [{ status: 'charging', state: 'ended', daysLeft: 0 }, 'Ready to charge', 'Charge supporters…'],
    [{ status: 'settled', state: 'ended', collectedAmount: 150_000 }, 'Settled', ''],
    [{ status: 'missed', state: 'ended', collectedAmount: 0 }, 'Missed', ''],
  ]) {
    await openWith(page, 'campaigns/night-ferry', changes);
    await page.locator('.phead').getByText(badge, { exact: true }).waitFor();
    assert.deepEqual(await primary.allInnerTexts(), action ? [action] : [], badge);
    await expectUsable(page);
  }
  await page.getByText('The campaign did not reach its goal. Nobody is charged.').waitFor();
  assert.equal(
    await page.getByText('Will be collected').count(),
    0,
    'the overview of a campaign that missed its goal shows expected money',
  );
  await openWith(page, 'campaigns/night-ferry', {
    status: 'settled',
    state: 'ended',
    archiving: { possible: false, reason: 'unsettled', unsettledPledges: 2 },
  });
  await page.getByRole('button', { name: 'More actions for Night Ferry' }).click();
  const archive = page.getByRole('button', { name: /^Archive…/ });
  assert.equal(await archive.getAttribute('aria-disabled'), 'true');
  await page.getByText('Not possible yet: 2 pledges can still be charged.').waitFor();
  await expectNoPersonalData(page);
}

/** Creates a campaign by keyboard, launches it, takes it off the site and archives it. */
async function launch(visit) {
  const page = await openDashboard(visit, 'en');
  await openScreen(page, 'campaigns');
  await page.getByRole('button', { name: 'New campaign' }).click();
  await page.waitForFunction(() => document.activeElement.matches('dialog input'));
  await page.keyboard.insertText('Salt Road '.repeat(9));
  await page.getByText('The title is 9 characters too long.').waitFor();
  await page.getByLabel('Title').fill('حملة اختبار');
  await page.keyboard.press('Enter');
  await page.locator('dialog [aria-invalid=true]').waitFor();
  await page.getByLabel('Title').fill('Salt Road');
  await page.getByText('Page address: campaigns/salt-road').waitFor();
  await expectUsable(page);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Launch Salt Road', level: 1 }).waitFor();
  await page.waitForFunction(() => document.activeElement?.tagName === 'H1');
  assert.match(await page.title(), /^Launch Salt Road · /);
  assert.equal((await fetch(`${base}/campaigns/salt-road/`)).status, 404, 'an unlaunched campaign is public');

  const button = page.getByRole('button', { name: 'Launch campaign…' });
  assert.equal(await button.getAttribute('aria-disabled'), 'true');
  const reason = await page.locator(`#${await button.getAttribute('aria-describedby')}`).innerText();
  assert.match(reason, /^\d+ steps left\. The button unlocks when they are done\.$/);
  const steps = page.locator('.steps > li');
  assert.equal(
    await steps.filter({ hasText: /published|preview_only/ }).count(),
    0,
    'the launch is a step of the list',
  );
  assert.equal(await steps.locator('.tick.ok').count(), 0, 'a step of an empty campaign is done');
  const goal = steps.filter({ hasText: 'Set a goal' }).getByRole('link');
  assert.equal(await goal.getAttribute('href'), '#/campaigns/salt-road/settings?field=goal_amount');
  await expectUsable(page);

  await publishFields(page, 'salt-road', {
    goal_amount: 600,
    start_date: '2026-11-01',
    goal_deadline: '2026-12-24',
    short_blurb: 'A road of salt.',
    long_content: [{ type: 'text', text: 'A story about salt.' }],
    hero_image: '/assets/images/campaigns/night-ferry/hero.svg',
    hero_image_alt: 'A white road',
    creator_name: 'Ada',
    creator_about: 'Makes films.',
    risks: 'It may rain.',
    tiers: [{ id: 'salt', name: 'A bag of salt', price: 25, category: 'digital', estimated_delivery: '2027-03' }],
  });
  await page.waitForFunction(
    async () =>
      (await (await fetch('/admin/campaigns/launch/salt-road?lang=en', { credentials: 'include' })).json()).items.find(
        (i) => i.key === 'goal',
      ).done,
    undefined,
    { polling: 200 },
  );
  await page.reload();
  await page.getByText('Everything is ready.').waitFor();
  await page.getByRole('button', { name: 'Launch campaign…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Launch “Salt Road”?' });
  for (const text of ['$600', /Thursday, December 24, 2026.*11:59 PM/, 'Now, within a minute', 'A bag of salt ($25)'])
    await dialog.getByText(text).waitFor();
  await expectUsable(page);
  await dialog.getByRole('button', { name: 'Launch campaign', exact: true }).click();
  await page.getByText('Salt Road is launched.').waitFor();
  await page.locator('.phead').getByText('Live', { exact: true }).waitFor(); // without a reload
  await page.getByText('of $600').first().waitFor();
  await page.waitForFunction(() => document.activeElement?.tagName === 'H1');
  await page.getByText('The first pledge starts this chart').waitFor();
  await expectUsable(page);
  await waitForPage('/campaigns/salt-road/', /A bag of salt/);

  await makePledge('salt@example.com', 'salt-road__salt');
  await moveDelivery(page, visit);
  await expireCache(page);
  await page.reload();
  await page.getByRole('button', { name: 'More actions for Salt Road' }).click();
  await page.getByRole('button', { name: 'Take off the site…' }).click();
  const off = page.getByRole('dialog', { name: 'Take “Salt Road” off the site?' });
  await off.getByText(/^1 pledge remains valid/).waitFor();
  await expectUsable(page);
  await off.getByRole('button', { name: 'Take off the site' }).click();
  assert.equal(await off.getByLabel('Reason').evaluate((e) => e.validity.valueMissing), true, 'no reason is required');
  await off.getByLabel('Reason').fill('The salt is gone.');
  await off.getByRole('button', { name: 'Take off the site' }).click();
  await page.getByText('Salt Road is off the site.').waitFor();
  await page.waitForFunction(async () => (await fetch('/campaigns/salt-road/')).status === 404, undefined, {
    polling: 200,
  });
  await expectNoPersonalData(page);
}

/** Moves a reward's delivery. Its supporter's page and record show the new month and the promised one. */
async function moveDelivery(page, visit) {
  const pledge = await visit({ ...phone, bypassCSP: true });
  await openPledge(pledge, 'salt@example.com');
  await pledge.getByText('Delivery March 2027', { exact: true }).waitFor();
  const at = 'tiers[0].estimated_delivery';
  await publishFields(page, 'salt-road', { [at]: '2027-05' }, { [at]: '2027-03' }, 'The road is flooded.');
  await openPledge(pledge, 'salt@example.com');
  await pledge.getByText('Delivery May 2027 (when you pledged: March 2027)', { exact: true }).waitFor();
  await expectUsable(pledge);
  await pledge.goto(`${base}/es/manage/`);
  await pledge.getByText('Entrega en mayo de 2027 (cuando aportaste: marzo de 2027)', { exact: true }).waitFor();
  const operator = await openDashboard(visit, 'en');
  await openScreen(operator, 'supporters?campaign=salt-road');
  await operator
    .locator('main.content tbody')
    .getByRole('link', { name: /salt@example\.com/ })
    .click();
  await operator.locator('aside.panel').getByText('Promised for March 2027, now estimated for May 2027').waitFor();
  await expectUsable(operator);
}

/** Creates a campaign as a copy of another one, and archives it. */
async function archive(visit) {
  const page = await openDashboard(visit, 'en');
  await openScreen(page, 'campaigns');
  await page.getByRole('button', { name: 'More actions for Slow Weather' }).click();
  await page.getByRole('button', { name: 'Duplicate…' }).click();
  await page.getByLabel('Title').fill('Slow Weather');
  await page.locator('dialog').getByRole('button', { name: 'Create campaign' }).click();
  await page.locator('dialog [role=alert]').waitFor(); // the title is taken
  await page.locator('dialog').getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'New campaign' }).click();
  await page.getByLabel('Title').fill('طقس سريع');
  await page.getByLabel('Page address').fill('fast-weather'); // no slug can be derived from the title
  await page.getByRole('radio', { name: 'A copy' }).check();
  await page.getByLabel('Copy of').selectOption('Slow Weather');
  await expectUsable(page);
  await page.locator('dialog').getByRole('button', { name: 'Create campaign' }).click();
  await page.getByRole('heading', { name: 'Launch طقس سريع', level: 1 }).waitFor();
  const steps = page.locator('.steps > li');
  assert.ok(await steps.filter({ has: page.locator('.tick.ok') }).count(), 'nothing was copied');
  await page.getByRole('group', { name: 'طقس سريع' }).locator('.switch-camp img').waitFor();
  await page.getByRole('button', { name: 'More actions for طقس سريع' }).click();
  await page.getByRole('button', { name: 'Archive…' }).click();
  await expectUsable(page);
  await page.locator('dialog').getByRole('button', { name: 'Archive campaign' }).click();
  await page.getByText('طقس سريع is archived. 1 file was moved.').waitFor();
  await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor();
  await page.locator('tbody tr').filter({ hasText: 'طقس سريع' }).getByText('Archived').waitFor();
  await expectUsable(page);
  await page.getByLabel('Search campaigns').fill('tide');
  await page
    .getByRole('link', { name: /Tidepool Traders/ })
    .first()
    .waitFor();
  await page.getByLabel('Search campaigns').fill('xyzzy');
  await page.getByText('No match for “xyzzy”.').waitFor();
}

/** The command palette opens a campaign and moves the focus to its heading. */
async function palette(visit) {
  const page = await openDashboard(visit, 'en');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('night');
  await expectUsable(page);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Night Ferry', level: 1 }).waitFor();
  await page.waitForFunction(() => document.activeElement?.tagName === 'H1');
}

/** All screens of a small phone in Spanish. */
async function small(visit) {
  const page = await openDashboard(visit, 'es', { ...phone, viewport: { width: 320, height: 700 } });
  for (const place of ['home', 'campaigns', 'campaigns/night-ferry', 'campaigns/slow-weather']) {
    await openScreen(page, place, 'es');
    await page.locator('main.content h1').first().waitFor();
    await page.waitForFunction(() => !document.querySelector('main.content [aria-busy=true]'));
    await expectUsable(page);
    if (place === 'home') await page.getByText('Cortometraje', { exact: true }).waitFor();
  }
}

export default {
  tasks,
  'states, en, desktop': states(
    'en',
    {},
    {
      caughtUp: 'You are all caught up.',
      none: 'No campaigns yet',
      create: 'New campaign',
      failed: 'Your campaigns could not be loaded',
      again: 'Try again',
    },
  ),
  'states, es, phone': states('es', phone, {
    caughtUp: 'Todo al día.',
    none: 'Aún no hay campañas',
    create: 'Nueva campaña',
    failed: 'No se pudieron cargar tus campañas',
    again: 'Reintentar',
  }),
  overview,
  launch,
  archive,
  palette,
  small,
};
