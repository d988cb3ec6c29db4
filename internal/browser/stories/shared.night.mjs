// Operators who share a browser, and a sign-in that is no longer recent.
import assert from 'node:assert/strict';
import { codeAfter, expectUsable, openDashboard, openScreen } from './dashboard.mjs';

const drafts = (page) => page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('draft ')));

/** One operator's drafts are not visible to the next operator, after a sign-out or an expired session. */
async function separateDrafts(visit) {
  const page = await openDashboard(visit, 'en');
  const write = async (text) => {
    await openScreen(page, 'campaigns/slow-weather/settings');
    await page.getByLabel('Summary').fill(text);
    await page.getByText('1 unpublished change').waitFor();
    assert.equal((await drafts(page)).length, 1);
  };
  await write('A sentence that is not ready.');
  await page.reload();
  await page.getByText('1 unpublished change').waitFor(); // the author keeps the draft
  await openScreen(page, 'account');
  await page.getByText('1 unpublished draft is only in this browser. Signing out deletes it.').waitFor();
  await expectUsable(page);
  await page.getByRole('button', { name: 'Sign out and delete 1 draft' }).click();
  await page.locator('[name=email]').waitFor();
  assert.deepEqual(await drafts(page), []);

  const signIn = async (email) => {
    await page.locator('[name=email]').fill(email);
    const code = await codeAfter(email, () => page.getByRole('button', { name: 'Email me a sign-in link' }).click());
    await page.getByLabel('Code in the email').fill(code);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.locator('main.content h1').first().waitFor();
  };
  await page.evaluate(() =>
    localStorage.setItem(
      'draft 0123456789abcdef campaigns/slow-weather.md',
      '[{"path":"short_blurb","was":"a","value":"b"}]',
    ),
  ); // draft of an operator whose session expired
  await signIn('ada@example.com');
  assert.deepEqual(await drafts(page), []);
  await openScreen(page, 'campaigns/slow-weather/settings');
  await page.getByLabel('Summary').waitFor();
  assert.equal(await page.getByText('1 unpublished change').count(), 0, 'a draft is visible to the next operator');
}

/** Reading further pages of personal data requires a recent sign-in; after the sign-in the page is shown. */
async function oldSignIn(visit) {
  const page = await openDashboard(visit, 'en');
  await openScreen(page, 'account');
  const [, email] = /signed in as (\S+@\S+?)\.$/m.exec(await page.locator('.lede').innerText());
  let old = true;
  await page.route('**/admin/audit?**', (route) =>
    old
      ? route.fulfill({
          status: 403,
          json: { error: 'This requires a sign-in within the last ten minutes', code: 'sign_in_again' },
        })
      : route.continue(),
  );
  await openScreen(page, 'settings/audit');
  await page.getByText('To see more of this list, confirm it’s you.').waitFor();
  await expectUsable(page);
  await page.getByRole('button', { name: 'Confirm it’s you' }).click();
  await page.getByRole('button', { name: 'Close' }).click(); // after dismissing the dialog, the request for confirmation remains
  await page.getByRole('button', { name: 'Confirm it’s you' }).click();
  const code = await codeAfter(email, () => page.getByRole('button', { name: 'Email me a code' }).click());
  await page.getByText(`We emailed a code to ${email}.`).waitFor();
  await page.getByLabel('Code in the email').fill(code);
  old = false;
  await page.getByRole('button', { name: 'Confirm', exact: true }).click();
  await page.getByRole('table').waitFor();
  assert.equal(await page.getByText('To see more of this list').count(), 0);
}

export default { separateDrafts, oldSignIn };
