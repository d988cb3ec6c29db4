// The lists of a campaign: rewards, add-ons with variants, goals, diary and decisions; and the block
// editor of texts.
import assert from 'node:assert/strict';
import { callAPI, linkFor, linkParameter, makePledge, phone } from './actions.mjs';
import { expectUsable, openDashboard, openScreen, publish, waitForPage } from './dashboard.mjs';

const panel = (page) => page.locator('aside.panel');
const list = (page, name) => page.getByRole('list', { name });
const items = (page, name) => list(page, name).locator('.open-entry').allInnerTexts();
const announced = (page, text) =>
  page.locator('[aria-live=assertive]').filter({ hasText: text }).first().waitFor({ state: 'attached' });
const focused = (page) => page.evaluate(() => document.activeElement?.ariaLabel ?? document.activeElement?.textContent);

async function openList(page, place, name) {
  await openScreen(page, place);
  await page.getByRole('heading', { name, level: 1, exact: true }).waitFor();
}

const openItem = async (page, name) => {
  await page.getByRole('button', { name, exact: true }).click();
  await panel(page).waitFor();
};

/** Returns the unpublished field values of the open campaign, by path. */
const draft = (page) =>
  page.evaluate(() =>
    Object.fromEntries(
      Object.keys(localStorage)
        .filter((k) => k.startsWith('draft '))
        .flatMap((k) => JSON.parse(localStorage.getItem(k)))
        .map((e) => [e.path, e.value]),
    ),
  );

/** Draws a picture and returns its bytes. */
async function drawPicture(page) {
  const bytes = await page.evaluate(async () => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 800, height: 600 });
    canvas.getContext('2d').fillRect(0, 0, 400, 300);
    const blob = await new Promise((done) => canvas.toBlob(done, 'image/jpeg'));
    return [...new Uint8Array(await blob.arrayBuffer())];
  });
  return Buffer.from(bytes);
}

/** A new operator sets up rewards with a picture and orders them by keyboard, in less than two minutes. */
async function firstTiers(visit) {
  const page = await openDashboard(visit, 'en');
  await openScreen(page, 'campaigns');
  await page.getByRole('button', { name: 'New campaign' }).first().click();
  await page.getByLabel('Title').fill('Paper Boats');
  await page.getByRole('button', { name: 'Create campaign' }).click();
  await page.getByRole('heading', { name: /Paper Boats/, level: 1 }).waitFor();
  const began = Date.now();
  await openList(page, 'campaigns/paper-boats/tiers', 'Tiers');
  await page.getByRole('heading', { name: 'Add your first tier' }).waitFor();
  await expectUsable(page);
  await page.getByRole('button', { name: /^Physical copy/ }).click();
  const name = panel(page).getByRole('textbox', { name: 'Name' });
  await page.waitForFunction(
    () => document.activeElement?.closest('.panel') && document.activeElement.tagName === 'INPUT',
  );
  await name.fill('Folded boat');
  await panel(page).getByLabel('Price').fill('40');
  await panel(page).getByLabel('Limit').fill('50');
  // The form is edited while the picture is being uploaded.
  let release;
  const edited = new Promise((go) => {
    release = go;
  });
  await page.route('**/admin/settings/image-upload**', async (r) => {
    await edited;
    await r.continue();
  });
  await panel(page)
    .locator('input[type=file]')
    .setInputFiles({ name: 'Boat.jpg', mimeType: 'image/jpeg', buffer: await drawPicture(page) });
  await panel(page).getByText('boat.jpg').waitFor();
  await panel(page).getByLabel('Parcel').selectOption({ label: 'Sticker or postcard, in an envelope' });
  await panel(page).getByText('Weights and measurements').waitFor({ state: 'detached' });
  release();
  await panel(page).getByRole('button', { name: 'Replace' }).waitFor();
  await panel(page).getByRole('button', { name: 'Digital', exact: true }).click();
  await panel(page).getByLabel('Parcel').waitFor({ state: 'detached' });
  await panel(page).getByRole('button', { name: 'Physical', exact: true }).click();
  assert.equal(await panel(page).getByLabel('Parcel').inputValue(), 'sticker', 'the parcel was lost');
  await expectUsable(page);
  await panel(page).getByRole('button', { name: 'Done' }).click();
  await page.waitForFunction(() => document.activeElement?.textContent === 'Folded boat'); // the focus is not lost

  for (const [title, amount] of [
    ['Instructions', '5'],
    ['A day at the lake', '200'],
  ]) {
    await page.getByRole('button', { name: 'Add tier' }).click();
    await panel(page).getByLabel('Name').fill(title);
    await panel(page).getByLabel('Price').fill(amount);
    await page.keyboard.press('Escape');
    await panel(page).waitFor({ state: 'detached' });
  }
  assert.deepEqual(await items(page, 'Tiers'), ['Folded boat', 'Instructions', 'A day at the lake']);

  const handle = page.getByRole('button', { name: 'Move A day at the lake. Use arrow keys' });
  await handle.focus();
  await page.keyboard.press('Space');
  await announced(page, 'A day at the lake, position 3 of 3. Up and down arrows move it');
  await page.keyboard.press('ArrowUp');
  await announced(page, 'A day at the lake, position 2 of 3.');
  await page.keyboard.press('ArrowUp');
  await announced(page, 'A day at the lake, position 1 of 3.');
  await page.getByText('Moving').waitFor();
  await page.keyboard.press('Escape');
  await announced(page, 'A day at the lake put back, position 3 of 3.');
  assert.deepEqual(await items(page, 'Tiers'), ['Folded boat', 'Instructions', 'A day at the lake']);
  assert.match(await focused(page), /^Move A day at the lake/);
  await page.keyboard.press('Space');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Space');
  await announced(page, 'A day at the lake dropped, position 2 of 3.');
  assert.match(await focused(page), /^Move A day at the lake/);
  await page.getByRole('button', { name: 'More actions for Instructions' }).click();
  await page.getByRole('button', { name: 'Move up' }).click();
  const order = ['Folded boat', 'Instructions', 'A day at the lake'];
  assert.deepEqual(await items(page, 'Tiers'), order);

  await publish(page);
  assert.ok(Date.now() - began < 120_000, 'it took more than two minutes');
  await page.reload();
  await page.getByRole('button', { name: 'Folded boat', exact: true }).waitFor();
  assert.deepEqual(await items(page, 'Tiers'), order);
  await page.getByText('0 of 50 claimed').waitFor();

  // A published reward keeps its ID when it is moved, and can be featured by name.
  await page.getByLabel('Featured reward').selectOption({ label: 'Instructions' });
  await list(page, 'Tiers').getByText('Featured').waitFor();
  await page.getByRole('button', { name: 'More actions for A day at the lake' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('A day at the lake deleted.').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  assert.deepEqual(await items(page, 'Tiers'), order);
}

/** A claimed reward's fields are locked and can be unlocked one by one. It cannot be deleted. */
async function claimedTier(visit) {
  const page = await openDashboard(visit, 'en');
  await openList(page, 'campaigns/night-ferry/tiers', 'Tiers');
  await page.getByText('2 of 4 claimed').waitFor();
  await list(page, 'Tiers')
    .getByText(/(?<!of )\b\d+ claimed/)
    .first()
    .waitFor(); // a tier without a limit
  await page.getByText('Opens at $9,000').waitFor();
  await expectUsable(page);
  await openItem(page, 'A night on board');
  const name = panel(page).getByRole('textbox', { name: 'Name' });
  await panel(page).getByText('2 supporters claimed this tier').waitFor();
  assert.equal(await name.getAttribute('readonly'), '');
  await panel(page).getByLabel('Limit').fill('1');
  await page.keyboard.press('Tab');
  await panel(page)
    .getByText('Enter 2 or more.')
    .or(panel(page).getByText(/at least 2/i))
    .first()
    .waitFor();
  await panel(page).getByLabel('Limit').fill('6');
  const remove = panel(page).getByRole('button', { name: 'Delete' });
  assert.equal(await remove.getAttribute('aria-disabled'), 'true');
  await panel(page).getByText('Claimed tiers cannot be deleted. Set the limit to 2 to stop new claims.').waitFor();
  await remove.dispatchEvent('click');
  await page.getByRole('button', { name: 'A night on board', exact: true }).waitFor();
  await panel(page).getByRole('button', { name: 'Unlock Name' }).click();
  await name.fill('x'.repeat(120));
  await name.blur();
  await panel(page).getByText('Use at most 100 characters. These are 120.').waitFor(); // the input is not truncated
  await name.fill('A night aboard');
  assert.equal(
    await panel(page).getByRole('textbox', { name: 'Price' }).getAttribute('readonly'),
    '',
    'two fields were unlocked',
  );
  await page.getByRole('button', { name: 'A night aboard', exact: true }).waitFor(); // the list shows the draft
  await list(page, 'Tiers').getByText('Edited').waitFor();
  await expectUsable(page);

  await page.getByRole('button', { name: 'Review and publish' }).click();
  const dialog = page.getByRole('dialog', { name: 'Review and publish' });
  await dialog.getByText(/claimed 2 times/).waitFor();
  await dialog.getByLabel(/reason/i).waitFor();
  await page.keyboard.press('Escape');
  await panel(page).getByRole('button', { name: 'Next' }).click();
  await panel(page).locator('input[value="Festival poster"]').or(panel(page).getByText('Limit')).first().waitFor();

  const drag = page.getByRole('button', { name: 'Move Festival poster. Use arrow keys' });
  await drag.hover();
  await page.mouse.down();
  const first = await page.locator('.item').first().boundingBox();
  await page.mouse.move(first.x + 120, first.y + 40, { steps: 8 });
  await page.mouse.move(first.x + 120, first.y + 6, { steps: 4 });
  await page.locator('.dropline').waitFor({ state: 'attached' });
  await page.mouse.up();
  await page.waitForFunction(() => document.querySelector('.open-entry')?.textContent === 'Festival poster');

  const narrow = await openDashboard(visit, 'es', phone);
  await openScreen(narrow, 'campaigns/night-ferry/tiers', 'es');
  await narrow
    .getByText(/(?<!de )\b\d+ elegidas/)
    .first()
    .waitFor();
  await expectUsable(narrow);
  await narrow.getByRole('button', { name: 'Digital premiere', exact: true }).click();
  await panel(narrow)
    .getByText(/\b\d+ mecenas eligieron esta recompensa/)
    .waitFor();
  await expectUsable(narrow);
}

/** Variants are a table: Enter adds a row, and rows can be pasted from a spreadsheet. */
async function variants(visit) {
  const page = await openDashboard(visit, 'en');
  await openList(page, 'campaigns/tidepool-traders/add_ons', 'Add-Ons');
  await page.getByText('3 variants').waitFor();
  await expectUsable(page);
  await openItem(page, 'Extra wooden crabs');
  await expectUsable(page);
  await panel(page).getByRole('button', { name: 'Close', exact: true }).click();
  await page.getByRole('button', { name: 'Add add-on' }).click();
  await panel(page).getByLabel('Name', { exact: true }).fill('Team shirt');
  await panel(page).getByLabel('Price', { exact: true }).fill('30');
  await panel(page).getByRole('switch', { name: 'This add-on has variants' }).check();
  await panel(page).getByRole('button', { name: 'Fill with S to XXL' }).click();
  const cell = (label) => panel(page).getByLabel(label, { exact: true });
  await cell('Size, row 5').focus();
  await page.keyboard.press('Tab');
  assert.equal(await focused(page), 'Price of XXL');
  await page.keyboard.type('33.50');
  await page.keyboard.press('Tab');
  await page.keyboard.type('-1');
  await panel(page)
    .getByText(/^XXL, Stock: /)
    .waitFor();
  assert.equal(await cell('Stock of XXL').getAttribute('aria-invalid'), 'true');
  await expectUsable(page);
  await cell('Stock of XXL').fill('4');
  await panel(page)
    .getByText(/^XXL, Stock: /)
    .waitFor({ state: 'detached' });
  await page.keyboard.press('Enter');
  await cell('Size, row 6').waitFor();
  assert.equal(await focused(page), 'Size, row 6');
  await page.evaluate(() => {
    const data = new DataTransfer();
    data.setData('text/plain', '3XL\t36\t10\r\n4XL\t\t2\r\n');
    document.activeElement.dispatchEvent(
      new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }),
    );
  });
  await cell('Stock of 4XL').waitFor();
  const added = Object.values(await draft(page))[0].at(-1);
  assert.deepEqual(added.variants.slice(4), [
    { label: 'XXL', price: 33.5, inventory: 4 },
    { label: '3XL', price: 36, inventory: 10 },
    { label: '4XL', inventory: 2 },
  ]);
  await panel(page).getByRole('button', { name: 'Remove S', exact: true }).click();
  await panel(page).locator('.variant .low').first().waitFor(); // only a few units remain
  await page.keyboard.press('Escape');
  await publish(page);
  await waitForPage('/campaigns/tidepool-traders/', /Team shirt/);

  await openList(page, 'add-ons', 'Add-ons');
  await page.getByText('All-or-nothing sticker').waitFor();
  await expectUsable(page);
  await openItem(page, 'Opening night T-shirt');
  await expectUsable(page);
}

/** Waits until the draft has blocks of these types, in this order. */
const waitForBlocks = (page, types) =>
  page.waitForFunction((expected) => {
    const edits = Object.keys(localStorage)
      .filter((key) => key.startsWith('draft '))
      .flatMap((key) => JSON.parse(localStorage.getItem(key)));
    const blocks = edits.find((e) => e.path === 'long_content').value;
    return blocks.map((b) => b.type).join(' ') === expected;
  }, types);

/** Texts are edited in place. Blocks that were not edited stay unchanged. */
async function blocks(visit) {
  const page = await openDashboard(visit, 'en');
  await openScreen(page, 'campaigns/night-ferry/content');
  const text = page.getByRole('textbox', { name: /^Text: The story/ });
  await text.locator('p').first().waitFor();
  await expectUsable(page);
  await text.locator('p').nth(1).click();
  await page.locator('.ProseMirror-focused').waitFor();
  await page.keyboard.press('End');
  await page.keyboard.type(' Nobody else is aboard.', { delay: 5 });
  const story = async () => (await draft(page)).long_content;
  await page.waitForFunction(() => JSON.stringify(localStorage).includes('is aboard.'));
  const [first, quote, second, gallery] = await story();
  assert.match(first.text, /cannot turn around\. Nobody else is aboard\.$/);
  assert.match(first.text, /^## The story\n\nFor thirty-one years/);
  assert.equal(quote.attribution, 'from the script');
  assert.match(second.text, /her owners have given us \*\*four nights\*\* on board/);
  assert.match(second.text, /\nhave given us|\nher owners/, 'the lines of an untouched text were joined');
  assert.equal(gallery.images.length, 2);

  await page.keyboard.press('Shift+Home');
  const bold = page.getByRole('button', { name: 'Bold' });
  await bold.click();
  assert.equal(await bold.getAttribute('aria-pressed'), 'true');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Control+End');
  await page.keyboard.press('Enter');
  await page.keyboard.press('/');
  await page.getByRole('button', { name: 'Quote', exact: true }).filter({ visible: true }).first().waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter'); // the second choice: a quote
  await page.waitForFunction(() => document.activeElement?.closest('.block.quote.at'));
  await page.locator('.quote.at .ProseMirror').waitFor();
  await page.keyboard.type('All aboard.');
  await page.waitForFunction(() => JSON.stringify(localStorage).includes('All aboard.'));
  await waitForBlocks(page, 'text quote quote text gallery');
  await page.getByRole('button', { name: 'Move block down' }).click();
  await page.getByRole('button', { name: 'Remove block' }).click();
  await waitForBlocks(page, 'text quote text gallery');

  // The toolbar is a single Tab stop; arrow keys move between its buttons.
  await page.getByRole('button', { name: 'Bold' }).focus();
  await page.keyboard.press('ArrowRight');
  assert.equal(await focused(page), 'Italic');
  await page.keyboard.press('End');
  await page.keyboard.press('Home');
  assert.match(await focused(page), /^Style: /);
  const gallery2 = page.getByRole('button', { name: /^Edit Gallery/ });
  await gallery2.click();
  await page.locator('.block.gallery').getByLabel('Caption').first().waitFor();
  await expectUsable(page);

  // A text that the editor would change is edited as Markdown.
  await page.evaluate(() => {
    const key = Object.keys(localStorage).find((k) => k.startsWith('draft '));
    const edits = JSON.parse(localStorage.getItem(key));
    edits.find((e) => e.path === 'long_content').value[0].text = 'The boat ![boat](/assets/boat.jpg) at night.';
    localStorage.setItem(key, JSON.stringify(edits));
  });
  await page.reload();
  const source = page.locator('textarea.mono');
  await source.waitFor();
  assert.equal(await source.inputValue(), 'The boat ![boat](/assets/boat.jpg) at night.');
  await page.getByText('you edit it as Markdown').waitFor();
  await expectUsable(page);

  const narrow = await openDashboard(visit, 'en', phone);
  await openScreen(narrow, 'campaigns/night-ferry/content');
  await narrow.getByRole('textbox', { name: /^Text: The story/ }).waitFor();
  await expectUsable(narrow);
}

/** A diary entry is written, published on the page, and then emailed only once. */
async function diary(visit) {
  const page = await openDashboard(visit, 'en');
  await openList(page, 'campaigns/tidepool-traders/diary', 'Diary Entries');
  await list(page, 'Diary Entries').getByText('On the page only').first().waitFor();
  await expectUsable(page);
  await page.getByRole('button', { name: 'New entry' }).click();
  await panel(page).getByLabel('Title').fill('The molds are here');
  await panel(page)
    .getByRole('button', { name: /^Write here/ })
    .click();
  await panel(page).locator('.ProseMirror-focused').waitFor();
  await page.keyboard.type('Four crabs, one of them left-handed.');
  await panel(page).getByText('Publish your changes first.').waitFor();
  await expectUsable(page);
  assert.equal((await items(page, 'Diary Entries'))[0], 'The molds are here', 'the newest entry is not first');
  await panel(page).getByRole('button', { name: 'Done' }).click();
  await publish(page);
  await waitForPage('/campaigns/tidepool-traders/', /Four crabs, one of them left-handed\./);
  await openItem(page, 'The molds are here');
  await panel(page).getByText('Supporters have not been emailed.').waitFor();
  await panel(page)
    .getByRole('button', { name: /^Also email \d+ supporters$/ })
    .click();
  const dialog = page.getByRole('dialog', { name: /^Email this entry to \d+ supporters\?$/ });
  await expectUsable(page);
  await dialog.getByRole('button', { name: /^Email \d+ supporters$/ }).click();
  await list(page, 'Diary Entries')
    .getByText(/^Emailed to \d+$/)
    .waitFor();
  await panel(page)
    .getByText(/^Emailed to \d+ supporters\.$/)
    .waitFor();
}

/** The answers of a decision cannot be changed after the first vote. */
async function decisions(visit) {
  const voter = 'voter@example.com';
  await makePledge(voter, 'night-ferry__digital-premiere');
  const token = linkParameter(await linkFor(voter));
  const answer = { token, decisionId: 'premiere-town', option: 'Albuquerque' };
  assert.equal((await callAPI('/votes', answer)).status, 200);
  const page = await openDashboard(visit, 'en');
  await openList(page, 'campaigns/night-ferry/decisions', 'Decisions');
  await page.getByText(/1 of \d+ supporters answered/).waitFor();
  await page.getByText('100%').waitFor();
  await expectUsable(page);
  await openItem(page, 'Where should we hold the premiere?');
  await panel(page).getByText('1 supporter has answered.').waitFor();
  assert.equal(await panel(page).getByLabel('Answer 1', { exact: true }).count(), 0, 'the answers can be changed');
  assert.equal(await panel(page).getByRole('button', { name: 'Delete' }).getAttribute('aria-disabled'), 'true');
  await panel(page).getByLabel('Question').fill('Where do we hold the premiere?');
  await page.getByRole('button', { name: 'Where do we hold the premiere?', exact: true }).waitFor();
  await expectUsable(page);
  await page.keyboard.press('Escape');
  await publish(page);
  const still = await callAPI(`/votes?decisions=premiere-town`, undefined, { 'X-Link-Token': token });
  assert.equal(
    still.body.decisions?.['premiere-town']?.userChoice,
    'Albuquerque',
    'the vote was lost with the new question',
  );
}

/** Stretch goals are sorted by amount, and each list has a side panel. */
async function otherLists(visit) {
  const page = await openDashboard(visit, 'en');
  await openList(page, 'campaigns/night-ferry/stretch_goals', 'Stretch Goals');
  await page.getByText('Funding goal').waitFor();
  assert.deepEqual(await items(page, 'Stretch Goals'), ['A score for string quartet', 'A fifth night']);
  await openItem(page, 'A score for string quartet');
  await panel(page).getByLabel('Reached at').fill('20000');
  assert.deepEqual(await items(page, 'Stretch Goals'), ['A fifth night', 'A score for string quartet']);
  await panel(page).getByLabel('Reached at').fill('100');
  await page.getByText('Not above the goal').waitFor();
  await expectUsable(page);

  await openList(page, 'campaigns/night-ferry/support_items', 'Support Items');
  await page.getByText('$0 of $1,800').waitFor();
  await openItem(page, 'Safety boat');
  await expectUsable(page);

  await openList(page, 'campaigns/night-ferry/ongoing_items', 'Ongoing Items');
  await page.getByRole('heading', { name: 'Add your first ongoing item' }).waitFor();
  await page.getByRole('button', { name: 'Add ongoing item' }).first().click();
  await panel(page).getByLabel('Name').fill('Festival fees');
  await panel(page).getByLabel('Remaining amount').fill('1200');
  await page.getByText('$1,200 remaining').waitFor();
  await expectUsable(page);

  await openList(page, 'campaigns/night-ferry/decisions', 'Decisions');
  await page.getByText('closes Dec 11, 11:59 PM MST').waitFor();
  await openItem(page, 'Which line should the film end on?');
  const third = panel(page).getByLabel('Answer 3', { exact: true });
  assert.equal(await third.inputValue(), 'No line, only the engine');
  await third.focus();
  await page.keyboard.press('Enter');
  await panel(page).getByLabel('Answer 4', { exact: true }).fill('Land ho.');
  await expectUsable(page);

  const narrow = await openDashboard(visit, 'en', phone);
  for (const [place, name, item] of [
    ['stretch_goals', 'Stretch Goals', 'A fifth night'],
    ['support_items', 'Support Items', 'Safety boat'],
    ['diary', 'Diary Entries', 'We are open'],
    ['decisions', 'Decisions', 'Which line should the film end on?'],
  ]) {
    await openList(narrow, `campaigns/night-ferry/${place}`, name);
    await expectUsable(narrow);
    await openItem(narrow, item);
    await expectUsable(narrow);
    await panel(narrow).getByRole('button', { name: 'Close', exact: true }).click();
  }
}

export default { firstTiers, claimedTier, variants, blocks, diary, decisions, otherLists };
