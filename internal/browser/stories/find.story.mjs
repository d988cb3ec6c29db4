// The home page: search, category, order and pages of many campaigns.
import assert from 'node:assert/strict';
import { base, phone } from './actions.mjs';

/** 40 campaigns: 20 that are live (films and books) and 20 that have ended. */
const index = Array.from({ length: 40 }, (_, i) => ({
  s: `film-${i}`,
  t: `${i % 2 ? 'Ríver' : 'Harbor'} film ${i}`,
  c: i === 8 ? 'Ágata Ruiz' : 'The Yard',
  b: 'A film about boats',
  k: i % 4 ? 'Short Film' : 'Board Game',
  st: i < 20 ? 'live' : 'ended',
  a: 1_790_000_000 + i,
  e: 1_800_000_000 - i,
  g: 100_000,
  p: i * 2_500,
  n: i,
}));

/** Opens the home page with a search among these campaigns. */
async function withCampaigns(visit, path = '/', options = {}) {
  const page = await visit(options);
  await page.route('**/search.json', (route) => route.fulfill({ json: index }));
  await page.route('**/live/film-*', (route) => route.fulfill({ status: 404, json: {} }));
  await page.goto(base + path);
  return page;
}

const titles = (page) => page.locator('[data-cards] h3');

/** A search filters the page without loading another one, ignores accents, and is kept in the URL. */
const search = (prefix, found, options) => async (visit) => {
  const page = await withCampaigns(visit, `${prefix}/`, options);
  const own = await titles(page).count();
  await page.locator('input[name=q]').fill('river');
  await page.getByText(found(10)).waitFor();
  assert.equal(await titles(page).count(), 9);
  await page.waitForURL(/\?q=river$/);
  await page.locator('[data-more]').click();
  await page.locator('[data-cards] .camp').nth(9).waitFor();
  await page.locator('input[name=q]').fill('agata');
  await page.getByText(found(1)).waitFor();
  await titles(page).getByText('Harbor film 8', { exact: true }).waitFor();
  await page.locator('input[name=q]').fill('');
  await page.waitForURL((url) => url.search === '');
  await page.waitForFunction((n) => document.querySelectorAll('[data-cards] h3').length === n, own);
};

/** Category and sort order are stored in the URL and restored from it. */
async function filters(visit) {
  const page = await withCampaigns(visit, '/?cat=Board+Game&sort=closest');
  await page.getByText('5 campaigns found.').waitFor();
  assert.equal(await page.locator('select[name=sort]').inputValue(), 'closest');
  assert.deepEqual(
    await titles(page).allInnerTexts(),
    [16, 12, 8, 4, 0].map((i) => `Harbor film ${i}`),
  );
  await page.locator('select[name=sort]').selectOption('new');
  await page.waitForURL(/\?cat=Board\+Game&sort=new$/);
  await page.locator('select[name=cat]').selectOption('');
  await page.getByText('20 campaigns found.').waitFor();
  await page.waitForURL(/\?sort=new$/);
}

/** A search without matches shows how many there are in other categories and tabs. */
async function noMatch(visit) {
  const page = await withCampaigns(visit, '/?q=ruiz&cat=Short+Film');
  await page.getByRole('heading', { name: 'No live campaigns in the Short film category match “ruiz”' }).waitFor();
  await page.getByText('1 match in other categories or tabs.').waitFor();
  await page.getByRole('button', { name: 'Search all categories' }).click();
  await titles(page).getByText('Harbor film 8', { exact: true }).waitFor();
  await page.locator('input[name=q]').fill('submarine');
  await page.getByRole('heading', { name: 'No live campaigns match “submarine”' }).waitFor();
  await page.getByRole('button', { name: 'Clear search' }).click();
  await page.waitForURL((url) => url.search === '');
}

/** If the index cannot be loaded, the page shows an error, and the next search tries again. */
async function failedIndex(visit) {
  const page = await withCampaigns(visit);
  let fails = true;
  await page.route('**/search.json', (route) => (fails ? route.abort() : route.fulfill({ json: index })));
  await page.locator('input[name=q]').fill('river');
  await page.getByText("Search isn't available right now.").waitFor();
  fails = false;
  await page.locator('input[name=q]').fill('harbor');
  await page.getByText('10 campaigns found.').waitFor();
}

export default {
  'search, en, desktop': search('', (n) => `${n} campaign${n === 1 ? '' : 's'} found.`),
  'search, es, phone': search('/es', (n) => (n === 1 ? '1 campaña encontrada.' : `${n} campañas encontradas.`), phone),
  filters,
  noMatch,
  failedIndex,
};
