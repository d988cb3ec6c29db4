// API requests of signed-in operators, with the session cookie and, for changes, the CSRF token.
import { apiBase, decodeResponse, NetworkError, sendRequest } from './api.ts';

export const getWithSession = <T>(path: string): Promise<T> => sendRequest<T>(path, { credentials: 'include' });

export const postWithSession = <T>(path: string, value: unknown, csrf = ''): Promise<T> =>
  sendRequest<T>(path, {
    method: 'POST',
    credentials: 'include',
    body: JSON.stringify(value),
    headers: { 'Content-Type': 'application/json', ...(csrf ? { 'X-Svc-Admin-Csrf': csrf } : {}) },
  });

type Progress = (share: number) => void;

/**
 * Sends a file and calls `progress` with the sent share, from 0 to 1. It uses XMLHttpRequest, because
 * fetch does not report upload progress.
 */
async function sendFile(
  method: string,
  url: string,
  header: Readonly<Record<string, string>>,
  file: Blob,
  withCredentials: boolean,
  progress: Progress,
): Promise<XMLHttpRequest> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, url);
    request.withCredentials = withCredentials;
    for (const [name, value] of Object.entries(header)) request.setRequestHeader(name, value);
    request.upload.onprogress = (e) => e.lengthComputable && progress(e.loaded / e.total);
    request.onerror = () => reject(new NetworkError());
    request.onload = () => resolve(request);
    request.send(file);
  });
}

/** Uploads a file to the API. */
export async function upload<T>(path: string, file: Blob, csrf: string, progress: Progress): Promise<T> {
  const r = await sendFile(
    'POST',
    apiBase + path,
    { 'Content-Type': 'application/octet-stream', 'X-Svc-Admin-Csrf': csrf },
    file,
    true,
    progress,
  );
  return decodeResponse<T>(r.status, r.responseText);
}

interface Grant {
  readonly method: string;
  readonly url: string;
  readonly header: Readonly<Record<string, string>>;
}

/** Uploads a file to object storage with an upload grant. Throws NetworkError if that fails. */
export async function uploadToStorage({ method, url, header }: Grant, file: Blob, progress: Progress): Promise<void> {
  const r = await sendFile(method, url, header, file, false, progress);
  if (r.status < 200 || r.status > 299) throw new NetworkError();
}
