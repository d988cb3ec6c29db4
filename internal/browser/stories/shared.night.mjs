// A browser that operators share, and a sign-in that has become old.
import assert from 'node:assert/strict';
import { codeBy, go, looksRight, open } from './desk.mjs';

const drafts = (page) => page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('draft ')));

/** What one operator has not published is not there for the next: neither after a sign-out, nor after a session that has ended. */
async function draftsOfTwo(visit) {
  const page = await open(visit, 'en');
  const write = async (text) => {
    await go(page, 'campaigns/slow-weather/settings');
    await page.getByLabel('Summary').fill(text);
    await page.getByText('1 field is changed and not published.').waitFor();
    assert.equal((await drafts(page)).length, 1);
  };
  await write('A sentence that is not ready.');
  await page.reload();
  await page.getByText('1 field is changed and not published.').waitFor(); // to its author it stays
  await go(page, 'account');
  await page.getByText('Unpublished drafts in this browser: 1. Signing out deletes them.').waitFor();
  await looksRight(page);
  await page.getByRole('button', { name: 'Sign out and delete drafts' }).click();
  await page.locator('[name=email]').waitFor();
  assert.deepEqual(await drafts(page), []);

  const signIn = async (email) => {
    await page.locator('[name=email]').fill(email);
    const code = await codeBy(email, () => page.getByRole('button', { name: 'Email me a link' }).click());
    await page.getByLabel('Code').fill(code);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.locator('nav.tabs').waitFor();
  };
  await page.evaluate(() => localStorage.setItem('draft 0123456789abcdef campaigns/slow-weather.md', '[{"path":"short_blurb","was":"a","value":"b"}]')); // of an operator whose session has ended
  await signIn('ada@example.com');
  assert.deepEqual(await drafts(page), []);
  await go(page, 'campaigns/slow-weather/settings');
  await page.getByLabel('Summary').waitFor();
  assert.equal(await page.getByText('1 field is changed and not published.').count(), 0, 'the next operator sees a draft');
}

/** More of a list of people than the first page takes a confirmation, after which it is shown. */
async function oldSignIn(visit) {
  const page = await open(visit, 'en');
  await go(page, 'account');
  const [, email] = /signed in as (\S+@\S+?)\.$/m.exec(await page.locator('.lead').innerText());
  let old = true;
  await page.route('**/admin/audit?**', (route) => (old ? route.fulfill({ status: 403, json: { error: 'This takes a sign-in within the last ten minutes', code: 'sign_in_again' } }) : route.continue()));
  await go(page, 'settings/audit');
  await page.getByText('To see more of this list, confirm that it’s you.').waitFor();
  await looksRight(page);
  await page.getByRole('button', { name: 'Confirm that it’s you' }).click();
  await page.getByRole('button', { name: 'Close' }).click(); // put off: the question stays
  await page.getByRole('button', { name: 'Confirm that it’s you' }).click();
  const code = await codeBy(email, () => page.getByRole('button', { name: 'Email me a code' }).click());
  await page.getByText(`We’ve sent a code to ${email}.`).waitFor();
  await page.getByLabel('Code in the email').fill(code);
  old = false;
  await page.getByRole('button', { name: 'Confirm', exact: true }).click();
  await page.getByRole('table').waitFor();
  assert.equal(await page.getByText('To see more of this list').count(), 0);
}

export default { 'drafts of two operators': draftsOfTwo, 'an old sign-in': oldSignIn };
