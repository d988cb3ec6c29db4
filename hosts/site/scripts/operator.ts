// Requests of who is signed in: with the session's cookie, and what shows that a change is
// the page's own.
import { answered, ask, service, Silent } from './api.ts';

export const read = <T>(path: string): Promise<T> => ask<T>(path, { credentials: 'include' });

export const change = <T>(path: string, value: unknown, csrf = ''): Promise<T> =>
  ask<T>(path, {
    method: 'POST', credentials: 'include', body: JSON.stringify(value),
    headers: { 'Content-Type': 'application/json', ...(csrf ? { 'X-Svc-Admin-Csrf': csrf } : {}) },
  });

/** Sends a file, and says meanwhile which share of it has left: fetch does not tell. */
export function upload<T>(path: string, file: Blob, csrf: string, progress: (share: number) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', service + path);
    request.withCredentials = true;
    request.setRequestHeader('Content-Type', 'application/octet-stream');
    request.setRequestHeader('X-Svc-Admin-Csrf', csrf);
    request.upload.onprogress = (e) => e.lengthComputable && progress(e.loaded / e.total);
    request.onerror = () => reject(new Silent());
    request.onload = () => {
      try {
        resolve(answered<T>(request.status, request.responseText));
      } catch (error) {
        reject(error as Error);
      }
    };
    request.send(file);
  });
}
