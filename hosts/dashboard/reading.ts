// What the service was asked for is kept while the page is open: it's shown at once when
// somebody comes back to it, and asked for again behind.
import { signal, type Signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Refused, Silent } from '../site/scripts/api.ts';
import { read } from '../site/scripts/operator.ts';
import { isOld } from './changing.ts';
import { now, session } from './session.ts';

export interface Reading<T> {
  readonly value?: T;
  /** When the value came, by the service's clock. */
  readonly at?: number;
  readonly error?: unknown;
}

const fresh = 2_000; // milliseconds within which nothing is asked again
const kept = new Map<string, Signal<Reading<unknown>>>();
const asked = new Map<string, number>();
const watched = new Map<string, number>(); // how many places show a path

function keep<T>(path: string): Signal<Reading<T>> {
  const known = kept.get(path);
  if (known) return known as Signal<Reading<T>>;
  const made = signal<Reading<unknown>>({});
  kept.set(path, made);
  return made as Signal<Reading<T>>;
}

/** Asks for a path now; what was there stays until there is an answer. */
export async function refresh<T>(path: string): Promise<void> {
  const place = keep<T>(path);
  asked.set(path, Date.now());
  try {
    place.value = { value: await read<T>(path), at: now() };
    pause = shortest;
  } catch (error) {
    if (error instanceof Refused && error.status === 401) session.value = null;
    place.value = { ...place.value, error };
    if (unanswered(error)) again();
  }
}

/** Whether a request may do better later. */
export const unanswered = (error: unknown): boolean => error instanceof Silent || (error instanceof Refused && error.status >= 500);

const shortest = 2_000; // milliseconds
const longest = 30_000;
let pause = shortest;
let waiting = false;

/** Asks again for what nobody answered and is still shown: each time later, until somebody answers. */
function again(): void {
  if (waiting) return;
  waiting = true;
  setTimeout(() => {
    waiting = false;
    for (const path of watched.keys()) {
      if (unanswered(kept.get(path)?.value.error)) void refresh(path);
    }
  }, pause);
  pause = Math.min(2 * pause, longest);
}

/** Asks again for all that begins with a path, after something changed it. */
export function stale(prefix: string): void {
  for (const path of kept.keys()) {
    if (path.startsWith(prefix)) void refresh(path);
  }
}

/** Asks again for what took a fresh sign-in, after there was one. */
export function refreshOld(): void {
  for (const [path, { value }] of kept) {
    if (isOld(value.error)) void refresh(path);
  }
}

/** Forgets everything: somebody else may sign in. */
export function forget(): void {
  kept.clear();
  asked.clear();
}

/** Reads a path, "" for nothing yet, and again every so many seconds while the page is looked at. */
export function useReading<T>(path: string, every = 0): Reading<T> {
  const none = useRef(signal<Reading<T>>({}));
  useEffect(() => {
    if (!path) return;
    if (Date.now() - (asked.get(path) ?? 0) > fresh) void refresh<T>(path);
    watched.set(path, (watched.get(path) ?? 0) + 1);
    const timer = every ? setInterval(() => document.visibilityState === 'visible' && void refresh<T>(path), every * 1000) : 0;
    return () => {
      clearInterval(timer);
      const left = (watched.get(path) ?? 1) - 1;
      if (left) watched.set(path, left);
      else watched.delete(path);
    };
  }, [path, every]);
  return (path ? keep<T>(path) : none.current).value;
}

/** A path with its query; what is empty is left out. */
export function query(path: string, values: Readonly<Record<string, string | number | undefined>>): string {
  const pairs = Object.entries(values).filter(([, v]) => v !== undefined && v !== '').map(([k, v]): [string, string] => [k, String(v)]);
  return pairs.length ? `${path}?${new URLSearchParams(pairs).toString()}` : path;
}
