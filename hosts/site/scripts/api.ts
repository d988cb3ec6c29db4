// The API client. Types are generated from the API's description (openapi.d.ts).
import type { components } from './openapi.d.ts';

export type Schema = components['schemas'];

const body = document.body;
export const apiBase = body.dataset.service ?? '';
export const root = body.dataset.root ?? '';
export const isSimulated = body.dataset.processor === 'sim';

/** An error response of the API. */
export class APIError extends Error {
  constructor(
    readonly status: number,
    readonly problem: Schema['Error'],
  ) {
    super(problem.error);
  }
}

/** There was no valid response, because the browser is offline or the server is down. */
export class NetworkError extends Error {}

export async function sendRequest<T>(path: string, init: RequestInit): Promise<T> {
  let answer: Response;
  try {
    answer = await fetch(apiBase + path, { credentials: 'omit', ...init });
  } catch {
    throw new NetworkError();
  }
  return decodeResponse<T>(answer.status, await answer.text());
}

/**
 * Decodes the body of a response. Throws APIError for an error response, and NetworkError if the
 * body is not JSON.
 */
export function decodeResponse<T>(status: number, text: string): T {
  let value: unknown;
  try {
    value = text ? JSON.parse(text) : {};
  } catch {
    throw new NetworkError();
  }
  if (status < 200 || status > 299) throw new APIError(status, value as Schema['Error']);
  return value as T;
}

// Responses of the API may be cached for minutes. Pages with countdowns and stock levels need fresh ones.
export const get = <T>(path: string): Promise<T> => sendRequest<T>(path, { cache: 'no-cache' });

/** Returns the headers with a link's token. Tokens are not sent in URLs, because proxies log URLs. */
export const tokenHeaders = (token: string, more: Readonly<Record<string, string>> = {}): Record<string, string> =>
  Object.fromEntries(
    Object.entries({ 'X-Link-Token': token, ...more }).map(([name, value]) => [name, encodeURIComponent(value)]),
  ); // an invalid token may contain characters that headers do not allow

/** Gets a resource with a link's token. */
export const getWithToken = <T>(path: string, token: string, more: Readonly<Record<string, string>> = {}): Promise<T> =>
  sendRequest<T>(path, { cache: 'no-cache', headers: tokenHeaders(token, more) });

export const post = <T>(path: string, value: unknown): Promise<T> =>
  sendRequest<T>(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(value),
  });
