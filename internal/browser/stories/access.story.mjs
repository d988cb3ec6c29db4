// Accessibility, prefetching and embedding: axe checks, keyboard use, narrow and zoomed windows.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { addReward, base, fillAddress, linkFor, makePledge, newEmail, words } from './actions.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

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

async function expectNoViolations(page, where) {
  await page.evaluate(axe);
  const found = await page.evaluate(async () => {
    const { violations } = await window.axe.run(document, { resultTypes: ['violations'] });
    return violations.map(
      (v) => `${v.id}: ${v.nodes.map((n) => `${n.target.join(' ')} ${n.failureSummary}`).join(' | ')}`,
    );
  });
  assert.deepEqual(found, [], where);
}

/** Runs axe on every page. Languages have the same colors, so dark pages are read in English alone. */
const everyPage = (colorScheme) => async (visit) => {
  const page = await visit({ colorScheme });
  for (const prefix of colorScheme === 'dark' ? [''] : ['', '/es']) {
    for (const path of pages) {
      await page.goto(base + prefix + path);
      await page.locator('h1').first().waitFor();
      await expectNoViolations(page, `${prefix}${path} in the ${colorScheme}`);
    }
  }
};

/** Runs axe on the states that scripts create. */
const everyState = (colorScheme) => async (visit) => {
  const page = await visit({ colorScheme });
  const email = newEmail();
  await addReward(page, '', 'night-ferry', 'bluray');
  await expectNoViolations(page, 'a campaign with something in the cart');
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
  await page.goto(await linkFor(email));
  await page.locator('.bill').waitFor();
  await expectNoViolations(page, 'a pledge');
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
};

/** A purchase with the keyboard only. */
async function keyboard(visit) {
  const page = await visit();
  const to = async (locator) => {
    for (let n = 0; n < 120; n++) {
      if (await locator.evaluate((e) => e === document.activeElement)) return;
      await page.keyboard.press('Tab');
    }
    throw new Error(`the Tab key does not reach ${locator}`);
  };
  await page.goto(`${base}/`);
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement?.className), 'skip');
  await page.keyboard.press('Enter');
  await to(page.getByRole('link', { name: /Night Ferry/ }));
  await page.keyboard.press('Enter');
  await page.locator('progress').first().waitFor();
  await to(page.locator('[data-tier=digital-premiere] button'));
  await page.keyboard.press('Enter');
  await page.getByText('Added to your cart').waitFor();
  await page.keyboard.press('Control+Home');
  await page.evaluate(() => document.activeElement?.blur());
  await page.goto(`${base}/checkout/`);
  await page.locator('.bill').waitFor();
  await to(page.locator('[name=email]'));
  await page.keyboard.type(newEmail());
  await to(page.getByRole('button', { name: words.en.next }));
  await page.keyboard.press('Enter');
  await page.locator('input[name=card]').first().waitFor();
  await to(page.getByRole('button', { name: words.en.card }));
  await page.keyboard.press('Enter');
  await page.waitForURL('**/pledge-success/');
}

/** At a width of 320 pixels and at 200 % zoom nothing is cut off and no page scrolls sideways. */
async function narrowWindows(visit) {
  for (const options of [
    { viewport: { width: 320, height: 640 } },
    { viewport: { width: 640, height: 450 }, deviceScaleFactor: 2 },
  ]) {
    const page = await visit(options);
    const fits = async (where) => {
      const [have, need] = await page.evaluate(() => [window.innerWidth, document.documentElement.scrollWidth]);
      assert.ok(need <= have, `${where} is ${need} wide, the window ${have}`);
      const cut = await page.evaluate(() =>
        [...document.querySelectorAll('main *')]
          .filter((e) => e.getClientRects().length && e.getBoundingClientRect().right > window.innerWidth + 1)
          .filter((e) => !e.closest('.tabs')) // has its own scrollbar
          .map((e) => e.outerHTML.slice(0, 80)),
      );
      assert.deepEqual(cut, [], where);
    };
    for (const prefix of ['', '/es']) {
      for (const path of pages) {
        await page.goto(base + prefix + path);
        await fits(prefix + path);
      }
    }
    const email = newEmail();
    await makePledge(email, 'night-ferry__bluray');
    await page.goto(await linkFor(email));
    await page.locator('.bill').waitFor();
    await page.getByRole('button', { name: words.en.change, exact: true }).click();
    await page.locator('form.sheet').waitFor();
    await fits('a change');
    await addReward(page, '', 'night-ferry', 'bluray');
    await fits('a campaign with something in the cart');
    await page.locator('.reach a').click();
    await page.locator('[name="shippingAddress.name"]').waitFor();
    await fits('a checkout');
    await page.locator('[name=email]').fill('ada');
    await page.locator('[name="items[0].quantity"]').fill('0');
    await page.getByRole('button', { name: words.en.next }).click();
    await page.locator('[aria-invalid=true]').first().waitFor();
    await fits('a checkout with mistakes');
    for (const country of ['GB', 'JP', 'HK', 'BR']) {
      await page.locator('[name="shippingAddress.country"]').selectOption(country);
      await fits(`an address in ${country}`);
    }
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

/** Without JavaScript all content is readable and pages explain what needs JavaScript. */
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
  await page.goto(`${base}/es/checkout/`);
  assert.match(await page.locator('main').innerText(), /hace falta JavaScript/);
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
  'axe, every page, light': everyPage('light'),
  'axe, every page, dark': everyPage('dark'),
  'axe, every state, light': everyState('light'),
  'axe, every state, dark': everyState('dark'),
  keyboard,
  narrowWindows,
  reducedMotion,
  withoutScripts,
  prefetch,
  neverPrefetched,
  embedding,
};
