// The sign-in page of the dashboard. Mail scanners open links, so a sign-in link only shows a
// button, and clicking the button signs in.
import { deleteDrafts, drafts } from '../../dashboard/editor/draftstore.ts';
import { APIError, NetworkError, type Schema } from './api.ts';
import { type Challenge, showChallenge } from './challenge.ts';
import { app, h, show, singleFlight } from './dom.ts';
import { notice, onValidSubmit } from './errors.ts';
import { getWithSession, postWithSession } from './operator.ts';
import { askForPasskey, requirePasskey } from './passkeys.ts';
import { announce, say } from './words.ts';

type Session = Schema['SessionView'];

/** Whether the dashboard is shown. */
let opened = false;

export async function admin(): Promise<void> {
  window.addEventListener('hashchange', (event) => {
    if (opened) dropToken(new URL(event.oldURL).hash);
    else showLink();
  });
  if (showLink()) return;
  try {
    openSession(await getWithSession<Session>('/admin/session'));
  } catch (error) {
    if (error instanceof APIError && error.status === 401) await askToSignIn();
    else show(notice(error));
  }
}

/**
 * Returns the sign-in or setup token in the URL's fragment. If there is one, `hash` replaces the
 * fragment in the address bar.
 */
function dropToken(hash: string): { signIn: string | null; setup: string | null } {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const token = { signIn: fragment.get('sign-in'), setup: fragment.get('setup') };
  if (token.signIn || token.setup) history.replaceState(null, '', location.pathname + location.search + hash);
  return token;
}

/** Shows the step of a sign-in or setup link. Returns false if the page was not opened by such a link. */
function showLink(): boolean {
  const { signIn: token, setup } = dropToken('');
  if (token) showSignInButton(token);
  else if (setup) askToSetUp(setup);
  return Boolean(token || setup);
}

const routeKey = 'admin-route';

/** Stores the dashboard's route in this tab until after the sign-in. */
function keepRoute(): void {
  if (location.hash.startsWith('#/')) sessionStorage.setItem(routeKey, location.hash);
}

function restoreRoute(): void {
  const hash = sessionStorage.getItem(routeKey);
  sessionStorage.removeItem(routeKey);
  if (!hash || location.hash.startsWith('#/')) return;
  history.replaceState(null, '', hash);
  window.dispatchEvent(new HashChangeEvent('hashchange')); // for a router that is already loaded
}

/** Shows the sign-in form, or explains that the platform has no users yet. */
async function askToSignIn(): Promise<void> {
  keepRoute();
  const setup = await getWithSession<Schema['SetupView']>('/admin/auth/setup').catch(() => undefined);
  if (setup?.needed) show(h('p', { class: 'lead' }, say('admin_no_users')));
  else askForMail();
}

/** Shows the form that creates the first super admin with a setup link's token. */
function askToSetUp(token: string): void {
  const name = h('input', { name: 'name', required: true, autocomplete: 'name', maxlength: 100 });
  const email = h('input', { type: 'email', name: 'email', required: true, autocomplete: 'email', maxlength: 254 });
  const button = h('button', { type: 'submit', class: 'btn primary' }, say('admin_setup_button'));
  const messages = h('div', {});
  const send = singleFlight(button, async () => {
    try {
      const session = await postWithSession<Session>('/admin/auth/setup', {
        token,
        name: name.value,
        email: email.value,
        preferredLang: document.documentElement.lang,
      } satisfies Schema['SetupRequest']);
      openSession(session);
      announce(say('admin_signed_in', { email: session.email }));
    } catch (error) {
      const status = error instanceof APIError ? error.status : 0;
      if (status === 410) askForMail({ why: errorNote(say('admin_setup_over')) });
      else messages.replaceChildren(status === 401 ? errorNote(say('admin_setup_expired')) : notice(error));
    }
  });
  show(
    onValidSubmit(
      h(
        'form',
        {},
        h('p', { class: 'lead' }, say('admin_setup')),
        h('label', {}, say('admin_setup_name'), name),
        h('label', {}, say('checkout_email'), email),
        messages,
        h('div', { class: 'row' }, button),
      ),
      send,
    ),
  );
  name.focus();
}

/** Shows the button that signs in with a link's token. */
function showSignInButton(token: string): void {
  const button = h('button', { type: 'button', class: 'btn primary' }, say('admin_sign_in'));
  const messages = h('div', {});
  const submitToken = singleFlight(button, () => signIn({ token }, messages));
  button.addEventListener('click', () => void submitToken());
  show(h('p', { class: 'lead' }, say('admin_link')), messages, h('div', { class: 'row' }, button));
}

async function signIn(proof: Schema['SignInProof'], messages: HTMLElement): Promise<void> {
  try {
    const session = await postWithSession<Session>('/admin/auth/sign-in', proof);
    openSession(session);
    if (session.lacks) return;
    announce(say('admin_signed_in', { email: session.email }));
    app().querySelector<HTMLElement>('.lead')?.focus();
  } catch (error) {
    if (!(error instanceof APIError) || error.status !== 401) messages.replaceChildren(notice(error));
    else if (error.problem.field === 'code') messages.replaceChildren(errorNote(say('admin_wrong_code')));
    else askForMail({ why: errorNote(say('admin_used')) });
  }
}

function errorNote(text: string): HTMLElement {
  const element = h('p', { class: 'note bad', role: 'alert', tabindex: -1 }, text);
  queueMicrotask(() => element.focus());
  return element;
}

/**
 * Returns the note that is shown after a session has ended. It mentions drafts if there are any:
 * signing out deletes them, but an expired session does not.
 */
function signedOutNote(): HTMLElement {
  const text = say(drafts().length ? 'admin_signed_out_kept' : 'admin_signed_out');
  const element = h('p', { class: 'note', role: 'status', tabindex: -1 }, text);
  queueMicrotask(() => element.focus());
  return element;
}

const heading = (): HTMLElement | null => document.querySelector<HTMLElement>('.sign-in h1');
const introduction = (): HTMLElement | null => document.querySelector<HTMLElement>('.sign-in h1 + p');
const served = [heading()?.textContent ?? '', introduction()?.textContent ?? ''] as const;

/** Sets the page's heading and the sentence below it. Without arguments it restores the original texts. */
function setHeading(title = served[0], text = served[1]): void {
  heading()?.replaceChildren(title);
  introduction()?.replaceChildren(text);
}

interface AskAgain {
  /** Why the form is shown again. */
  readonly why?: HTMLElement;
  readonly email?: string;
}

/** Shows the form that requests a sign-in email. */
function askForMail({ why, email: typed = '' }: AskAgain = {}): void {
  keepRoute();
  setHeading();
  const email = h('input', {
    type: 'email',
    name: 'email',
    required: true,
    autocomplete: 'username',
    maxlength: 254,
    value: typed,
  });
  const button = h('button', { type: 'submit', class: 'btn primary' }, say('admin_send'));
  const messages = h('div', {});
  const sitekey = document.querySelector<HTMLElement>('[data-challenge]')?.dataset.challenge;
  const widget = h('div', {});
  let captcha: Challenge | undefined;
  const send = singleFlight(button, async () => {
    try {
      const asked = await postWithSession<Schema['SignInAsked']>('/admin/auth/start', {
        email: email.value,
        preferredLang: document.documentElement.lang,
        ...(captcha ? { challenge: captcha.response() } : {}),
      } satisfies Schema['SignInRequest']);
      askForCode(email.value, asked.link);
    } catch (error) {
      captcha?.resetWidget();
      messages.replaceChildren(notice(error));
    }
  });
  show(
    why,
    onValidSubmit(
      h(
        'form',
        {},
        h('label', {}, say('checkout_email'), h('span', { class: 'affix mail' }, email)),
        widget,
        messages,
        button,
      ),
      send,
    ),
    h('p', { class: 'small muted' }, say('admin_once')),
  );
  if (sitekey) captcha = showChallenge(widget, sitekey, 'admin-sign-in');
}

/**
 * Shows the form for the code in the sign-in email. If the server returned the email's link, which
 * it does only in local development, the page contains it.
 */
function askForCode(email: string, link?: string): void {
  setHeading(say('admin_check'), say('admin_sent', { email }));
  const code = h('input', {
    name: 'code',
    required: true,
    inputmode: 'numeric',
    autocomplete: 'one-time-code',
    maxlength: 12,
  });
  const button = h('button', { type: 'submit', class: 'btn primary' }, say('admin_sign_in'));
  const again = h(
    'button',
    { type: 'button', class: 'btn plain', onclick: () => askForMail({ email }) },
    say('admin_again'),
  );
  const messages = h('div', {});
  const submitCode = singleFlight(button, () => signIn({ code: code.value }, messages));
  show(
    link ? h('p', {}, h('a', { href: link }, say('admin_local_link'))) : null,
    onValidSubmit(
      h(
        'form',
        {},
        h(
          'label',
          {},
          say('admin_code'),
          h('span', { class: 'affix' }, code),
          h('span', { class: 'hint' }, say('admin_elsewhere')),
        ),
        messages,
        button,
      ),
      submitCode,
    ),
    h('p', { class: 'note small' }, say('admin_nothing')),
    again,
  );
  const title = heading();
  title?.setAttribute('tabindex', '-1');
  title?.focus();
}

/** Opens the dashboard, or shows the passkey step that the session still lacks. */
function openSession(session: Session): void {
  setHeading();
  if (session.lacks === 'passkey') askForPasskey(session, signOutButton(session), openSession);
  else if (session.lacks === 'enrolment') requirePasskey(session, signOutButton(session), openSession);
  else void dashboard(session);
}

async function dashboard(session: Session): Promise<void> {
  restoreRoute();
  opened = true;
  try {
    const { open } = await import('../../dashboard/app.tsx');
    const [signIn, frame] = ['.sign-in', '[data-dashboard]'].map((s) => document.querySelector<HTMLElement>(s));
    if (!signIn || !frame) return;
    await open(session, frame, () => {
      opened = false;
      frame.hidden = true;
      frame.before(signIn);
      askForMail({ why: signedOutNote() });
    });
    signIn.remove();
    frame.hidden = false;
  } catch {
    show(notice(new NetworkError()));
  }
}

/** Returns a button that signs out and deletes the drafts. */
function signOutButton(session: Session): HTMLElement {
  const button = h('button', { type: 'button', class: 'btn plain' }, say('admin_sign_out'));
  const messages = h('div', {});
  const leave = singleFlight(button, async () => {
    try {
      await postWithSession<Schema['SignedOut']>('/admin/auth/sign-out', {}, session.csrfToken);
      deleteDrafts();
      askForMail({ why: signedOutNote() });
    } catch (error) {
      messages.replaceChildren(notice(error));
    }
  });
  button.addEventListener('click', () => void leave());
  return h('div', {}, messages, h('div', { class: 'row' }, button));
}
