// Accessibility, prefetching and embedding: axe checks, keyboard use, narrow and zoomed windows.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { addReward, base, fillAddress, linkFor, makePledge, newEmail, words } from './actions.mjs';
import { expectFits, expectNoViolations } from './checks.mjs';
import { choose, enter, expectFocus, expectFocusOn, longestWay, write } from './keyboard.mjs';

const pages = [
  '/',
  '/campaigns/night-ferry/',
  '/campaigns/tidepool-traders/',
  '/campaigns/slow-weather/',
  '/about/',
  '/terms/',
  '/checkout/',
  '/pledge-success/',
  '/pledge-cancelled/',
  '/manage/',
  '/community/night-ferry/',
  '/embed/night-ferry/',
  '/embed/night-ferry/compact/',
  '/404.html',
];

/** Runs axe on every page. All languages have the same colors, so dark mode is checked in English only. */
async function everyPage(visit) {
  const page = await visit();
  for (const prefix of ['', '/es']) {
    for (const path of pages) {
      await page.goto(base + prefix + path);
      await page.locator('h1').first().waitFor();
      await expectNoViolations(page, prefix + path, { dark: prefix === '' });
    }
  }
}

/** Changes to the pledge that the API returns, by the state that they simulate. */
const pledgeStates = {
  'a missed goal': () => ({ outcome: 'missed', canModify: false, canCancel: false }),
  'a charge that is retried': (v) => ({
    pledgeStatus: 'payment_failed',
    dueNow: v.amount,
    canModify: false,
    recovery: { lane: 'wait', until: '2026-12-30T07:00:00Z', retryAt: '2026-12-25T07:00:00Z' },
  }),
  'a dropped pledge': () => ({
    pledgeStatus: 'payment_failed',
    canModify: false,
    canCancel: false,
    canUpdatePaymentMethod: false,
    recovery: { lane: 'dropped', until: '2026-12-30T07:00:00Z' },
  }),
};

/** Runs axe on the states that scripts create. Other stories check failed and charged pledges. */
async function everyState(visit) {
  const page = await visit();
  const email = newEmail();
  await addReward(page, '', 'night-ferry', 'bluray');
  await page.locator('[data-own-amount]').fill('1.5');
  await page.locator('[data-own-amount]').press('Enter');
  await page.locator('.wrong').waitFor();
  await expectNoViolations(page, 'a campaign with something in the cart and a wrong amount');
  await page.locator('[data-cart]').click();
  await page.locator('[name="shippingAddress.name"]').waitFor();
  await expectNoViolations(page, 'a checkout');
  await page.locator('[name=email]').fill('ada@example');
  await fillAddress(page);
  await page.getByRole('button', { name: words.en.next }).click();
  await page.locator('[aria-invalid=true]').waitFor();
  await expectNoViolations(page, 'a checkout with a mistake');
  await page.locator('[name=email]').fill(email);
  await page.getByRole('button', { name: words.en.next }).click();
  await page.locator('input[name=card]').first().waitFor();
  await expectNoViolations(page, 'the card');
  await page.getByRole('button', { name: words.en.card }).click();
  await page.waitForURL('**/pledge-success/');
  await page.locator('.shares section').waitFor();
  await expectNoViolations(page, 'the thanks');
  await page.goto(`${base}/checkout/`);
  await page.getByRole('heading', { name: "You've already made this pledge" }).waitFor();
  await expectNoViolations(page, 'a checkout that is finished');
  await page.goto(await linkFor(email));
  await page.locator('.bill').waitFor();
  await expectNoViolations(page, 'a pledge');
  for (const [name, change] of Object.entries(pledgeStates)) {
    await page.route('**/pledge', async (route) => {
      const answer = await route.fetch();
      const v = await answer.json();
      await route.fulfill({ response: answer, json: { ...v, ...change(v) } });
    });
    await page.reload();
    await page.locator('.bill').waitFor();
    await expectNoViolations(page, name);
    await page.unroute('**/pledge');
  }
  await page.reload();
  await page.getByRole('button', { name: words.en.change, exact: true }).click();
  await page.locator('input[name="night-ferry__bluray"]').fill('2');
  await page.getByRole('button', { name: words.en.look }).click();
  await page.getByRole('button', { name: words.en.confirm }).waitFor();
  await expectNoViolations(page, 'a change');
  await page.getByRole('button', { name: words.en.cancel }).click();
  await page.locator('.sheet').getByRole('button', { name: words.en.cancel }).waitFor();
  await expectNoViolations(page, 'the question before cancelling');
  await page.goto(`${base}/community/night-ferry/`);
  await page.locator('form').first().waitFor();
  await expectNoViolations(page, 'a vote');
}

/** A purchase by keyboard only, in a window 320 pixels wide, including input errors. */
async function keyboard(visit) {
  const page = await visit({ viewport: { width: 320, height: 640 } });
  await page.goto(`${base}/`);
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement?.className), 'skip');
  await page.keyboard.press('Enter');
  await enter(page, /Night Ferry/);
  await page.locator('progress').first().waitFor();
  await enter(page, /^Add to cart ?: Blu-ray/);
  await page.getByText('Added to your cart').waitFor();
  await expectFits(page, 'a campaign with something in the cart');
  await enter(page, 'Cart (1)', { back: true });
  await page.locator('[name="shippingAddress.name"]').waitFor();
  await enter(page, words.en.next);
  await expectFocusOn(page, /^Email/); // the first field with a mistake
  await expectFits(page, 'a checkout with mistakes');
  await write(page, /^Email/, 'ada@example');
  await write(page, 'Name', 'Ada');
  await write(page, 'Street address', '1 Shore Road');
  await write(page, 'City', 'Taos');
  await choose(page, 'State', 'New Mexico');
  await write(page, 'ZIP code', '87571');
  await enter(page, words.en.next);
  await expectFocusOn(page, /^Email/); // the server's error
  await write(page, /^Email/, newEmail());
  await enter(page, words.en.next);
  const cards = page.locator('input[name=card]');
  await cards.first().waitFor();
  await expectFits(page, 'the card');
  await expectFocusOn(page, /4242/);
  await page.keyboard.press('ArrowDown');
  await expectFocus(page);
  assert.equal(await cards.nth(1).isChecked(), true);
  await page.keyboard.press('ArrowUp');
  await enter(page, /^Save card/);
  await page.getByRole('heading', { name: words.en.thanks }).waitFor();
  await enter(page, /^Copy link ?: Night Ferry/);
  await page.getByText('The link is copied.').or(page.getByLabel('Link to the page')).waitFor();
  await expectFits(page, 'the thanks');
  return longestWay(page);
}

/** At a width of 320 pixels and at 200 % zoom nothing is cut off and no page scrolls sideways. */
async function narrowWindows(visit) {
  for (const options of [
    { viewport: { width: 320, height: 640 } },
    { viewport: { width: 640, height: 450 }, deviceScaleFactor: 2 },
  ]) {
    const page = await visit(options);
    for (const prefix of ['', '/es']) {
      for (const path of pages) {
        await page.goto(base + prefix + path);
        await expectFits(page, prefix + path);
      }
    }
    const email = newEmail();
    await makePledge(email, 'night-ferry__bluray');
    await page.goto(await linkFor(email));
    await page.locator('.bill').waitFor();
    await page.getByRole('button', { name: words.en.change, exact: true }).click();
    await page.locator('form.sheet').waitFor();
    await expectFits(page, 'a change');
    await addReward(page, '', 'night-ferry', 'bluray');
    await expectFits(page, 'a campaign with something in the cart');
    await page.locator('.reach a').click();
    await page.locator('[name="shippingAddress.name"]').waitFor();
    await expectFits(page, 'a checkout');
    await page.locator('[name=email]').fill('ada');
    await page.locator('[name="items[0].quantity"]').fill('0');
    await page.getByRole('button', { name: words.en.next }).click();
    await page.locator('[aria-invalid=true]').first().waitFor();
    await expectFits(page, 'a checkout with mistakes');
    for (const country of ['GB', 'JP', 'HK', 'BR']) {
      await page.locator('[name="shippingAddress.country"]').selectOption(country);
      await expectFits(page, `an address in ${country}`);
    }
    await page.locator('[name=email]').fill(email);
    await page.locator('[name="items[0].quantity"]').fill('2');
    await fillAddress(page);
    await page.locator('.bill').getByText('$100.09').first().waitFor(); // otherwise the total would change later
    await page.getByRole('button', { name: words.en.next }).click();
    await page.locator('input[name=card]').first().waitFor();
    await expectFits(page, 'the card');
    await page.getByRole('button', { name: words.en.card }).click();
    await page.locator('.shares section').waitFor();
    await expectFits(page, 'the thanks');
  }
}

/** With prefers-reduced-motion there are no animations. */
async function reducedMotion(visit) {
  const page = await visit({ reducedMotion: 'reduce' });
  for (const path of ['/', '/campaigns/night-ferry/', '/checkout/']) {
    await page.goto(base + path);
    const moving = await page.evaluate(
      () =>
        [...document.querySelectorAll('*')].filter((e) => {
          const s = getComputedStyle(e);
          return (
            s.animationName !== 'none' ||
            s.transitionDuration.split(',').some((d) => Number.parseFloat(d) > 0) ||
            s.scrollBehavior === 'smooth'
          );
        }).length,
    );
    assert.equal(moving, 0, path);
  }
}

/** Without JavaScript all content is readable, and pages that require JavaScript explain what to do. */
async function withoutScripts(visit) {
  const page = await visit({ javaScriptEnabled: false });
  await page.goto(`${base}/campaigns/night-ferry/`);
  const text = await page.locator('main').innerText();
  for (const part of [
    '$12,000 goal',
    'December 18, 2026',
    'Digital premiere',
    'The captain said yes',
    'To pledge, turn on JavaScript',
  ])
    assert.ok(text.includes(part), part);
  assert.equal(await page.locator('form.pick:visible').count(), 0, 'a form that needs JavaScript is visible');
  for (const path of ['/checkout/', '/manage/', '/links/', '/mails/']) {
    for (const [prefix, what, who] of [
      ['', 'Turn it on for this site and reload the page.', /write to \S+@\S+\./],
      ['/es', 'Actívalo en este sitio y recarga la página.', /escribe a \S+@\S+\./],
    ]) {
      await page.goto(base + prefix + path);
      const note = await page.locator('.note.warn').innerText(); // text locators ignore noscript
      assert.ok(note.includes(what), `${prefix}${path}: ${note}`);
      assert.match(note, who, prefix + path);
      assert.equal(await page.locator('.loading:visible').count(), 0, `${prefix}${path} seems to load`);
    }
  }
}

/**
 * While scripts are loading, no control without a function is visible. If a script can't be
 * loaded, the page shows an error.
 */
async function lateScripts(visit) {
  const page = await visit();
  const late = async (route) => {
    await new Promise((go) => setTimeout(go, 2_000));
    await route.continue();
  };
  await page.route(/\/site\.\w+\.js$/, late);
  await page.goto(`${base}/campaigns/night-ferry/`, { waitUntil: 'commit' });
  await page.getByRole('link', { name: 'Choose a reward' }).first().waitFor();
  assert.equal(await page.locator('form:visible').count(), 0, 'a form without its script is visible');
  await page.locator('[data-tier=bluray] button').click();
  await page.getByText('Added to your cart').waitFor();
  await page.unroute(/\/site\.\w+\.js$/);

  await page.route(/\/checkout-\w+\.js$/, late);
  await page.goto(`${base}/checkout/`, { waitUntil: 'commit' });
  await page.getByText('Loading…').waitFor();
  await page.route('**/{quote,start}', late);
  await page.locator('[name=email]').fill(newEmail()); // before the first quote, which brings the address
  await page.locator('[name="shippingAddress.name"]').waitFor();
  await fillAddress(page);
  const next = page.getByRole('button', { name: words.en.next });
  await next.click();
  await page.locator('button[aria-busy=true]').waitFor();
  await page.locator('input[name=card]').first().waitFor();
  await page.unroute(/\/checkout-\w+\.js$/);

  await page.route(/\/manage-\w+\.js$/, (route) => route.abort());
  await page.goto(`${base}/manage/`);
  await page.getByRole('alert').getByText('Check your connection and reload the page.').waitFor();
  assert.equal(await page.locator('.loading').count(), 0);
}

/** Links that are never prefetched, by kind. */
const neverPrefetchedLinks = {
  admin: ['/admin/', '/es/admin/', '/admin/campaigns/'],
  checkout: ['/checkout/', '/es/checkout/', '/pledge-success/', '/pledge-cancelled/'],
  manage: ['/manage/', '/es/manage/'],
  community: ['/community/night-ferry/', '/es/community/night-ferry/'],
  preview: ['/campaigns/night-ferry/preview/', '/es/campaigns/night-ferry/preview/'],
  api: ['/api/campaigns.json', '/live/night-ferry', '/stats/night-ferry'],
  token: ['/about/?t=x', '/about/?token=x'],
  query: ['/about/?email=a%40example.com', '/campaigns/night-ferry/?order=x'],
  elsewhere: ['https://elsewhere.example/about/'],
};

/** Opens a page with a paused clock. Returns functions that add links and list the prefetched ones. */
async function pausedPage(visit) {
  const page = await visit();
  await page.clock.install({ time: 0 });
  const open = async () => {
    await page.goto(`${base}/`);
    await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 1000);
  };
  await open();
  const link = async (href) => {
    await page.evaluate((to) => {
      const a = document.createElement('a');
      a.href = a.textContent = to;
      document.querySelector('main').prepend(a);
    }, href);
    return page.locator('main a').first();
  };
  const hints = () =>
    page
      .locator('link[rel=prefetch]')
      .evaluateAll((all) => all.map((l) => l.getAttribute('href').replace(location.origin, '')));
  return { page, open, link, hints };
}

/** The API, the dashboard and supporters' pages are never prefetched. */
// Proves SIT-20, SIT-21, SIT-22, SIT-23, SIT-24, SIT-25, SIT-26, SIT-27.
async function neverPrefetched(visit) {
  const { page, open, link, hints } = await pausedPage(visit);
  const fetched = [];
  for (const [kind, hrefs] of Object.entries(neverPrefetchedLinks)) {
    for (const href of hrefs) {
      await (await link(href)).focus();
      await page.clock.runFor(1000);
      if ((await hints()).length === 0) continue;
      fetched.push(`${kind}: ${href}`);
      await open();
    }
  }
  assert.deepEqual(fetched, []);
  for (const path of pages.flatMap((p) => [p, `/es${p}`])) {
    const answer = await fetch(base + path);
    assert.doesNotMatch(
      (await answer.text()) + (answer.headers.get('link') ?? ''),
      /rel="?pre(fetch|render)|speculationrules/,
      path,
    );
    assert.equal(answer.headers.get('speculation-rules'), null, path);
  }
  await (await link('/about/')).focus();
  await page.clock.runFor(1000);
  assert.deepEqual(await hints(), ['/about/'], 'nothing is prefetched');
}

/** Public pages are prefetched once the pointer or the focus has been on their link for a while, up to a limit. */
async function prefetch(visit) {
  const { page, open, link, hints } = await pausedPage(visit);
  const [delay, most] = (await page.locator('body').getAttribute('data-prefetch')).split(' ').map(Number);
  for (const rest of ['hover', 'focus']) {
    await (await link('/about/'))[rest]();
    await page.clock.runFor(delay - 1);
    assert.deepEqual(await hints(), [], `${rest}: too soon`);
    await page.clock.runFor(1);
    assert.deepEqual(await hints(), ['/about/'], rest);
    await open();
  }
  await (await link('/about/')).focus();
  await page.clock.runFor(delay - 1);
  await (await link('https://elsewhere.example/')).focus();
  await page.clock.runFor(1000);
  assert.deepEqual(await hints(), [], 'a link that lost the focus');
  const public_ = ['/terms/', '/es/', '/about/', '/campaigns/night-ferry/', '/es/campaigns/slow-weather/'];
  for (const href of public_) {
    await (await link(href)).focus();
    await page.clock.runFor(delay);
  }
  assert.deepEqual(await hints(), public_.slice(0, most));
}

/** Serves another site that embeds a page in a frame. */
async function embeddingSite(path, visitSite) {
  const server = createServer((_, answer) => {
    answer.setHeader('Content-Type', 'text/html');
    answer.end(
      `<!doctype html><title>Blog</title><iframe src="${base}${path}"></iframe><script>addEventListener('message', (e) => { document.title = e.data.type + ' ' + (e.data.height > 100) })</script>`,
    );
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  try {
    await visitSite(`http://127.0.0.1:${server.address().port}/`);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

/** An embedded page reports its height, and only pages made for embedding can be framed. */
async function embedding(visit) {
  const page = await visit();
  await embeddingSite('/embed/night-ferry/', async (address) => {
    await page.goto(address);
    await page.waitForFunction(() => document.title === 'pledgeworks:resize true');
  });
  for (const [wish, background] of [
    ['theme=dark', 'rgb(23, 26, 46)'],
    ['theme=light&media=hide&cta=hide', 'rgb(255, 255, 255)'],
    ['theme=plain', 'rgba(0, 0, 0, 0)'],
  ]) {
    await page.goto(`${base}/embed/night-ferry/?${wish}`);
    await page.waitForFunction((color) => getComputedStyle(document.body).backgroundColor === color, background);
    assert.equal(await page.locator('img, .button').count(), wish.includes('hide') ? 0 : 2, wish);
  }
  for (const path of ['/manage/', '/campaigns/night-ferry/']) {
    const answer = await fetch(base + path);
    assert.equal(answer.headers.get('x-frame-options'), 'DENY');
    assert.match(answer.headers.get('content-security-policy'), /frame-ancestors 'none'/);
  }
}

export default {
  'axe, every page': everyPage,
  'axe, every state': everyState,
  keyboard,
  narrowWindows,
  reducedMotion,
  withoutScripts,
  lateScripts,
  prefetch,
  neverPrefetched,
  embedding,
};
