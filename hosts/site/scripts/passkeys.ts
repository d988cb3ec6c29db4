// Passkeys beside the mail: to show one, to add and remove them, and the recovery codes that
// stand for a lost one.
import { Refused, type Schema } from './api.ts';
import { h, once, show } from './dom.ts';
import { change, read } from './operator.ts';
import { notice } from './problem.ts';
import { announce, moment, say } from './words.ts';

type Session = Schema['SessionView'];
type List = Schema['Passkeys'];

/** Nobody used a passkey: it was put off, is another one, or took too long. */
class Unused extends Error {}

const bytes = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));

const text = (buffer: ArrayBuffer | null): string =>
  btoa(String.fromCharCode(...new Uint8Array(buffer ?? new ArrayBuffer()))).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

const descriptors = (list: List): PublicKeyCredentialDescriptor[] => list.passkeys.map((p) => ({ type: 'public-key', id: bytes(p.id) }));

const challenge = (list: List): Uint8Array<ArrayBuffer> => new TextEncoder().encode(list.challenge);

/** What the browser returns: a person who puts it off is no defect. */
async function asked(ask: () => Promise<Credential | null>): Promise<PublicKeyCredential> {
  try {
    const credential = await ask();
    if (credential instanceof PublicKeyCredential) return credential;
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
  }
  throw new Unused();
}

/** Has the browser show a passkey; the session is good for what takes a fresh one then. */
export async function use(session: Session): Promise<Session> {
  const list = await read<List>('/admin/passkeys');
  const used = await asked(() => navigator.credentials.get({
    publicKey: { challenge: challenge(list), rpId: list.rpId, allowCredentials: descriptors(list), userVerification: 'required' },
  }));
  const answer = used.response as AuthenticatorAssertionResponse;
  return change<Session>('/admin/auth/passkey', {
    id: text(used.rawId), clientDataJSON: text(answer.clientDataJSON), authenticatorData: text(answer.authenticatorData), signature: text(answer.signature),
  } satisfies Schema['PasskeyAnswer'], session.csrfToken);
}

async function add(session: Session, name: string): Promise<readonly string[]> {
  const list = await read<List>('/admin/passkeys');
  const made = await asked(() => navigator.credentials.create({
    publicKey: {
      challenge: challenge(list), rp: { id: list.rpId, name: document.title },
      user: { id: bytes(list.userId), name: session.email, displayName: session.name },
      pubKeyCredParams: [{ type: 'public-key', alg: -7 }, { type: 'public-key', alg: -257 }],
      authenticatorSelection: { userVerification: 'required' }, excludeCredentials: descriptors(list), attestation: 'none',
    },
  }));
  const answer = made.response as AuthenticatorAttestationResponse;
  const { codes } = await change<Schema['RecoveryCodes']>('/admin/passkeys', {
    name, id: text(made.rawId), clientDataJSON: text(answer.clientDataJSON), authenticatorData: text(answer.getAuthenticatorData()),
    publicKey: text(answer.getPublicKey()), publicKeyAlgorithm: answer.getPublicKeyAlgorithm(),
  } satisfies Schema['NewPasskey'], session.csrfToken);
  return codes;
}

/** Says what went wrong. */
function wrong(error: unknown, code = ''): HTMLElement {
  const own = error instanceof Unused ? 'admin_passkey_failed' : error instanceof Refused && error.problem.field === 'code' ? code : '';
  if (!own) return notice(error);
  const element = h('p', { class: 'note bad', role: 'alert', tabindex: -1 }, say(own));
  queueMicrotask(() => element.focus());
  return element;
}

/** A form with one field, or none, whose task says below it what went wrong. */
function form(field: HTMLElement | null, label: string, task: () => Promise<void>, more: { code?: string; quiet?: boolean } = {}): HTMLElement {
  const button = h('button', { type: 'submit', ...(more.quiet ? { class: 'quiet' } : {}) }, label);
  const said = h('div', {});
  const run = once(button, async () => {
    said.replaceChildren();
    try {
      await task();
    } catch (error) {
      said.replaceChildren(wrong(error, more.code));
    }
  });
  return h('form', {
    onsubmit: (event: Event) => {
      event.preventDefault();
      void run();
    },
  }, field, said, h('div', { class: 'row' }, button));
}

// A passkey is bound to a host's name: at a bare IP address browsers refuse to make one.
const able = (): boolean => 'PublicKeyCredential' in window && !/^[\d.]+$|^\[/.test(location.hostname);

/** The step between the mail and everything else. */
export function askForPasskey(session: Session, leave: HTMLElement, entered: (s: Session) => void): void {
  const lead = h('p', { class: 'lead', tabindex: -1 }, say(able() ? 'admin_passkey_ask' : 'admin_passkey_unable'));
  const code = h('input', { name: 'code', required: true, autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false', maxlength: 40 });
  const recover = form(h('label', {}, say('admin_passkey_code'), code, h('span', { class: 'hint' }, say('admin_passkey_code_why'))), say('admin_sign_in'), async () => {
    entered(await change<Session>('/admin/auth/recovery', { code: code.value } satisfies Schema['RecoveryCode'], session.csrfToken));
  }, { code: 'admin_passkey_code_wrong' });
  show(lead, able() ? form(null, say('admin_passkey_use'), async () => entered(await use(session))) : null,
    h('details', {}, h('summary', {}, say('admin_passkey_lost')), recover), leave);
  lead.focus();
}

/** The step of who needs a passkey and has none. */
export function demandPasskey(session: Session, leave: HTMLElement, entered: (s: Session) => void): void {
  const lead = h('p', { class: 'lead', tabindex: -1 }, say(able() ? 'admin_passkey_needed' : 'admin_passkey_unable'));
  show(lead, able() ? adding(session, () => void read<Session>('/admin/session').then(entered)) : null, leave);
  lead.focus();
}

function adding(session: Session, added: () => void): HTMLElement {
  const name = h('input', { name: 'passkey', required: true, maxlength: 60, autocomplete: 'off' });
  const place = h('div', {});
  place.append(form(h('label', {}, say('admin_passkey_name'), name), say('admin_passkey_add'), async () => {
    const codes = await fresh(session, () => add(session, name.value));
    announce(say('admin_passkey_added'));
    if (codes.length) showCodes(place, codes, added);
    else added();
  }));
  return place;
}

/** Shows a passkey first where it was shown too long ago. */
async function fresh<T>(session: Session, task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    if (!(error instanceof Refused) || error.problem.code !== 'sign_in_again') throw error;
    const { passkeys } = await read<List>('/admin/passkeys');
    if (!passkeys.length) throw error;
    announce(say('admin_passkey_fresh'));
    await use(session);
    return task();
  }
}

function showCodes(place: HTMLElement, codes: readonly string[], kept: () => void): void {
  const heading = h('h3', { tabindex: -1 }, say('admin_codes'));
  place.replaceChildren(heading, h('p', {}, say('admin_codes_why')), h('ol', { class: 'codes' }, ...codes.map((c) => h('li', {}, h('code', {}, c)))),
    h('div', { class: 'row' }, h('button', { type: 'button', onclick: kept }, say('admin_codes_kept'))));
  heading.focus();
}

/** The passkeys of who is signed in, filled once they are known. */
export function passkeys(session: Session): HTMLElement {
  const section = h('section', {});
  const fill = async (): Promise<void> => {
    const list = await read<List>('/admin/passkeys');
    const rows = list.passkeys.map((p) => h('li', {}, `${p.name} · `, h('span', { class: 'small' }, p.usedAt ? say('admin_passkey_used', { time: moment(p.usedAt) }) : say('admin_passkey_unused')),
      form(null, say('admin_passkey_remove', { name: p.name }), async () => {
        await fresh(session, () => change('/admin/passkeys/remove', { id: p.id } satisfies Schema['PasskeyRemoval'], session.csrfToken));
        announce(say('admin_passkey_removed'));
        await fill();
      }, { quiet: true })));
    const codes = h('div', {});
    if (list.passkeys.length) codes.append(h('p', {}, say('admin_codes_left', { count: list.codesLeft })), form(null, say('admin_codes_new'), async () => {
      const made = await fresh(session, () => change<Schema['RecoveryCodes']>('/admin/passkeys/codes', {}, session.csrfToken));
      showCodes(codes, made.codes, () => void fill());
    }, { quiet: true }));
    section.replaceChildren(h('h2', {}, say('admin_passkeys')), h('p', {}, say(able() ? 'admin_passkeys_why' : 'admin_passkey_unable')),
      rows.length ? h('ul', { class: 'passkeys' }, ...rows) : '', able() ? adding(session, () => void fill()) : '', codes);
  };
  fill().catch((error: unknown) => section.replaceChildren(notice(error)));
  return section;
}
