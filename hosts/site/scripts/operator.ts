// Requests of who is signed in: with the session's cookie, and what shows that a change is
// the page's own.
import { answered, ask, service, Silent } from './api.ts';

export const read = <T>(path: string): Promise<T> => ask<T>(path, { credentials: 'include' });

export const change = <T>(path: string, value: unknown, csrf = ''): Promise<T> =>
  ask<T>(path, {
    method: 'POST', credentials: 'include', body: JSON.stringify(value),
    headers: { 'Content-Type': 'application/json', ...(csrf ? { 'X-Svc-Admin-Csrf': csrf } : {}) },
  });

type Progress = (share: number) => void;

/** Sends a file, and says meanwhile which share of it has left: fetch does not tell. */
async function transfer(method: string, url: string, header: Readonly<Record<string, string>>, file: Blob, mine: boolean, progress: Progress): Promise<XMLHttpRequest> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, url);
    request.withCredentials = mine;
    for (const [name, value] of Object.entries(header)) request.setRequestHeader(name, value);
    request.upload.onprogress = (e) => e.lengthComputable && progress(e.loaded / e.total);
    request.onerror = () => reject(new Silent());
    request.onload = () => resolve(request);
    request.send(file);
  });
}

/** Uploads a file to the service. */
export async function upload<T>(path: string, file: Blob, csrf: string, progress: Progress): Promise<T> {
  const r = await transfer('POST', service + path, { 'Content-Type': 'application/octet-stream', 'X-Svc-Admin-Csrf': csrf }, file, true, progress);
  return answered<T>(r.status, r.responseText);
}

interface Grant {
  readonly method: string;
  readonly url: string;
  readonly header: Readonly<Record<string, string>>;
}

/** Sends a file elsewhere, as a grant says. */
export async function deliver({ method, url, header }: Grant, file: Blob, progress: Progress): Promise<void> {
  const r = await transfer(method, url, header, file, false, progress);
  if (r.status < 200 || r.status > 299) throw new Silent();
}
