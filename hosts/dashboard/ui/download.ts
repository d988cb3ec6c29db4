// Files that the service makes. They're asked for with the session, and a sign-in that is
// not old where the service wants one.
import { Refused, Silent, service, type Schema } from '../../site/scripts/api.ts';
import { freshly } from '../changing.ts';

export async function download(path: string, name: string): Promise<void> {
  save(await file(path), name);
}

/** A file, to be saved or shown. */
export const file = (path: string): Promise<Blob> => freshly(() => ask(path));

async function ask(path: string): Promise<Blob> {
  let answer: Response;
  try {
    answer = await fetch(service + path, { credentials: 'include' });
  } catch {
    throw new Silent();
  }
  if (!answer.ok) throw new Refused(answer.status, (await answer.json()) as Schema['Error']);
  return answer.blob();
}

/** Saves a file that the browser has. */
export function save(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
