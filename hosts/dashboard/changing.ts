// Changes. Each shows the session's token, and some take a sign-in that is not old: then
// whoever is there shows again who they are, and the change goes on.
import { signal } from '@preact/signals';
import { Refused } from '../site/scripts/api.ts';
import { change as post, deliver as hand, upload as put } from '../site/scripts/operator.ts';
import { session } from './session.ts';

/** Somebody put off what a change needs. */
export class PutOff extends Error {}

export interface Asked {
  readonly confirmed: () => void;
  readonly putOff: () => void;
}

/** Set while somebody is asked to show again who they are. */
export const askedAgain = signal<Asked | null>(null);

/** Sends a change. Where it's refused, nothing was changed. */
export async function change<T>(path: string, value: unknown): Promise<T> {
  return freshly(() => asMine(() => post<T>(path, value, session.value?.csrfToken)));
}

/** Sends a request, and sends it again after a confirmation if it takes a fresh sign-in. */
export async function freshly<T>(send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if (!isOld(error)) throw error;
    await confirmed();
    return send();
  }
}

/** Reports whether a request was refused because the sign-in is too old for it. */
export const isOld = (error: unknown): boolean => error instanceof Refused && error.problem.code === 'sign_in_again';

/** Sends a file, and says meanwhile which share of it has left. */
export const upload = <T>(path: string, file: Blob, progress: (share: number) => void): Promise<T> =>
  asMine(() => put<T>(path, file, session.value?.csrfToken ?? '', progress));

/** Sends a change that its address says. */
export const bodyless = <T>(path: string): Promise<T> => asMine(() => post<T>(path, {}, session.value?.csrfToken));

/** Sends a file where a grant says. */
export const deliver = hand;

async function asMine<T>(send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if (error instanceof Refused && error.status === 401) session.value = null;
    throw error;
  }
}

/** Waits until somebody has shown again who they are. */
export function confirmed(): Promise<void> {
  return new Promise((resolve, reject) => {
    askedAgain.value = {
      confirmed: () => {
        askedAgain.value = null;
        resolve();
      },
      putOff: () => {
        askedAgain.value = null;
        reject(new PutOff());
      },
    };
  });
}

/** An identity for a change, so that it's made once however often it's sent. */
export const identity = (): string => crypto.randomUUID();
