// Takes screenshots of the pages and main states of the public site, on a desktop and on a phone, in
// light and dark mode.
import { mkdirSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { addReward, base, fillAddress, linkFor, newEmail, phone, words } from './actions.mjs';

const folder = process.env.SHOTS;
mkdirSync(folder, { recursive: true });
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM,
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
});
const still = {
  home: '/',
  'campaign-film': '/campaigns/night-ferry/',
  'campaign-game': '/campaigns/tidepool-traders/',
  'campaign-album': '/campaigns/slow-weather/',
  about: '/about/',
  terms: '/terms/',
  missing: '/404.html',
  cancelled: '/pledge-cancelled/',
  embed: '/embed/night-ferry/',
  'embed-compact': '/embed/night-ferry/compact/',
  'es-campaign': '/es/campaigns/night-ferry/',
};
for (const [device, size] of Object.entries({ desk: { viewport: { width: 1280, height: 900 } }, phone })) {
  for (const colorScheme of ['light', 'dark']) {
    const context = await browser.newContext({
      ...size,
      colorScheme,
      locale: 'en-US',
      timezoneId: 'America/Denver',
      reducedMotion: 'reduce',
    });
    const page = await context.newPage();
    const shot = async (name) => {
      await page.evaluate(() =>
        Promise.all(
          [...document.images].map((i) => {
            i.loading = 'eager';
            return i.decode().catch(() => {});
          }),
        ),
      );
      await page.screenshot({ path: `${folder}/${name}-${device}-${colorScheme}.png`, fullPage: true });
    };
    for (const [name, path] of Object.entries(still)) {
      await page.goto(base + path);
      for (const live of await page.locator('[data-live]:not([data-state=upcoming]) progress').all())
        await live.waitFor();
      await shot(name);
    }
    const email = newEmail();
    await addReward(page, '', 'night-ferry', 'bluray');
    await page.goto(`${base}/checkout/`);
    await page.locator('[name=email]').fill(email);
    await page.locator('[name="shippingAddress.name"]').waitFor();
    await fillAddress(page);
    await page.locator('.bill').waitFor();
    await shot('checkout');
    await page.getByRole('button', { name: words.en.next }).click();
    await page.locator('input[name=card]').first().waitFor();
    await shot('card');
    await page.getByRole('button', { name: words.en.card }).click();
    await page.waitForURL('**/pledge-success/');
    await shot('success');
    await page.goto(await linkFor(email));
    await page.locator('.bill').waitFor();
    await shot('manage');
    await page.getByRole('button', { name: words.en.change, exact: true }).click();
    await page.locator('input[name="night-ferry__bluray"]').fill('2');
    await page.getByRole('button', { name: words.en.look }).click();
    await page.getByRole('button', { name: words.en.confirm }).waitFor();
    await shot('change');
    await page.getByRole('button', { name: words.en.cancel }).click();
    await shot('cancel');
    await page.goto(`${base}/community/night-ferry/`);
    await page.locator('form').first().waitFor();
    await shot('community');
    await context.close();
  }
}
await browser.close();
