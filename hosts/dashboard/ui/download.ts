// Downloads of files that the server generates. They are fetched with the session, after a
// confirmation if the server requires a recent sign-in.
import { APIError, apiBase, NetworkError, type Schema } from '../../site/scripts/api.ts';
import { withRecentSignIn } from '../changes.ts';

export async function download(path: string, name: string): Promise<void> {
  save(await file(path), name);
}

/** Fetches a file, to save or to display it. */
export const file = (path: string): Promise<Blob> => withRecentSignIn(() => ask(path));

async function ask(path: string): Promise<Blob> {
  let answer: Response;
  try {
    answer = await fetch(apiBase + path, { credentials: 'include' });
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
