// Messages to a campaign's supporters: the audience, the preview, sending, and sending again.
import assert from 'node:assert/strict';
import { callAPI, makePledge, phone } from './actions.mjs';
import { expectNoPersonalData, expectUsable, mailTo, openDashboard, openScreen } from './dashboard.mjs';

const place = 'campaigns/night-ferry/blast';

async function openBlast(visit, lang = 'en', options = undefined) {
  const page = await openDashboard(visit, lang, options);
  await openScreen(page, place, lang);
  await subjectField(page, lang).waitFor();
  return page;
}

const subjectField = (page, lang = 'en') => page.getByLabel(lang === 'es' ? 'Asunto' : 'Subject', { exact: true });
const dialog = (page) => page.locator('dialog[open]');
const mail = (page) => page.frameLocator('.mail-frame iframe');

/** Replaces the first text of the message. */
async function writeText(page, text) {
  await page.getByRole('textbox', { name: /^Text/ }).first().click();
  await page.locator('.ProseMirror-focused').waitFor();
  await page.keyboard.press('Control+A');
  await page.keyboard.type(text);
}

/** Saves the campaign's draft as another operator. */
const saveDraft = (page, draft) =>
  page.evaluate(async (draft) => {
    const { csrfToken } = await (await fetch('/admin/session', { credentials: 'include' })).json();
    const query = 'campaignSlug=night-ferry&surface=blast';
    const { revision } = await (await fetch(`/admin/marketing/draft?${query}`, { credentials: 'include' })).json();
    const answer = await fetch('/admin/marketing/draft', {
      method: 'POST',
      credentials: 'include',
      headers: { 'Content-Type': 'application/json', 'X-Svc-Admin-Csrf': csrfToken },
      body: JSON.stringify({ campaignSlug: 'night-ferry', surface: 'blast', revision, ...draft }),
    });
    if (!answer.ok) throw new Error(await answer.text());
  }, draft);

const mailsWith = async (subject) =>
  (await callAPI('/demo/mail', undefined, { Accept: 'application/json' })).body.filter((m) => m.subject === subject);

/** Two operators share a draft and its audience. The second one is informed of the first one's changes. */
async function draft(visit) {
  const page = await openBlast(visit);
  const other = await openBlast(visit);
  await subjectField(page).fill('We sail on Friday');
  await page.getByLabel('Button label').focus(); // leaving a field saves the draft
  await page.getByText(/shared with your team, saved /).waitFor();
  await subjectField(other).fill('Another subject');
  await other.getByLabel('Button label').focus();
  await other.getByRole('button', { name: 'Use theirs' }).click();
  await other.waitForFunction(() =>
    [...document.querySelectorAll('input')].some((i) => i.value === 'We sail on Friday'),
  );
  await writeText(other, 'The ship is ready.');
  await other.getByText('not saved yet').waitFor();
  await subjectField(other).focus();
  await other.getByText(/shared with your team, saved /).waitFor();
  await page.reload();
  await page.getByRole('textbox', { name: 'Text: The ship is ready.' }).waitFor();
  await saveDraft(page, { subject: '', body: '', ctaLabel: '', ctaUrl: '' });
}

/** The audience is narrowed to some supporters, counted before the message is written, and kept in the draft. */
async function audience(visit) {
  for (const email of ['uno@example.com', 'dos@example.com'])
    await makePledge(email, 'night-ferry__digital-premiere', 'ok', 1, 'es');
  const page = await openBlast(visit);
  const all = Number((await page.getByText(/^\d+ of \d+ supporters\.$/).innerText()).split(' ')[2]);
  await page.getByRole('button', { name: 'Narrow' }).click();
  const spanish = dialog(page).getByLabel(/^Emails in Spanish \(\d+\)$/);
  await spanish.waitFor();
  const n = Number(
    (
      await dialog(page)
        .getByText(/^Emails in Spanish/)
        .innerText()
    ).match(/\d+/)[0],
  );
  assert.ok(n >= 2 && n < all, `${n} of ${all} supporters read Spanish`);
  await spanish.check();
  await dialog(page).getByText(`${n} of ${all} supporters.`).waitFor();
  await expectUsable(page);
  await dialog(page).getByRole('button', { name: 'Use this audience' }).click();
  await page.getByText(`${n} of ${all} supporters.`).waitFor();
  await subjectField(page).fill('Hola');
  await writeText(page, 'Zarpamos el viernes.');
  await page.getByLabel('Button label').focus();
  await page.getByText(/shared with your team, saved /).waitFor();
  await page.reload();
  await page.getByRole('button', { name: 'Remove Emails in Spanish' }).waitFor();
  await page.getByRole('button', { name: 'Review and send' }).click();
  await page.getByRole('heading', { name: `Send to ${n} people?` }).waitFor();
  const facts = await dialog(page).locator('.facts').innerText();
  for (const fact of ['Hola', 'Emails in Spanish', 'Supporters who unsubscribed'])
    assert.ok(facts.includes(fact), fact);
  await expectUsable(page);
  await dialog(page)
    .getByRole('button', { name: `Send to ${n} people` })
    .click();
  const row = page.getByRole('row').filter({ hasText: 'Hola' });
  await row.getByText('100%').waitFor();
  await row.getByText(/Emails in Spanish/).waitFor();
  assert.deepEqual(
    (await mailsWith('Hola'))
      .map((m) => m.to)
      .filter((to) => /^(uno|dos)@/.test(to))
      .sort(),
    ['dos@example.com', 'uno@example.com'],
  );
  assert.equal((await mailsWith('Hola')).length, n);

  await page.getByRole('link', { name: 'Compose' }).click();
  await page.getByText('All supporters', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Sent' }).click();
  await row.getByRole('button', { name: 'Use again: Hola' }).click();
  await page.getByRole('button', { name: 'Remove Emails in Spanish' }).click();
  await page.getByText(`${all} of ${all} supporters.`).waitFor();
  await saveDraft(page, { subject: '', body: '', ctaLabel: '', ctaUrl: '' });
}

/** The preview shows the actual mail. A picture that does not exist is rejected with an error message. */
async function preview(visit) {
  const page = await openBlast(visit);
  await page.getByText('Write a subject and a message to see the email.').waitFor();
  await saveDraft(page, {
    subject: 'We sail on Friday',
    body: 'The ship is **ready**.\n\n![A ship](/assets/images/none.jpg)\n\nSee you on board.',
    ctaLabel: 'See the ship',
    ctaUrl: '/campaigns/night-ferry/',
  });
  await page.reload();
  await page.getByText('Picture not found: /assets/images/none.jpg').waitFor();
  const refusal = 'The picture /assets/images/none.jpg does not exist: choose another one or remove it';
  await page.getByRole('complementary', { name: 'Preview' }).getByText(refusal).waitFor();
  await page.getByRole('button', { name: 'Review and send' }).click();
  await page.locator('.field .err').filter({ hasText: refusal }).waitFor();
  assert.equal(await dialog(page).count(), 0, 'a message with a broken picture can be sent');
  await expectUsable(page);
  await page.getByRole('button', { name: /^Edit Picture: A ship/ }).click();
  await page.getByRole('button', { name: 'Remove block' }).click();
  await page.getByText('1 link works.').waitFor();
  await page.getByText(refusal).waitFor({ state: 'detached' });

  const ready = mail(page).locator('strong', { hasText: 'ready' });
  await ready.waitFor();
  const button = mail(page).getByRole('link', { name: 'See the ship' });
  assert.match(await button.getAttribute('href'), /\/campaigns\/night-ferry\/$/);
  await page.waitForFunction(() => {
    const doc = document.querySelector('.mail-frame iframe').contentDocument;
    const link = [...doc.links].find((a) => a.text === 'See the ship');
    return getComputedStyle(link).borderRadius === '10px' && doc.defaultView.innerWidth === 390;
  });
  const background = () =>
    page.evaluate(() => {
      const { body, defaultView } = document.querySelector('.mail-frame iframe').contentDocument;
      return defaultView.getComputedStyle(body).backgroundColor;
    });
  const light = await background();
  await page.getByRole('button', { name: 'Dark theme' }).click();
  await page.waitForFunction(() => {
    const { body, defaultView } = document.querySelector('.mail-frame iframe').contentDocument;
    return defaultView.getComputedStyle(body).backgroundColor === 'rgb(13, 15, 28)';
  });
  assert.notEqual(light, await background());
  await expectUsable(page);
  await page.getByRole('button', { name: 'Desktop' }).click();
  await page.waitForFunction(() => document.querySelector('.mail-frame iframe').contentWindow.innerWidth === 680);
  await page.getByRole('button', { name: 'Plain text' }).click();
  await page.locator('.plain-mail').getByText('See you on board.').waitFor();
  await expectUsable(page);

  await page.getByRole('button', { name: 'Send test to me' }).click();
  await page.getByText('Test sent to operator@example.com.').waitFor();
  assert.match(await mailTo('operator@example.com', /See you on board/), /The ship is/);

  const small = await openBlast(visit, 'es', phone);
  await mail(small).locator('strong', { hasText: 'ready' }).waitFor();
  await expectUsable(small);
  await small.setViewportSize({ width: 320, height: 700 });
  assert.ok(await small.evaluate(() => document.documentElement.scrollWidth <= 320), 'the page is wider than 320 px');
  await saveDraft(page, { subject: '', body: '', ctaLabel: '', ctaUrl: '' });
}

/** A message is sent once. Sending it again requires an explicit choice. */
async function resend(visit) {
  const page = await openBlast(visit);
  const n = Number((await page.getByText(/^\d+ of \d+ supporters\.$/).innerText()).split(' ')[0]);
  await subjectField(page).fill('We sail on Saturday');
  await writeText(page, 'The ship is ready.');
  await page.getByRole('button', { name: 'Review and send' }).click();
  await page.getByRole('heading', { name: `Send to ${n} people?` }).waitFor();
  await expectUsable(page);
  await dialog(page)
    .getByRole('button', { name: `Send to ${n} people` })
    .click();
  const sent = page.getByRole('row').filter({ hasText: 'We sail on Saturday' });
  await sent.getByText('100%').waitFor();
  assert.equal(await page.getByText('Sending', { exact: true }).count(), 0, 'a sent message is shown as being sent');
  assert.equal(
    await page.evaluate(() => document.activeElement?.getAttribute('aria-label')),
    'Sent',
    'the focus is not at the result',
  );
  await expectUsable(page);

  await page.getByRole('link', { name: 'Compose' }).click();
  assert.equal(await subjectField(page).inputValue(), '', 'a sent message stays in the form');
  await page.reload();
  assert.equal(await subjectField(page).inputValue(), '', 'a sent message stays in the draft');
  await subjectField(page).fill('Something new');
  await page.getByRole('link', { name: 'Sent' }).click();
  await sent.getByRole('button', { name: 'We sail on Saturday', exact: true }).click();
  await dialog(page).getByText('The ship is ready.').waitFor();
  await expectUsable(page);
  await page.keyboard.press('Escape');
  await sent.getByRole('button', { name: 'Use again: We sail on Saturday' }).click();
  await page.getByRole('heading', { name: 'Replace your draft?' }).waitFor();
  await page.getByRole('button', { name: 'Replace draft' }).click();
  assert.equal(await subjectField(page).inputValue(), 'We sail on Saturday');

  await writeText(page, 'The ship is still ready.'); // another text with the same subject
  await page.getByRole('button', { name: 'Review and send' }).click();
  await page.getByText(`A message with this subject was sent to ${n} people on`).waitFor();
  const again = dialog(page).getByRole('button', { name: `Send to ${n} people`, exact: true });
  assert.equal(await again.getAttribute('aria-disabled'), 'true', 'the same message can be sent again without asking');
  await expectUsable(page);
  await page.getByLabel(`Send it again to ${n} people`).check();
  assert.equal((await mailsWith('We sail on Saturday')).length, n);
  await again.dblclick();
  await page.waitForFunction(
    () =>
      [...document.querySelectorAll('tbody tr')].filter((r) => /Saturday[\s\S]*100%/.test(r.innerText)).length === 2,
  );
  assert.equal((await mailsWith('We sail on Saturday')).length, 2 * n);
  await expectNoPersonalData(page);
}

/** A message that is being sent can be paused and stopped. */
async function sending(visit) {
  const page = await openDashboard(visit, 'en');
  const message = {
    n: 1,
    id: 'b1',
    subject: 'We sail on Friday',
    body: 'Soon.',
    category: 'blast',
    ctaLabel: '',
    ctaUrl: '',
    phase: 'sending',
    recipientCount: 386,
    sentAt: '2026-11-21T01:00:00Z',
    states: { accepted: 213, refused: 1, pending: 172 },
  };
  await page.route('**/admin/broadcast/sent?*', (r) => r.fulfill({ json: { sent: [message], next: 0 } }));
  await page.route('**/admin/broadcast?*', (r) => r.fulfill({ json: { ...message, campaignSlug: 'slow-weather' } }));
  await page.route('**/admin/broadcast/turn', (r) => {
    message.phase = r.request().postDataJSON().to;
    return r.fulfill({ json: message });
  });
  await openScreen(page, 'campaigns/slow-weather/blast?view=sent');
  await page.getByText('214 of 386 sent.').waitFor();
  await expectUsable(page);
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('button', { name: 'Resume' }).waitFor();
  await page.getByRole('button', { name: 'Stop for good…' }).click();
  await page.getByText('172 people will not get this message.').waitFor();
  await expectUsable(page);
  await page.locator('dialog[open]').getByRole('button', { name: 'Stop for good' }).click();
  await page.getByRole('row').filter({ hasText: 'We sail on Friday' }).getByText('Stopped').waitFor();
  await expectUsable(page);
}

export default { draft, audience, preview, resend, sending };
