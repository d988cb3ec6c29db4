// The service, typed by its own description (openapi.d.ts).
import type { components } from './openapi.d.ts';

export type Schema = components['schemas'];

const body = document.body;
export const service = body.dataset.service ?? '';
export const root = body.dataset.root ?? '';
export const simulated = body.dataset.processor === 'sim';

/** What the service refused, in words for the supporter. */
export class Refused extends Error {
  constructor(readonly status: number, readonly problem: Schema['Error']) {
    super(problem.error);
  }
}

/** Nobody answered: the supporter is offline, or the service is. */
export class Silent extends Error {}

export async function ask<T>(path: string, init: RequestInit): Promise<T> {
  let answer: Response;
  try {
    answer = await fetch(service + path, { credentials: 'omit', ...init });
  } catch {
    throw new Silent();
  }
  return answered<T>(answer.status, await answer.text());
}

/** What an answer says, or the error that it is. */
export function answered<T>(status: number, text: string): T {
  let value: unknown;
  try {
    value = text ? JSON.parse(text) : {};
  } catch {
    throw new Silent();
  }
  if (status < 200 || status > 299) throw new Refused(status, value as Schema['Error']);
  return value as T;
}

// Others may keep an answer for minutes; a page that counts down and counts what is left may not.
export const get = <T>(path: string): Promise<T> => ask<T>(path, { cache: 'no-cache' });

/** The headers that show a link's tokens. They are in no address, because proxies log addresses. */
export const shown = (token: string, more: Readonly<Record<string, string>> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries({ 'X-Link-Token': token, ...more }).map(([name, value]) => [name, encodeURIComponent(value)])); // what is no token may be no header

/** Reads what the token of a link opens. */
export const read = <T>(path: string, token: string, more: Readonly<Record<string, string>> = {}): Promise<T> => ask<T>(path, { cache: 'no-cache', headers: shown(token, more) });

export const post = <T>(path: string, value: unknown): Promise<T> =>
  ask<T>(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(value) });
