// The editor: drafts, errors, review, conflicts, history, pictures and videos, and the platform's
// settings.
import assert from 'node:assert/strict';
import { phone } from './actions.mjs';
import { expectNoPersonalData, expectUsable, openDashboard, openScreen, publish, waitForPage } from './dashboard.mjs';

const field = (page, label) => page.getByLabel(label, { exact: true });
const saveBar = (page) => page.getByRole('region', { name: 'Draft' });
const review = (page) => page.getByRole('button', { name: 'Review and publish' });

/** Returns a description of the element that has the focus. */
const focused = (page) => page.evaluate(() => `${document.activeElement.tagName} ${document.activeElement.id}`);

async function openSettings(page, slug = 'slow-weather', section = 'settings') {
  await openScreen(page, `campaigns/${slug}/${section}`);
  await page.getByRole('navigation', { name: 'Sections' }).waitFor();
}

/** A draft survives a reload, is reviewed in words, published, shown everywhere, and undone from the history. */
// Proves AAU-35, AAU-36, CON-11.
async function draft(visit) {
  const page = await openDashboard(visit, 'en');
  await openSettings(page);
  await expectUsable(page);
  const sent = [];
  page.on('request', (r) => r.method() !== 'GET' && !r.url().endsWith('/content/page') && sent.push(r.url()));
  await field(page, 'Summary').fill('A film about rain that takes its time.');
  await saveBar(page)
    .getByText(/^1 unpublished change · Saved in your draft, /)
    .waitFor();
  await page.reload();
  await saveBar(page).getByText('1 unpublished change').waitFor();
  assert.equal(await field(page, 'Summary').inputValue(), 'A film about rain that takes its time.', 'input was lost');
  assert.deepEqual(sent, [], 'a draft is sent to the server');

  await field(page, 'Title').fill('Slow Weather, a film');
  await review(page).click();
  const dialog = page.getByRole('dialog', { name: 'Review and publish' });
  await dialog.getByText('2 changes in 1 section').waitFor();
  const [title, summary] = [dialog.locator('.ch').nth(0), dialog.locator('.ch').nth(1)];
  assert.equal(await title.locator('b').first().innerText(), 'Title');
  assert.equal(await title.locator('del').innerText(), 'Slow Weather');
  assert.equal(await title.locator('ins').innerText(), 'Slow Weather, a film');
  assert.equal(await summary.locator('b').first().innerText(), 'Summary');
  assert.doesNotMatch(await dialog.innerText(), /short_blurb|_/, 'the review shows a key of the file');
  await expectUsable(page);
  await dialog.getByRole('button', { name: 'Publish 2 changes' }).click();
  await page.getByText('2 changes published. They are public within a minute.').waitFor();
  await page.waitForFunction(() => document.activeElement?.tagName === 'H1'); // the focus is not lost
  await saveBar(page).waitFor({ state: 'detached' });
  await page.getByRole('navigation', { name: 'Main' }).getByText('Slow Weather, a film').first().waitFor(); // without a reload
  await waitForPage('/campaigns/slow-weather/', /A film about rain that takes its time\./);

  await page.getByRole('button', { name: 'History' }).click();
  const history = page.getByRole('dialog', { name: 'History' });
  await history.getByText('Slow Weather, a film').waitFor();
  await expectUsable(page);
  await history
    .getByRole('button', { name: /^Undo this change/ })
    .first()
    .click();
  await page
    .getByRole('dialog', { name: 'Undo this change?' })
    .getByRole('button', { name: 'Undo this change' })
    .click();
  await page.getByText('Change undone.').waitFor();
  await page.waitForFunction(() => document.querySelector('#field-title')?.value === 'Slow Weather');
  await expectNoPersonalData(page);
}

/** Errors appear when a field loses the focus, and in the save bar and the review, which link to the field. */
async function errors(visit) {
  const page = await openDashboard(visit, 'en');
  await openSettings(page);
  const goal = field(page, 'Funding goal');
  await goal.fill('lots');
  assert.equal(await page.getByText('Enter an amount in dollars').count(), 0, 'an error while the user types');
  await goal.blur();
  await page.getByText('Enter an amount in dollars, such as 25 or 25.50.').waitFor();
  await goal.fill('0');
  await page.getByText('Enter a goal above $0.').waitFor(); // after an error, the field is checked with each key press
  await goal.fill('2500000');
  await page.getByText('Enter a goal above $0.').waitFor({ state: 'detached' });
  assert.equal(await goal.getAttribute('aria-invalid'), null, 'a goal of $2.5 million is refused');
  await goal.fill('0');
  await page.getByText('Enter a goal above $0.').waitFor();
  const ends = field(page, 'Ends');
  await ends.fill('Feb 30');
  await ends.blur();
  await page.getByText('Enter a date that exists, such as Dec 8 or Dec 8, 11:59 PM.').waitFor();
  await ends.fill('Nov 2, 2020, 6pm');
  await ends.blur();
  await page.getByText('The end must be after the start.').waitFor();
  const days = field(page, 'Retry on days');
  await days.fill('2, 70');
  await days.press('Enter');
  await days.blur();
  await page.locator('.tag.bad').filter({ hasText: 'Day 70' }).waitFor();
  const long = 'x'.repeat(300);
  await field(page, 'Summary').fill(long);
  await field(page, 'Summary').blur();
  await page.getByText('Use at most 200 characters. These are 300.').waitFor();
  assert.equal(await field(page, 'Summary').inputValue(), long, 'a pasted text was cut off');
  await saveBar(page).getByText('4 errors to fix before you can publish').waitFor();
  await expectUsable(page);
  await page.getByRole('button', { name: 'Go to error' }).click();
  assert.equal(await focused(page), 'TEXTAREA field-short_blurb');

  await review(page).click();
  const dialog = page.getByRole('dialog', { name: 'Review and publish' });
  await dialog.getByText(/^Fix \d errors? before publishing$/).waitFor();
  assert.equal(
    await dialog.getByRole('button', { name: /^Publish/ }).getAttribute('aria-disabled'),
    'true',
    'a draft with errors can be published',
  );
  assert.doesNotMatch(await dialog.innerText(), /goal_|short_|recovery\.|_date/, 'the review shows a path of the file');
  await expectUsable(page);
  await dialog.getByRole('button', { name: 'Go to Summary' }).click();
  await page.waitForFunction(() => document.activeElement?.id === 'field-short_blurb');
  await field(page, 'Summary').fill('Rain.');

  await openSettings(page, 'slow-weather', 'content');
  await page.getByRole('textbox', { name: 'Risks' }).fill('The weather may be quick.');
  await page.getByRole('button', { name: 'Discard', exact: true }).click();
  const discard = page.getByRole('dialog', { name: /^Discard 1 change/ });
  assert.equal(await discard.getByRole('checkbox', { name: /^Content/ }).isChecked(), true);
  assert.equal(await discard.getByRole('checkbox', { name: /^Settings/ }).isChecked(), false);
  await expectUsable(page);
  await discard.getByRole('checkbox', { name: /^Settings/ }).check();
  await page.getByRole('button', { name: 'Discard 5 changes' }).click();
  await saveBar(page).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await saveBar(page).getByText('3 errors to fix before you can publish').waitFor();
  assert.equal(await page.getByRole('textbox', { name: 'Risks' }).inputValue(), 'The weather may be quick.');
  await page.getByRole('button', { name: 'Discard', exact: true }).click();
  await page.getByRole('checkbox', { name: /^Settings/ }).check();
  await page.getByRole('button', { name: 'Discard 5 changes' }).click();
  await saveBar(page).waitFor({ state: 'detached' });
}

/** Two operators change the same field: the second one compares both versions and chooses one. */
// Proves AAU-37.
async function conflict(visit) {
  const page = await openDashboard(visit, 'en');
  const late = await openDashboard(visit, 'en');
  const dialog = late.getByRole('dialog', { name: '1 field was changed by someone else' });
  for (const [text, choice, answer, expected] of [
    ['Rain, first version.', 'Published version', 'Use the published version', 'Rain, first version.'],
    ['Rain, second version.', 'Your draft', 'Keep my version', 'My own words.'],
  ]) {
    await openSettings(page, 'paper-boat');
    await openSettings(late, 'paper-boat');
    await late.getByLabel('Summary').fill('My own words.');
    await field(late, 'Title').fill('Paper Boat, a game');
    await page.getByLabel('Summary').fill(text);
    await publish(page);
    await review(late).click();
    await dialog.waitFor();
    assert.equal(
      await late.evaluate(() => document.querySelector('dialog[open]').contains(document.activeElement)),
      true,
      'the dialog does not have the focus',
    );
    await dialog.getByText('1 other change does not conflict and stays in your draft.').waitFor();
    assert.doesNotMatch(await dialog.innerText(), /short_blurb/, 'the dialog shows a key of the file');
    await expectUsable(late);
    await dialog.getByRole('radio', { name: choice }).check();
    await dialog.getByRole('button', { name: answer }).click();
    await late.getByText('1 field updated in your draft').waitFor();
    assert.equal(await late.getByLabel('Summary').inputValue(), expected);
    assert.equal(await field(late, 'Title').inputValue(), 'Paper Boat, a game', 'another change was lost');
    await review(late).click();
    await late.getByRole('dialog', { name: 'Review and publish' }).waitFor(); // the conflict is resolved
    await late.keyboard.press('Escape');
    await late.getByRole('button', { name: 'Discard', exact: true }).click();
    await late
      .getByRole('dialog')
      .getByRole('button', { name: /^Discard \d/ })
      .click();
    await saveBar(late).waitFor({ state: 'detached' });
    assert.equal(await late.getByLabel('Summary').inputValue(), text, 'the other version is not shown');
  }
}

/** Changing a goal that supporters rely on requires a reason, and the review counts the affected supporters. */
async function reason(visit) {
  const page = await openDashboard(visit, 'en');
  await openSettings(page, 'tidepool-traders');
  await field(page, 'Funding goal').fill('950');
  await review(page).click();
  const dialog = page.getByRole('dialog', { name: 'Review and publish' });
  await dialog.getByText(/^\d+ supporters pledged under the old goal\./).waitFor();
  await dialog.getByText(/^Required\. \d+ supporters can read it\.$/).waitFor();
  await dialog.getByRole('button', { name: 'Publish 1 change' }).click();
  await dialog.getByText('Give a reason.').waitFor();
  await expectUsable(page);
  await dialog.getByLabel('Reason for the change').fill('The printer raised its price.');
  await dialog.getByRole('button', { name: 'Publish 1 change' }).click();
  await page.getByText('1 change published.').waitFor();
}

/** Using the controls by keyboard: a calendar, a country list, a color picker, and read-only fields. */
async function controls(visit) {
  const page = await openDashboard(visit, 'en');
  await openSettings(page, 'night-ferry');
  assert.equal(await field(page, 'Page address').getAttribute('readonly'), '');
  await page.getByText('Fixed when the campaign is created, so that links keep working.').waitFor();
  assert.equal(await field(page, 'Starts').getAttribute('readonly'), '');
  await field(page, 'Funding goal').fill('13500.5');
  await field(page, 'Funding goal').blur();
  assert.equal(await field(page, 'Funding goal').inputValue(), '13,500.50');
  await page.getByText(/supporters pledged under the old value\. Publishing asks you for a reason/).waitFor();

  await page.getByRole('button', { name: 'Open the calendar for Ends' }).press('Enter');
  await page.getByRole('grid').waitFor();
  await expectUsable(page);
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  await page.getByRole('grid').waitFor({ state: 'detached' });
  assert.equal(await field(page, 'Ends').inputValue(), 'Dec 19, 2026, 11:59 PM');
  await field(page, 'Ends').fill('dec 20 6pm');
  await field(page, 'Ends').blur();
  assert.equal(await field(page, 'Ends').inputValue(), 'Dec 20, 2026, 6:00 PM');

  const ships = page.getByRole('combobox', { name: 'Ships to' });
  await ships.fill('germ');
  await page.getByRole('option', { name: /Germany/ }).waitFor();
  await expectUsable(page);
  await page.locator('[role=option][data-highlighted]').filter({ hasText: 'Germany' }).waitFor();
  await ships.press('Enter');
  await page.getByRole('button', { name: 'Remove Germany' }).waitFor();
  await page.keyboard.press('Escape');
  const days = field(page, 'Retry on days');
  await days.fill('5');
  await days.press('Enter');
  await review(page).click();
  const dialog = page.getByRole('dialog', { name: 'Review and publish' });
  const changed = (label) => dialog.locator('.ch').filter({ has: page.getByText(label, { exact: true }) });
  await changed('Ships to').locator('ins').getByText('Germany').waitFor();
  await changed('Retry on days').locator('ins').getByText('5 days').waitFor();
  assert.doesNotMatch(await dialog.innerText(), /\bDE\b|Attempts|Cleared/);
  await expectUsable(page);
  await dialog.getByRole('button', { name: 'Keep editing' }).click();

  await page.setViewportSize({ width: 320, height: 700 });
  await expectUsable(page);
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.getByRole('button', { name: 'Discard', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Discard 4 changes' }).click();

  await openScreen(page, 'settings/design');
  await page.getByRole('button', { name: 'Pick Secondary text' }).click();
  await expectUsable(page);
  await page.keyboard.press('Escape');
  await field(page, 'Secondary text').fill('#8b90a6');
  await page.getByText('3.1 : 1 on white. Hard to read; aim for 4.5 : 1.').waitFor();
  await page.getByRole('button', { name: /^Use #/ }).click();
  await page.getByText(/^4\.\d : 1 on white$/).waitFor();
  await page.getByRole('button', { name: 'Discard', exact: true }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Discard/ })
    .click();
}

const settingSections = [
  'Platform',
  'Brand and SEO',
  'Checkout',
  'Pricing',
  'Tax',
  'Shipping',
  'Campaign runner reports',
  'Design',
  'Users',
  'Admin sessions',
  'Audit log',
  'Plan usage',
  'Advanced performance',
  'Debug',
  'Secrets and credentials',
  'Runtime diagnostics',
];

/** The settings have their sections in the specified order, typed controls, and a search. */
// Proves STG-01.
async function settings(visit) {
  const page = await openDashboard(visit, 'en');
  await openScreen(page, 'settings');
  const list = page.getByRole('navigation', { name: 'Settings' });
  await list.getByRole('link', { name: 'Platform' }).waitFor();
  assert.deepEqual(await list.getByRole('link').allInnerTexts(), settingSections);
  await expectUsable(page);
  const zone = page.getByRole('combobox', { name: 'Time zone' });
  await zone.click();
  await zone.fill('lisbon');
  await page.locator('[role=option][data-highlighted]').filter({ hasText: 'Lisbon' }).waitFor();
  await zone.press('Enter');
  await page.waitForFunction((input) => input.value === 'Europe / Lisbon', await zone.elementHandle());
  await page.getByText(/^Now \d+:\d\d [AP]M there\.$/).waitFor();

  await page.getByRole('searchbox', { name: 'Search settings' }).fill('tax rate');
  await page
    .getByRole('navigation', { name: 'Matching settings' })
    .getByRole('link', { name: /^Tax rate/ })
    .click();
  await page.waitForFunction(() => document.activeElement?.id === 'field-pricing-sales_tax_rate');
  await field(page, 'Tax rate').fill('7.5');
  await page.getByText('A $60 reward is taxed $4.50.').waitFor();
  await expectUsable(page);
  await review(page).click();
  await page.getByRole('dialog').getByText('2 changes in 2 sections').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Discard', exact: true }).click();
  await page.getByRole('checkbox', { name: /^Platform/ }).check();
  await page.getByRole('dialog').getByRole('button', { name: 'Discard 2 changes' }).click();
  await saveBar(page).waitFor({ state: 'detached' });

  await openScreen(page, 'settings/shipping');
  const removeCountry = (name) => page.getByRole('button', { name: `Remove ${name}`, exact: true });
  for (const name of ['Cuba', 'Iran', 'North Korea', 'Syria']) await removeCountry(name).click(); // the default list
  await removeCountry('Syria').waitFor({ state: 'detached' });
  await review(page).click();
  await page.getByRole('dialog').getByText('Countries excluded from shipping').waitFor();
  await page.getByRole('dialog').getByText('None', { exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Discard', exact: true }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Discard/ })
    .click();
  await saveBar(page).waitFor({ state: 'detached' });
  await removeCountry('Syria').waitFor();

  const small = await openDashboard(visit, 'es', phone);
  await openScreen(small, 'settings/pricing', 'es');
  await small.getByLabel('Propina sugerida').waitFor();
  await expectUsable(small);
  await openScreen(small, 'campaigns/slow-weather/settings', 'es');
  await small.getByLabel('Resumen', { exact: true }).waitFor();
  await expectUsable(small);
}

/** The preview beside the form shows the draft, runs no scripts, and keeps its scroll position. */
async function livePreview(visit) {
  const page = await openDashboard(visit, 'en');
  await page.setViewportSize({ width: 1440, height: 900 });
  await openSettings(page, 'slow-weather', 'content');
  const shown = page.frameLocator('.page-frame iframe');
  await shown.getByRole('heading', { level: 1 }).waitFor();
  assert.equal(
    await page.locator('.page-frame iframe').getAttribute('sandbox'),
    'allow-same-origin',
    'scripts may run in the preview',
  );
  await page.evaluate(() => document.querySelector('.page-frame iframe').contentWindow.scrollTo(0, 400));
  await page.getByRole('textbox', { name: 'Risks' }).fill('The weather may be quick.');
  await shown.getByText('The weather may be quick.').waitFor();
  assert.equal(
    await page.evaluate(() => document.querySelector('.page-frame iframe').contentWindow.scrollY),
    400,
    'the scroll position was lost',
  );
  await page.getByRole('button', { name: 'Desktop' }).click();
  await expectUsable(page);
  await page.getByRole('button', { name: 'Hide preview' }).click();
  await page.locator('.page-frame').waitFor({ state: 'detached' });
  await page.setViewportSize({ width: 1200, height: 900 });
  await page.getByRole('button', { name: 'Preview', exact: true }).click();
  await page.getByRole('dialog').locator('iframe').waitFor();
  await expectUsable(page);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Discard', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Discard 1 change' }).click();
}

/** Returns the field of a picture or video by its label. */
const mediaField = (page, label) =>
  page.locator('.field').filter({ has: page.locator('.label', { hasText: new RegExp(`^${label}$`) }) });

/** An uploaded picture is scaled down, renamed, cropped, published, and deleted once it is unused. */
async function images(visit) {
  const page = await openDashboard(visit, 'en');
  await openSettings(page, 'slow-weather', 'content');
  const picture = mediaField(page, 'Picture').first();
  const was = await picture.locator('.file-name').innerText();
  const large = await page.evaluate(async () => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 4000, height: 1000 });
    canvas.getContext('2d').fillRect(0, 0, 2000, 1000);
    const picture = await new Promise((done) => canvas.toBlob(done, 'image/jpeg'));
    return [...new Uint8Array(await picture.arrayBuffer())];
  });
  const file = { name: 'Lluvia de ABRIL (1).JPG', mimeType: 'image/jpeg', buffer: Buffer.from(large) };
  await picture.locator('input[type=file]').setInputFiles(file);
  await picture.getByText('lluvia-de-abril-1.jpg').waitFor();
  await picture.getByText(/^2560 × 640/).waitFor();
  await picture.locator('input[type=file]').setInputFiles(file);
  await picture.getByText('There is a file named lluvia-de-abril-1.jpg already.').waitFor();
  await expectUsable(page);
  await picture.getByRole('button', { name: 'Keep both' }).click();
  await picture.getByText('lluvia-de-abril-1-2.jpg').waitFor();
  await picture
    .locator('input[type=file]')
    .setInputFiles({ name: 'rain.jpg', mimeType: 'image/jpeg', buffer: Buffer.from('<svg onload="x">') });
  await picture.getByText(/its content must match its name/).waitFor();
  await page.reload();
  await page.waitForFunction(
    () =>
      [...document.querySelectorAll('.fileimg img')].some((i) => i.src.startsWith('data:') && i.naturalWidth === 2560),
    null,
    { polling: 200 },
  );

  await picture.getByRole('button', { name: 'Crop' }).click();
  const crop = page.getByRole('dialog', { name: 'Crop picture' });
  await crop.getByRole('button', { name: 'Square' }).click();
  await crop.getByLabel('Width').waitFor();
  assert.deepEqual(
    [await crop.getByLabel('Width').inputValue(), await crop.getByLabel('Height').inputValue()],
    ['640', '640'],
  );
  await expectUsable(page);
  await crop.getByRole('button', { name: 'Crop and upload' }).click();
  await picture.getByText('lluvia-de-abril-1-2-crop.jpg').waitFor();
  await picture.getByText(/^640 × 640/).waitFor();

  await picture.getByRole('button', { name: 'Choose from library' }).click();
  const library = page.getByRole('dialog', { name: 'Choose from library' });
  await library.getByRole('button', { name: 'lluvia-de-abril-1-2.jpg' }).click();
  await publish(page);
  await waitForPage('/campaigns/slow-weather/', /-1600\.jpg/);
  await picture.getByRole('button', { name: 'Choose from library' }).click();
  await library
    .locator('li')
    .filter({ hasText: 'lluvia-de-abril-1.jpg' })
    .getByRole('button', { name: 'Delete' })
    .click();
  await library.getByText('lluvia-de-abril-1.jpg', { exact: true }).waitFor({ state: 'detached' });
  await library.locator('li').filter({ hasText: 'lluvia-de-abril-1-2.jpg' }).getByText('used in 1 place').waitFor();
  await expectUsable(page);
  await library.getByRole('button', { name: was }).click();
  await publish(page);
  await picture.getByRole('button', { name: 'Choose from library' }).click();
  await library.getByText('lluvia-de-abril-1-2.jpg').waitFor({ state: 'detached' });
}

const box = (name, ...bodies) => {
  const body = Buffer.concat(bodies.map((b) => Buffer.from(b, 'latin1')));
  const head = Buffer.alloc(8);
  head.writeUInt32BE(body.length + 8);
  head.write(name, 4, 'latin1');
  return Buffer.concat([head, body]);
};

/** A video is uploaded directly to the bucket, and its URL is in the form and on the published page. */
async function videos(visit) {
  const page = await openDashboard(visit, 'en');
  await openSettings(page, 'slow-weather', 'content');
  const video = mediaField(page, 'Video');
  const input = field(page, 'Video');
  const was = await input.inputValue();
  const track = box('trak', box('mdia', box('hdlr', '\0\0\0\0mhlrvide')));
  const film = Buffer.concat([
    box('ftyp', 'isom\0\0\0\0isom'),
    box('mdat', 'frames'),
    box('moov', track),
    box('udta', '+48.20+016.37/'),
  ]);
  const sent = [];
  page.on('request', (r) => {
    const path = new URL(r.url()).pathname;
    if (['PUT', 'POST'].includes(r.method()) && path !== '/admin/content/page') sent.push(`${r.method()} ${path}`);
  });
  await video.locator('input[type=file]').setInputFiles({ name: 'Trailer.mp4', mimeType: 'video/mp4', buffer: film });
  await page.waitForFunction(() =>
    /^http:.*\/films\/assets\/videos\/campaigns\/slow-weather\/trailer-[0-9a-f]{8}\.mp4$/.test(
      document.querySelector('#field-hero_video')?.value,
    ),
  );
  assert.match(
    sent.join(', '),
    /^POST \/admin\/media\/grant, PUT \/films\/incoming\/[0-9a-f]{64}\.mp4, POST \/admin\/media\/take$/,
  );
  const address = await input.inputValue();
  await video
    .locator('input[type=file]')
    .setInputFiles({ name: 'trailer.mp4', mimeType: 'video/mp4', buffer: Buffer.from('<html>') });
  await video.getByText(/its content must match its name/).waitFor();
  assert.equal(await input.inputValue(), address);
  let answer;
  const read = new Promise((go) => {
    answer = go;
  });
  await page.route(/\/admin\/content\?/, async (r) => {
    await read;
    await r.continue();
  });
  await review(page).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Publish/ })
    .click();
  await page.waitForFunction(
    async (film) => (await (await fetch('/campaigns/slow-weather/')).text()).includes(film),
    address,
    { polling: 200 },
  );
  await page.getByRole('dialog').waitFor({ state: 'detached' });
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

export default { draft, errors, conflict, reason, controls, settings, livePreview, images, videos };
