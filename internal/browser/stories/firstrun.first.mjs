// A new user goes from the setup link to a launched campaign with a pledge, on a server that
// `pledged init` and `pledged serve` started.
import assert from 'node:assert/strict';
import { base, homeAddress, makePledge } from './actions.mjs';
import { publish as clickToPublish, expectUsable } from './dashboard.mjs';
import { choose, enter, expectFocus, expectFocusOn, longestWay, write } from './keyboard.mjs';

/** Returns a day relative to today as the dashboard writes it, such as Dec 8, 2026. */
const day = (offset) =>
  new Date(Date.now() + offset * 86_400_000).toLocaleDateString('en-US', {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    timeZone: 'America/Denver',
  });

/** Draws a picture and returns its bytes. */
async function drawPicture(page) {
  const bytes = await page.evaluate(async () => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 1600, height: 900 });
    canvas.getContext('2d').fillRect(0, 0, 800, 450);
    const blob = await new Promise((done) => canvas.toBlob(done, 'image/jpeg'));
    return [...new Uint8Array(await blob.arrayBuffer())];
  });
  return { name: 'Lanterns.jpg', mimeType: 'image/jpeg', buffer: Buffer.from(bytes) };
}

/** Publishes the draft, and returns to the launch page by the link above the heading. */
async function publish(page) {
  await enter(page, 'Review and publish');
  const dialog = page.getByRole('dialog', { name: 'Review and publish' });
  await dialog.getByRole('button', { name: /^Publish \d/ }).waitFor();
  await enter(page, /^Publish \d+ changes?$/);
  await page.getByText(/changes? published\. /).waitFor();
  await page.waitForFunction(() => document.activeElement?.tagName === 'H1');
  await enter(page, 'River Lights', { back: true });
  await page.getByRole('heading', { name: 'Launch River Lights', level: 1 }).waitFor();
  await expectFocusOn(page, 'Launch River Lights');
}

/** Opens the server's setup link and becomes the first super admin. */
async function setUp(page) {
  await page.goto(process.env.SETUP);
  await expectFocusOn(page, 'Your name');
  await page.keyboard.type('Ada Quiroga');
  await write(page, 'Email', 'ada@example.com');
  await enter(page, 'Set up and sign in');
  await page.getByRole('heading', { name: /^Good (morning|afternoon|evening)$/, level: 1 }).waitFor();
  await expectFocusOn(page, /^Good (morning|afternoon|evening)$/);
}

/** Fills in the campaign, in the order of the launch page's steps. */
async function prepareCampaign(page) {
  await enter(page, 'New campaign');
  await expectFocusOn(page, 'Title');
  await page.keyboard.type('River Lights');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Launch River Lights', level: 1 }).waitFor();
  await expectFocusOn(page, 'Launch River Lights');

  await enter(page, /^Set goal: /);
  await expectFocusOn(page, 'Funding goal');
  await page.keyboard.type('600');
  await write(page, 'Starts', day(-1));
  await write(page, 'Ends', day(30));
  await write(page, 'Summary', 'Lanterns on the water.', { back: true });
  await page.keyboard.press('Control+s');
  await page.getByRole('dialog', { name: 'Review and publish' }).waitFor();
  await page.keyboard.press('Escape');
  await expectFocusOn(page, 'Summary');
  await publish(page);

  const chooser = page.waitForEvent('filechooser'); // before the key press, because Playwright needs a moment
  await enter(page, /^Add picture: /);
  await expectFocusOn(page, /^Choose a file/);
  await page.keyboard.press('Enter');
  await (await chooser).setFiles(await drawPicture(page));
  await page.getByLabel('Alt text').waitFor();
  await expectFocus(page);
  await write(page, 'Alt text', 'Paper lanterns on a dark river');
  await enter(page, /^Write here/);
  await page.locator('.ProseMirror-focused').waitFor();
  await page.keyboard.type('Three hundred lanterns float from the bridge to the mill.');
  await page.keyboard.press('Tab');
  await expectFocus(page);
  await write(page, 'Creator', 'Ada Quiroga');
  await publish(page);
}

const panel = (page) => page.locator('aside.panel');

async function addReward(page, name, price, rest = () => undefined) {
  await expectFocusOn(page, 'Name');
  await write(page, 'Name', name);
  await write(page, 'Price', price);
  await rest();
  await enter(page, 'Done');
  await panel(page).waitFor({ state: 'detached' });
  await expectFocusOn(page, name);
}

async function addRewards(page) {
  await enter(page, /^Add rewards: /);
  await page.getByRole('heading', { name: 'Add your first tier' }).waitFor();
  await expectFocusOn(page, 'Tiers');
  await enter(page, /^Physical copy/);
  await addReward(page, 'A paper lantern', '40', () => choose(page, 'Parcel', 'Sticker'));
  await enter(page, 'Add tier', { back: true });
  await addReward(page, 'The film', '15');
  await enter(page, 'Add tier', { back: true });
  await addReward(page, 'Light the first lantern', '200', () => write(page, 'Limit', '3'));
  await publish(page);
}

async function launch(page) {
  await page.getByText('Everything is ready.').waitFor();
  await enter(page, 'Launch campaign…');
  const dialog = page.getByRole('dialog', { name: 'Launch “River Lights”?' });
  for (const text of ['$600', 'A paper lantern ($40), The film ($15), Light the first lantern ($200)'])
    await dialog.getByText(text).waitFor();
  await enter(page, 'Launch campaign');
  await page.getByText('River Lights is launched.').waitFor();
  await page.getByText('The first pledge starts this chart').waitFor();
  await expectFocusOn(page, 'River Lights');
}

/** Pledges to the campaign on its public page. */
async function pledge(page) {
  await enter(page, /^Add to cart ?: A paper lantern$/);
  await enter(page, /^Go to cart|^Cart/);
  await page.getByRole('button', { name: 'Continue to card' }).waitFor();
  await write(page, /^Email/, 'maya@example.com');
  await choose(page, 'Country', 'United States');
  for (const [label, value] of [
    ['Name', homeAddress.name],
    ['Street address', homeAddress.line1],
    ['City', homeAddress.city],
    ['State', 'New Mexico'],
    ['ZIP code', homeAddress.postalCode],
  ])
    await write(page, label, value);
  await enter(page, 'Continue to card');
  await expectFocusOn(page, /^4242424242424242/);
  await enter(page, 'Save card and pledge');
  await page.waitForURL('**/pledge-success/');
  await page.getByRole('heading', { name: 'Thank you' }).waitFor();
}

async function keyboard(visit) {
  const page = await visit();
  await setUp(page);
  await prepareCampaign(page);
  await addRewards(page);
  await launch(page);

  const opened = page.context().waitForEvent('page');
  await enter(page, 'View page');
  const address = (await opened).url();
  const supporter = await visit();
  await supporter.goto(address);
  await supporter.locator('progress').first().waitFor();
  await pledge(supporter);

  await page.reload();
  await page.getByText('1 pledge').first().waitFor();
  await page.getByText('A paper lantern').first().waitFor();
  return `dashboard ${longestWay(page)}; site ${longestWay(supporter)}`;
}

/** Publishes the draft by mouse, and returns to the launch page. */
async function clickPublish(page) {
  await clickToPublish(page);
  await page.getByRole('main').getByRole('link', { name: 'River Lights' }).click();
  await page.getByRole('heading', { name: 'Launch River Lights', level: 1 }).waitFor();
}

/** The same by mouse, with one reward, and the pledge's mail. */
async function mouse(visit) {
  const page = await visit({ bypassCSP: true });
  await page.goto(`${base}/admin/`);
  await page.getByText('No one can sign in yet. Open the setup link that the server printed').waitFor();
  await expectUsable(page);
  await page.goto(process.env.SETUP); // in the same tab, where only the fragment changes
  await page.getByRole('button', { name: 'Set up and sign in' }).waitFor();
  await expectUsable(page);
  await page.getByLabel('Your name').fill('Ada Quiroga');
  await page.getByLabel('Email').fill('ada@example.com');
  await page.getByRole('button', { name: 'Set up and sign in' }).click();
  await page.getByRole('button', { name: 'New campaign' }).first().click();
  await page.getByLabel('Title').fill('River Lights');
  await page.getByRole('button', { name: 'Create campaign' }).click();
  await page.getByRole('link', { name: /^Set goal: / }).click();
  await page.getByLabel('Funding goal').fill('600');
  await page.getByRole('button', { name: 'Open the calendar for Ends' }).click();
  await page.getByRole('button', { name: 'Next month' }).click();
  await page.getByRole('grid').getByText('20', { exact: true }).click();
  await page.keyboard.press('Escape');
  await page.getByLabel('Summary').fill('Lanterns on the water.');
  await clickPublish(page);

  await page.getByRole('link', { name: /^Add picture: / }).click();
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Choose a file' }).first().click();
  await (await chooser).setFiles(await drawPicture(page));
  await page.getByLabel('Alt text').fill('Paper lanterns on a dark river');
  await page.getByRole('button', { name: /^Write here/ }).click();
  await page.locator('.ProseMirror-focused').waitFor();
  await page.keyboard.type('Three hundred lanterns float from the bridge to the mill.');
  await page.getByRole('textbox', { name: 'Creator', exact: true }).fill('Ada Quiroga');
  await clickPublish(page);

  await page.getByRole('link', { name: /^Add rewards: / }).click();
  await page.getByRole('button', { name: /^Digital copy/ }).click();
  await panel(page).getByRole('button', { name: 'Done' }).click();
  await clickPublish(page);
  await page.getByRole('button', { name: 'Launch campaign…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Launch campaign', exact: true }).click();
  await page.getByText('River Lights is launched.').waitFor();
  await page.locator('.phead').getByText('Live', { exact: true }).waitFor();
  const late = await visit();
  await late.goto(process.env.SETUP);
  await late.getByLabel('Your name').fill('Eve');
  await late.getByLabel('Email').fill('eve@example.com');
  await late.getByRole('button', { name: 'Set up and sign in' }).click();
  await late.getByText('This platform is already set up.').waitFor();

  await makePledge('maya@example.com', 'river-lights__digital-copy');
  await readMail(page);
  await late.goto(`${base}/test/mail`);
  await late.getByText('only super admins can read them').waitFor();
  assert.equal(await late.getByText('maya@example.com').count(), 0);
}

/** Reads the pledge's confirmation on the page that the server prints in test mode. */
async function readMail(page) {
  const row = page.getByRole('row').filter({ hasText: 'maya@example.com' });
  for (const until = Date.now() + 60_000; ; ) {
    await page.goto(`${base}/test/mail`);
    if (await row.count()) break;
    assert.ok(Date.now() < until, 'the confirmation is not sent');
    await new Promise((go) => setTimeout(go, 500));
  }
  await expectUsable(page);
  await row.getByRole('link').click();
  await page.frameLocator('iframe').getByText('River Lights').filter({ visible: true }).first().waitFor();
  await expectUsable(page);
}

export default { keyboard, mouse };
