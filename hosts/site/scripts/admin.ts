// Where those who run campaigns sign in. Scanners of mailboxes open links, so a link shows
// a button, and only that signs in.
import { deleteDrafts } from '../../dashboard/editor/kept.ts';
import { Refused, Silent, type Schema } from './api.ts';
import { challenge, type Challenge } from './challenge.ts';
import { app, h, once, show } from './dom.ts';
import { change, read } from './operator.ts';
import { askForPasskey, demandPasskey } from './passkeys.ts';
import { notice } from './problem.ts';
import { announce, say } from './words.ts';

type Session = Schema['SessionView'];

export async function admin(): Promise<void> {
  const token = takeLink();
  if (token) {
    offer(token);
    return;
  }
  try {
    enter(await read<Session>('/admin/session'));
  } catch (error) {
    if (error instanceof Refused && error.status === 401) askForMail();
    else show(notice(error));
  }
}

/** The link's token, which leaves the address bar at once. */
function takeLink(): string | null {
  const token = new URLSearchParams(location.hash.slice(1)).get('sign-in');
  if (token) history.replaceState(null, '', location.pathname + location.search);
  return token;
}

/** The button behind a link. */
function offer(token: string): void {
  const button = h('button', { type: 'button' }, say('admin_sign_in'));
  const said = h('div', {});
  const enter = once(button, () => signIn({ token }, said));
  button.addEventListener('click', () => void enter());
  show(h('p', { class: 'lead' }, say('admin_link')), said, h('div', { class: 'row' }, button));
}

async function signIn(proof: Schema['SignInProof'], said: HTMLElement): Promise<void> {
  try {
    const session = await change<Session>('/admin/auth/sign-in', proof);
    enter(session);
    if (session.lacks) return;
    announce(say('admin_signed_in', { email: session.email }));
    app().querySelector<HTMLElement>('.lead')?.focus();
  } catch (error) {
    if (!(error instanceof Refused) || error.status !== 401) said.replaceChildren(notice(error));
    else if (error.problem.field === 'code') said.replaceChildren(bad(say('admin_wrong_code')));
    else askForMail(say('admin_used'));
  }
}

function bad(text: string): HTMLElement {
  const element = h('p', { class: 'note bad', role: 'alert', tabindex: -1 }, text);
  queueMicrotask(() => element.focus());
  return element;
}

/** The form for the address, with why it is asked for again. */
function askForMail(why?: string): void {
  const email = h('input', { type: 'email', name: 'email', required: true, autocomplete: 'username', maxlength: 254 });
  const button = h('button', { type: 'submit' }, say('admin_send'));
  const said = h('div', {});
  const sitekey = document.querySelector<HTMLElement>('[data-challenge]')?.dataset.challenge;
  const widget = h('div', {});
  let asks: Challenge | undefined;
  const send = once(button, async () => {
    try {
      const asked = await change<Schema['SignInAsked']>('/admin/auth/start', {
        email: email.value, preferredLang: document.documentElement.lang, ...(asks ? { challenge: asks.response() } : {}),
      } satisfies Schema['SignInRequest']);
      askForCode(email.value, asked.link);
    } catch (error) {
      asks?.again();
      said.replaceChildren(notice(error));
    }
  });
  const submit = (event: Event): void => {
    event.preventDefault();
    void send();
  };
  show(why ? bad(why) : null, h('form', { onsubmit: submit }, h('p', {}, say('admin_ask')),
    h('label', {}, say('checkout_email'), email), widget, said, h('div', { class: 'row' }, button)));
  if (sitekey) asks = challenge(widget, sitekey, 'admin-sign-in');
}

/** What to do with the mail, here or on another device. */
function askForCode(email: string, link?: string): void {
  const code = h('input', { name: 'code', required: true, inputmode: 'numeric', autocomplete: 'one-time-code', maxlength: 12 });
  const button = h('button', { type: 'submit' }, say('admin_sign_in'));
  const again = h('button', { type: 'button', class: 'quiet', onclick: () => askForMail() }, say('admin_again'));
  const said = h('div', {});
  const enter = once(button, () => signIn({ code: code.value }, said));
  const submit = (event: Event): void => {
    event.preventDefault();
    void enter();
  };
  const lead = h('p', { class: 'lead', tabindex: -1 }, say('admin_sent', { email }));
  show(lead, link ? h('p', {}, h('a', { href: link, onclick: () => setTimeout(() => location.reload()) }, say('admin_local_link'))) : null,
    h('form', { onsubmit: submit }, h('p', {}, say('admin_elsewhere')), h('label', {}, say('admin_code'), code), said, h('div', { class: 'row' }, button, again)));
  lead.focus();
}

/** What a session shows: the dashboard, or the step that it lacks. */
function enter(session: Session): void {
  if (session.lacks === 'passkey') askForPasskey(session, leaving(session), enter);
  else if (session.lacks === 'enrolment') demandPasskey(session, leaving(session), enter);
  else void dashboard(session);
}

async function dashboard(session: Session): Promise<void> {
  try {
    const { open } = await import('../../dashboard/app.tsx');
    await open(session, app(), () => {
      askForMail();
      announce(say('admin_signed_out'));
    });
  } catch {
    show(notice(new Silent()));
  }
}

/** The way out. */
function leaving(session: Session): HTMLElement {
  const button = h('button', { type: 'button', class: 'quiet' }, say('admin_sign_out'));
  const said = h('div', {});
  const leave = once(button, async () => {
    try {
      await change<Schema['SignedOut']>('/admin/auth/sign-out', {}, session.csrfToken);
      deleteDrafts();
      askForMail();
      announce(say('admin_signed_out'));
    } catch (error) {
      said.replaceChildren(notice(error));
    }
  });
  button.addEventListener('click', () => void leave());
  return h('div', {}, said, h('div', { class: 'row' }, button));
}
