// Whether the server is reachable, and when it last responded.
import { signal } from '@preact/signals';
import { NetworkError } from '../site/scripts/api.ts';
import { now } from './session.ts';

/** When the server last responded, by its own clock, and whether it is currently reachable. */
export const connection = signal<{ readonly online: boolean; readonly at: number }>({ online: true, at: now() });

/** Records that a request succeeded, or that it failed with an error. */
export function recordResponse(error?: unknown): void {
  if (error instanceof NetworkError) connection.value = { ...connection.value, online: false };
  else connection.value = { online: true, at: now() };
}

window.addEventListener('offline', () => recordResponse(new NetworkError()));
