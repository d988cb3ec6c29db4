// Requests of who is signed in: with the session's cookie, and what shows that a change is
// the page's own.
import { ask } from './api.ts';

export const read = <T>(path: string): Promise<T> => ask<T>(path, { credentials: 'include' });

export const change = <T>(path: string, value: unknown, csrf = ''): Promise<T> =>
  ask<T>(path, {
    method: 'POST', credentials: 'include', body: JSON.stringify(value),
    headers: { 'Content-Type': 'application/json', ...(csrf ? { 'X-Svc-Admin-Csrf': csrf } : {}) },
  });
