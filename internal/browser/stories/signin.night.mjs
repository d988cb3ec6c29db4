// Signing in: the link can be pasted into the waiting tab, and the page and the draft that were open
// before are restored.
import assert from 'node:assert/strict';
import { base } from './actions.mjs';
import { codeAfter, expectUsable, mailTo, openDashboard, openScreen } from './dashboard.mjs';

const send = (page) => page.getByRole('button', { name: 'Email me a sign-in link' });
const signInButton = (page) => page.getByRole('button', { name: 'Sign in', exact: true });

/** Returns the tab's URL without its origin. */
const shownPath = (page) => page.url().slice(base.length);

/** The link of the mail can be pasted into the tab that waits for it. */
async function pastedLink(visit) {
  const page = await visit({ bypassCSP: true, extraHTTPHeaders: { 'CF-Connecting-IP': '198.51.100.71' } });
  await page.goto(`${base}/admin/`);
  await page.locator('[name=email]').fill('dee@example.com');
  await send(page).click();
  await page.getByLabel('Code in the email').waitFor();
  const [link] = (await mailTo('dee@example.com', /#sign-in=/)).match(/http\S+#sign-in=\S+/);
  let loads = 0;
  page.on('domcontentloaded', () => loads++);
  await page.evaluate((to) => location.assign(to), link); // as from the address bar
  await page.getByText("You've opened a sign-in link.").waitFor();
  assert.equal(shownPath(page), '/admin/', 'the token stays in the address');
  await expectUsable(page);
  await signInButton(page).click();
  await page.locator('main.content h1').first().waitFor();
  assert.equal(loads, 0, 'the link loads the page again');
}

/** After an expired session, signing in leads back to the same page with the draft. */
async function backToDraft(visit) {
  const page = await openDashboard(visit, 'en');
  await openScreen(page, 'account');
  const [, email] = /signed in as (\S+@\S+?)\.$/m.exec(await page.locator('.lede').innerText());
  const place = '/admin/#/campaigns/slow-weather/settings';
  await page.goto(base + place);
  await page.getByLabel('Summary').fill('A draft that outlives its session.');
  await page.getByText('1 unpublished change').waitFor();
  await page.context().clearCookies();
  const signedOut = page.getByText("You're signed out. Your drafts are kept.");
  await page.getByRole('button', { name: 'Review and publish' }).or(signedOut).first().click(); // a poll may be faster
  await signedOut.waitFor();
  await expectUsable(page);
  await page.locator('[name=email]').fill(email);
  const code = await codeAfter(email, () => send(page).click());
  await page.getByLabel('Code in the email').fill(code);
  await signInButton(page).click();
  await page.getByText('1 unpublished change').waitFor();
  assert.equal(shownPath(page), place);
  assert.equal(await page.getByLabel('Summary').inputValue(), 'A draft that outlives its session.');
  await page.getByRole('button', { name: 'Discard', exact: true }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Discard \d/ })
    .click();
  await page.getByText('1 unpublished change').waitFor({ state: 'detached' });
}

/** A link to a screen leads to it after the sign-in, even though the mail's link loads the page again. */
async function deepLink(visit) {
  const page = await visit({ extraHTTPHeaders: { 'CF-Connecting-IP': '198.51.100.72' } });
  await page.goto(`${base}/admin/#/campaigns/night-ferry/settlement`);
  await page.locator('[name=email]').fill('eve@example.com');
  await send(page).click();
  await page.getByLabel('Code in the email').waitFor();
  const [link] = (await mailTo('eve@example.com', /#sign-in=/)).match(/http\S+#sign-in=\S+/);
  await page.goto('about:blank');
  await page.goto(link);
  await signInButton(page).click();
  await page.getByRole('heading', { name: 'Settlement', level: 1 }).waitFor();
  assert.equal(shownPath(page), '/admin/#/campaigns/night-ferry/settlement');
}

export default { pastedLink, backToDraft, deepLink };
