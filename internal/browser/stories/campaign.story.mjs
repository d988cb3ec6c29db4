// The campaign page: badges, figures, rewards and the sticky support button.
import assert from 'node:assert/strict';
import { base, makePledge, newEmail, phone } from './actions.mjs';

/** Opens a page with modified live data of Night Ferry. */
async function withLiveData(visit, change, options) {
  const page = await visit(options);
  await page.route('**/live/night-ferry/events', (route) => route.fulfill({ status: 404, json: {} }));
  await page.route('**/live/night-ferry', async (route) => {
    const live = await (await route.fetch()).json();
    change(live);
    await route.fulfill({ json: live });
  });
  return page;
}

const within = (ms) => (live) =>
  Object.assign(live.campaign, {
    endsAt: new Date(Date.parse(live.now ?? new Date().toISOString()) + ms).toISOString(),
  });

const funded = (live) => Object.assign(live.campaign, { isFunded: true });
const both = (live) => Object.assign(within(60_000)(live), { isFunded: true });
const ended = (live) => Object.assign(live.campaign, { state: 'ended' });

const texts = {
  en: {
    prefix: '',
    few: 'Only 3 left',
    left: '3 of 75 left',
    locked: 'Unlocks at $9,000',
    distance: '$2,000 to go until it unlocks',
    soldOut: 'Sold out',
    percent: /^58\s?%/,
    way: 'Choose a reward',
    states: {
      'Goal reached': funded,
      'Last 2 days': within(40 * 3_600_000),
      'Goal reached · Ends today': both,
      'Goal missed': ended,
    },
  },
  es: {
    prefix: '/es',
    few: 'Solo quedan 3',
    left: 'Quedan 3 de 75',
    locked: /^Disponible al llegar a .*9.000/,
    distance: /^Faltan .*2.000/,
    soldOut: 'Agotada',
    percent: /^58\s?%/,
    way: 'Elegir recompensa',
    states: {
      'Meta alcanzada': funded,
      'Últimos 2 días': within(40 * 3_600_000),
      'Meta alcanzada · Termina hoy': both,
      'Meta no alcanzada': ended,
    },
  },
};

/** The home page and the campaign page show the campaign's state as a badge. */
const badges = (lang, options) => async (visit) => {
  const { prefix, states } = texts[lang];
  for (const [word, change] of Object.entries(states)) {
    const page = await withLiveData(visit, change, options);
    for (const path of ['/', '/campaigns/night-ferry/']) {
      await page.goto(base + prefix + path);
      await page.locator('[data-live=night-ferry] [data-badge]').getByText(word, { exact: true }).waitFor();
    }
    await page.close();
  }
  const page = await withLiveData(visit, () => {}, options);
  await page.goto(`${base}${prefix}/campaigns/night-ferry/`);
  await page.locator('progress').first().waitFor();
  assert.equal(await page.locator('[data-badge]').first().isVisible(), false, 'an ordinary live campaign has a badge');
};

/** After a new pledge, a page that is opened again shows the new figures. */
async function currentFigures(visit) {
  const page = await visit();
  const pledged = page.locator('[data-live=night-ferry] [data-pledged]');
  await page.goto(base);
  await page.locator('[data-live=night-ferry] progress').waitFor();
  const before = await pledged.textContent();
  await makePledge(newEmail(), 'night-ferry__digital-premiere');
  await page.goto(base);
  await page.locator('[data-live=night-ferry] progress').waitFor();
  assert.notEqual(await pledged.textContent(), before);
}

/** Rewards show how often they were claimed and whether they are sold out or locked. */
const rewards = (lang, options) => async (visit) => {
  const { prefix, few, left, locked, distance, soldOut, percent } = texts[lang];
  const page = await withLiveData(
    visit,
    ({ stats, inventory }) => {
      Object.assign(stats, {
        percentFunded: 58,
        pledgedAmount: 700000,
        tierCounts: { 'digital-premiere': 7, 'thank-you': 1 },
      });
      inventory.tiers['night-on-board'].remaining = 0;
      inventory.tiers['shooting-script'].remaining = 3;
    },
    options,
  );
  await page.goto(`${base}${prefix}/campaigns/night-ferry/`);
  const tier = (id) => page.locator(`[data-tier=${id}]`);
  await tier('digital-premiere').locator('[data-claimed]').getByText('7', { exact: true }).waitFor();
  await tier('thank-you').locator('[data-claimed]').getByText('1', { exact: true }).waitFor();
  await tier('shooting-script').getByText(few, { exact: true }).waitFor();
  await tier('shooting-script').getByText(left, { exact: true }).waitFor();
  await tier('festival-poster').getByText(distance).waitFor();
  await tier('festival-poster').getByRole('button', { name: locked }).waitFor();
  await tier('night-on-board').getByRole('button', { name: soldOut }).waitFor();
  assert.equal(await tier('bluray').locator('[data-claimed]').isVisible(), false, 'an unclaimed reward shows a count');
  await page.locator('[data-percent]').getByText(percent).waitFor();
  assert.match(await tier('night-on-board').getAttribute('class'), /\bgone\b/);
  assert.match(await tier('festival-poster').getAttribute('class'), /\blocked\b/);
  assert.doesNotMatch(await tier('bluray').getAttribute('class'), /gone|locked/);
};

/** The support button is visible at every scroll position. */
const supportButton = (lang, options) => async (visit) => {
  const { prefix, way: words } = texts[lang];
  const page = await visit(options);
  await page.goto(`${base}${prefix}/campaigns/night-ferry/`);
  const way = page.locator('.stay').getByRole('link', { name: words });
  for (const part of ['#diary', '#risks', '#creator']) {
    await page.locator(part).scrollIntoViewIfNeeded();
    const box = await way.boundingBox();
    const height = page.viewportSize().height;
    assert.ok(
      box && box.y >= 0 && box.y + box.height <= height,
      `at ${part} the button is at ${JSON.stringify(box)}, the window is ${height} high`,
    );
  }
  await way.click();
  await page.locator('#tiers').waitFor();
  const heading = await page.locator('#tiers').boundingBox();
  assert.ok(heading.y >= 0 && heading.y < page.viewportSize().height, 'the button does not lead to the rewards');
  await page.goto(`${base}${prefix}/campaigns/slow-weather/`);
  assert.equal(await page.locator('.stay .button').count(), 0, 'an upcoming campaign has a support button');
};

/** Share links make no request to other sites before they are followed. */
async function sharing(visit) {
  const page = await visit();
  const elsewhere = [];
  page.on('request', (r) => new URL(r.url()).origin !== base && elsewhere.push(r.url()));
  await page.goto(`${base}/campaigns/night-ferry/`);
  await page.locator('progress').first().waitFor();
  const links = await page.locator('.share a').evaluateAll((all) => all.map((a) => a.href));
  assert.equal(links.length, 6);
  for (const href of links.slice(0, 5)) assert.ok(decodeURIComponent(href).includes('/campaigns/night-ferry/'), href);
  assert.equal((await fetch(links[5])).headers.get('content-type'), 'image/png');
  assert.deepEqual(elsewhere, []);
}

/** A link to a reward scrolls to it, a link with an amount fills it in, and a chosen reward is marked. */
async function offerLinks(visit) {
  const page = await visit();
  await page.goto(`${base}/campaigns/night-ferry/#reward-bluray`);
  const reward = page.locator('[data-tier=bluray]');
  await page.locator('.tier.linked[data-tier=bluray]').waitFor();
  await page.waitForFunction(() => {
    const { top, bottom } = document.querySelector('[data-tier=bluray] h3').getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
  });
  await reward.getByRole('button', { name: /^Add to cart/ }).click();
  await reward.getByText('In your cart', { exact: true }).waitFor();
  await reward.getByRole('button', { name: /^Add to cart/ }).click();
  await reward.getByText('In your cart: 2', { exact: true }).waitFor();
  await page.goto(`${base}/campaigns/night-ferry/?amount=35`);
  const amount = page.locator('[data-own-amount]');
  await page.waitForFunction(() => document.querySelector('[data-own-amount]').value === '35');
  await page.waitForFunction(() => document.activeElement?.matches('[data-own-amount]'));
  assert.equal(await amount.inputValue(), '35');
}

/** If the current figures cannot be loaded, the page shows the time of the figures in its HTML. */
async function unreachable(visit) {
  const page = await visit();
  await page.route('**/live/night-ferry**', (route) => route.abort());
  await page.goto(`${base}/campaigns/night-ferry/`);
  await page
    .locator('[data-stale]')
    .getByText(/Figures from \w+ \d+, \d{4}|could not be loaded/)
    .waitFor();
}

/** Without JavaScript all content is readable, and the page shows what requires it. */
async function withoutScript(visit) {
  const page = await visit({ javaScriptEnabled: false });
  await page.goto(`${base}/campaigns/night-ferry/`);
  await page.locator('.note.warn b').waitFor(); // text locators ignore noscript
  assert.equal(await page.locator('.note.warn b').innerText(), 'To pledge, turn on JavaScript for this site.');
  await page
    .getByText(/Ends \w+ \d+, \d{4}, 11:59 PM/)
    .first()
    .waitFor();
  await page.goto(base);
  await page.getByRole('link', { name: /^Coming soon/ }).click();
  await page.waitForURL('**/upcoming/');
  await page.getByRole('link', { name: 'Slow Weather' }).waitFor();
  assert.equal(
    await page.locator('form[data-find]').isVisible(),
    false,
    'a search form that needs JavaScript is visible',
  );
}

export default {
  'badges, en, desktop': badges('en'),
  'badges, es, phone': badges('es', phone),
  currentFigures,
  'rewards, en, desktop': rewards('en'),
  'rewards, es, phone': rewards('es', phone),
  'support button, en, desktop': supportButton('en'),
  'support button, en, phone': supportButton('en', phone),
  'support button, es, phone': supportButton('es', phone),
  sharing,
  offerLinks,
  unreachable,
  withoutScript,
};
