// Requests that change data. Each contains the session's CSRF token. If a request requires a recent
// sign-in, the operator is asked to confirm their identity, and the request is retried.
import { signal } from '@preact/signals';
import { APIError } from '../site/scripts/api.ts';
import { postWithSession as post, upload as uploadFile, uploadToStorage } from '../site/scripts/operator.ts';
import { session } from './session.ts';

/** The operator dismissed the dialog that asks them to confirm their identity. */
export class ConfirmationDismissed extends Error {}

export interface Confirmation {
  readonly confirmed: () => void;
  readonly dismissed: () => void;
}

/** The pending confirmation, or null. The dialog is open while it is set. */
export const pendingConfirmation = signal<Confirmation | null>(null);

/**
 * Posts a change. It throws APIError with the server's reason if the change was rejected, and
 * NetworkError if it is not known whether it was made.
 */
export async function change<T>(path: string, value: unknown): Promise<T> {
  return withRecentSignIn(() => withSession(() => post<T>(path, value, session.value?.csrfToken)));
}

/** Sends a request. If it requires a recent sign-in, asks for confirmation and retries it once. */
export async function withRecentSignIn<T>(send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if (!needsRecentSignIn(error)) throw error;
    await confirmIdentity();
    return send();
  }
}

/** Reports whether a request was rejected because it requires a more recent sign-in. */
export const needsRecentSignIn = (error: unknown): boolean =>
  error instanceof APIError && error.problem.code === 'sign_in_again';

/** Uploads a file. `progress` receives the fraction sent so far, from 0 to 1. */
export const upload = <T>(path: string, file: Blob, progress: (share: number) => void): Promise<T> =>
  withSession(() => uploadFile<T>(path, file, session.value?.csrfToken ?? '', progress));

/** Posts a change whose parameters are all in its URL. */
export const postEmpty = <T>(path: string): Promise<T> =>
  withSession(() => post<T>(path, {}, session.value?.csrfToken));

/** Uploads a file directly to object storage with an upload grant. */
export const uploadDirect = uploadToStorage;

async function withSession<T>(send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if (error instanceof APIError && error.status === 401) session.value = null;
    throw error;
  }
}

/** Opens the confirmation dialog. Rejects with ConfirmationDismissed if the operator dismisses it. */
export function confirmIdentity(): Promise<void> {
  return new Promise((resolve, reject) => {
    pendingConfirmation.value = {
      confirmed: () => {
        pendingConfirmation.value = null;
        resolve();
      },
      dismissed: () => {
        pendingConfirmation.value = null;
        reject(new ConfirmationDismissed());
      },
    };
  });
}

/** Returns an idempotency key: a change that is sent twice with the same key is applied once. */
export const newChangeID = (): string => crypto.randomUUID();
