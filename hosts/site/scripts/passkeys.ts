// Passkeys as a second factor: signing in with them, adding and removing them, and recovery codes in
// case they are lost.
import { APIError, type Schema } from './api.ts';
import { h, show, singleFlight } from './dom.ts';
import { notice, onValidSubmit } from './errors.ts';
import { getWithSession, postWithSession } from './operator.ts';
import { announce, moment, say } from './words.ts';

type Session = Schema['SessionView'];
type List = Schema['Passkeys'];

/** No passkey was used, because the prompt was dismissed, timed out, or had no matching passkey. */
class NotUsed extends Error {}

const bytes = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));

const text = (buffer: ArrayBuffer | null): string =>
  btoa(String.fromCharCode(...new Uint8Array(buffer ?? new ArrayBuffer())))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

const descriptors = (list: List): PublicKeyCredentialDescriptor[] =>
  list.passkeys.map((p) => ({ type: 'public-key', id: bytes(p.id) }));

const challenge = (list: List): Uint8Array<ArrayBuffer> => new TextEncoder().encode(list.challenge);

/** Runs a credential prompt. Throws NotUsed if it returns no passkey. */
async function prompt(ask: () => Promise<Credential | null>): Promise<PublicKeyCredential> {
  try {
    const credential = await ask();
    if (credential instanceof PublicKeyCredential) return credential;
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
  }
  throw new NotUsed();
}

/** Verifies a passkey and returns the session, which then counts as recently signed in. */
export async function verifyPasskey(session: Session): Promise<Session> {
  const list = await getWithSession<List>('/admin/passkeys');
  const used = await prompt(() =>
    navigator.credentials.get({
      publicKey: {
        challenge: challenge(list),
        rpId: list.rpId,
        allowCredentials: descriptors(list),
        userVerification: 'required',
      },
    }),
  );
  const answer = used.response as AuthenticatorAssertionResponse;
  return postWithSession<Session>(
    '/admin/auth/passkey',
    {
      id: text(used.rawId),
      clientDataJSON: text(answer.clientDataJSON),
      authenticatorData: text(answer.authenticatorData),
      signature: text(answer.signature),
    } satisfies Schema['PasskeyAnswer'],
    session.csrfToken,
  );
}

async function createPasskey(session: Session, name: string): Promise<readonly string[]> {
  const list = await getWithSession<List>('/admin/passkeys');
  const created = await prompt(() =>
    navigator.credentials.create({
      publicKey: {
        challenge: challenge(list),
        rp: { id: list.rpId, name: document.title },
        user: { id: bytes(list.userId), name: session.email, displayName: session.name },
        pubKeyCredParams: [
          { type: 'public-key', alg: -7 },
          { type: 'public-key', alg: -257 },
        ],
        authenticatorSelection: { userVerification: 'required' },
        excludeCredentials: descriptors(list),
        attestation: 'none',
      },
    }),
  );
  const answer = created.response as AuthenticatorAttestationResponse;
  const { codes } = await postWithSession<Schema['RecoveryCodes']>(
    '/admin/passkeys',
    {
      name,
      id: text(created.rawId),
      clientDataJSON: text(answer.clientDataJSON),
      authenticatorData: text(answer.getAuthenticatorData()),
      publicKey: text(answer.getPublicKey()),
      publicKeyAlgorithm: answer.getPublicKeyAlgorithm(),
    } satisfies Schema['NewPasskey'],
    session.csrfToken,
  );
  return codes;
}

/** Returns an alert for an error. `code` is the ID of the message for a rejected code. */
function errorNote(error: unknown, code = ''): HTMLElement {
  const own =
    error instanceof NotUsed
      ? 'admin_passkey_failed'
      : error instanceof APIError && error.problem.field === 'code'
        ? code
        : '';
  if (!own) return notice(error);
  const element = h('p', { class: 'note bad', role: 'alert', tabindex: -1 }, say(own));
  queueMicrotask(() => element.focus());
  return element;
}

/** Returns a form with at most one field. Submitting it runs a task, whose error the form shows. */
function taskForm(
  field: HTMLElement | null,
  label: string,
  task: () => Promise<void>,
  more: { code?: string; quiet?: boolean } = {},
): HTMLElement {
  const button = h('button', { type: 'submit', class: more.quiet ? 'btn sm' : 'btn primary' }, label);
  const messages = h('div', {});
  const run = singleFlight(button, async () => {
    messages.replaceChildren();
    try {
      await task();
    } catch (error) {
      messages.replaceChildren(errorNote(error, more.code));
    }
  });
  return onValidSubmit(h('form', {}, field, messages, button), run);
}

// Passkeys are bound to a host name, so browsers do not create them for IP addresses.
const isSupported = (): boolean => 'PublicKeyCredential' in window && !/^[\d.]+$|^\[/.test(location.hostname);

/** Shows the passkey step, which follows the emailed link or code. */
export function askForPasskey(session: Session, leave: HTMLElement, entered: (s: Session) => void): void {
  const lead = h(
    'p',
    { class: 'lead', tabindex: -1 },
    say(isSupported() ? 'admin_passkey_ask' : 'admin_passkey_unable'),
  );
  const code = h('input', {
    name: 'code',
    required: true,
    autocomplete: 'off',
    autocapitalize: 'off',
    spellcheck: 'false',
    maxlength: 40,
  });
  const recover = taskForm(
    h('label', {}, say('admin_passkey_code'), code, h('span', { class: 'hint' }, say('admin_passkey_code_why'))),
    say('admin_sign_in'),
    async () => {
      entered(
        await postWithSession<Session>(
          '/admin/auth/recovery',
          { code: code.value } satisfies Schema['RecoveryCode'],
          session.csrfToken,
        ),
      );
    },
    { code: 'admin_passkey_code_wrong' },
  );
  show(
    lead,
    isSupported() ? taskForm(null, say('admin_passkey_use'), async () => entered(await verifyPasskey(session))) : null,
    h('details', {}, h('summary', {}, say('admin_passkey_lost')), recover),
    leave,
  );
  lead.focus();
}

/** Shows the step in which operators add their first passkey if they are required to have one. */
export function requirePasskey(session: Session, leave: HTMLElement, entered: (s: Session) => void): void {
  const lead = h(
    'p',
    { class: 'lead', tabindex: -1 },
    say(isSupported() ? 'admin_passkey_needed' : 'admin_passkey_unable'),
  );
  show(
    lead,
    isSupported() ? addForm(session, () => void getWithSession<Session>('/admin/session').then(entered)) : null,
    leave,
  );
  lead.focus();
}

function addForm(session: Session, added: () => void): HTMLElement {
  const name = h('input', { name: 'passkey', required: true, maxlength: 60, autocomplete: 'off' });
  const container = h('div', {});
  container.append(
    taskForm(h('label', {}, say('admin_passkey_name'), name), say('admin_passkey_add'), async () => {
      const codes = await withRecentPasskey(session, () => createPasskey(session, name.value));
      announce(say('admin_passkey_added'));
      if (codes.length) showCodes(container, codes, added);
      else added();
    }),
  );
  return container;
}

/** Runs a task. If it requires a recent sign-in, verifies a passkey and retries the task. */
async function withRecentPasskey<T>(session: Session, task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    if (!(error instanceof APIError) || error.problem.code !== 'sign_in_again') throw error;
    const { passkeys } = await getWithSession<List>('/admin/passkeys');
    if (!passkeys.length) throw error;
    announce(say('admin_passkey_fresh'));
    await verifyPasskey(session);
    return task();
  }
}

function showCodes(container: HTMLElement, codes: readonly string[], kept: () => void): void {
  const heading = h('h3', { tabindex: -1 }, say('admin_codes'));
  container.replaceChildren(
    heading,
    h('p', {}, say('admin_codes_why')),
    h('ol', { class: 'codes' }, ...codes.map((c) => h('li', {}, h('code', {}, c)))),
    h('button', { type: 'button', class: 'btn', onclick: kept }, say('admin_codes_kept')),
  );
  heading.focus();
}

/** Returns the list of the session's passkeys with controls to change it. The list is loaded afterwards. */
export function passkeyManager(session: Session): HTMLElement {
  const container = h('div', { class: 'native' });
  const fill = async (): Promise<void> => {
    const list = await getWithSession<List>('/admin/passkeys');
    const codes = h('div', { class: 'native' });
    if (list.passkeys.length)
      codes.append(
        h('p', { class: 'small soft' }, say('admin_codes_left', { count: list.codesLeft })),
        taskForm(
          null,
          say('admin_codes_new'),
          async () => {
            const created = await withRecentPasskey(session, () =>
              postWithSession<Schema['RecoveryCodes']>('/admin/passkeys/codes', {}, session.csrfToken),
            );
            showCodes(codes, created.codes, () => void fill());
          },
          { quiet: true },
        ),
      );
    container.replaceChildren(
      h('p', { class: 'soft' }, say(isSupported() ? 'admin_passkeys_why' : 'admin_passkey_unable')),
      list.passkeys.length
        ? h('ul', { class: 'rows flush' }, ...list.passkeys.map((p) => passkeyRow(session, p, fill)))
        : '',
      isSupported() ? addForm(session, () => void fill()) : '',
      codes,
    );
  };
  fill().catch((error: unknown) => container.replaceChildren(notice(error)));
  return container;
}

function passkeyRow(session: Session, p: List['passkeys'][number], changed: () => Promise<void>): HTMLElement {
  const remove = async (): Promise<void> => {
    await withRecentPasskey(session, () =>
      postWithSession('/admin/passkeys/remove', { id: p.id } satisfies Schema['PasskeyRemoval'], session.csrfToken),
    );
    announce(say('admin_passkey_removed'));
    await changed();
  };
  const used = p.usedAt ? say('admin_passkey_used', { time: moment(p.usedAt) }) : say('admin_passkey_unused');
  return h(
    'li',
    {},
    h('div', { class: 'grow' }, h('b', {}, p.name), h('p', { class: 'small muted' }, used)),
    taskForm(null, say('admin_passkey_remove', { name: p.name }), remove, { quiet: true }),
  );
}
