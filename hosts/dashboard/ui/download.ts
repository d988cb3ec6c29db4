// Downloads of files that the server generates. They are fetched with the session, after a
// confirmation if the server requires a recent sign-in.
import { APIError, apiBase, NetworkError, type Schema } from '../../site/scripts/api.ts';
import { withRecentSignIn } from '../changes.ts';
import { session } from '../session.ts';

/** Saves a file of the API. A body is posted, for parameters that must not be in a URL. */
export async function download(path: string, name: string, body?: unknown): Promise<void> {
  save(await file(path, body), name);
}

/** Fetches a file, to save or to display it. */
export const file = (path: string, body?: unknown): Promise<Blob> => withRecentSignIn(() => ask(path, body));

async function ask(path: string, body: unknown): Promise<Blob> {
  let answer: Response;
  try {
    answer = await fetch(apiBase + path, {
      credentials: 'include',
      ...(body === undefined
        ? {}
        : {
            method: 'POST',
            body: JSON.stringify(body),
            headers: { 'Content-Type': 'application/json', 'X-Svc-Admin-Csrf': session.value?.csrfToken ?? '' },
          }),
    });
  } catch {
    throw new NetworkError();
  }
  if (!answer.ok) throw new APIError(answer.status, (await answer.json()) as Schema['Error']);
  return answer.blob();
}

/** Offers a blob as a download. */
export function save(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
