// A cache of API reads that lives as long as the page. Cached values are shown immediately and
// refreshed in the background.
import { type Signal, signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { APIError, NetworkError } from '../site/scripts/api.ts';
import { getWithSession } from '../site/scripts/operator.ts';
import { needsRecentSignIn } from './changes.ts';
import { recordResponse } from './connection.ts';
import { now, session } from './session.ts';

export interface Resource<T> {
  readonly value?: T;
  /** When the value was received, by the server's clock. */
  readonly at?: number;
  readonly error?: unknown;
}

const freshFor = 2_000; // milliseconds for which a value is not fetched again
const cache = new Map<string, Signal<Resource<unknown>>>();
const requestedAt = new Map<string, number>();
const watchers = new Map<string, number>(); // number of mounted components per path

function cached<T>(path: string): Signal<Resource<T>> {
  const existing = cache.get(path);
  if (existing) return existing as Signal<Resource<T>>;
  const entry = signal<Resource<unknown>>({});
  cache.set(path, entry);
  return entry as Signal<Resource<T>>;
}

/** Fetches a path now. The previous value stays until the response arrives. */
export async function refresh<T>(path: string): Promise<void> {
  const entry = cached<T>(path);
  requestedAt.set(path, Date.now());
  try {
    entry.value = { value: await getWithSession<T>(path), at: now() };
    recordResponse();
    pause = minPause;
  } catch (error) {
    recordResponse(error);
    if (error instanceof APIError && error.status === 401) session.value = null;
    entry.value = { ...entry.value, error };
    if (isRetryable(error)) scheduleRetry();
  }
}

/** Reports whether a request that failed with this error may succeed if it is retried. */
export const isRetryable = (error: unknown): boolean =>
  error instanceof NetworkError || (error instanceof APIError && error.status >= 500);

const minPause = 2_000; // milliseconds
const maxPause = 30_000;
let pause = minPause;
let retryScheduled = false;

/** Schedules a retry of the failed paths that are still displayed, with exponential backoff. */
function scheduleRetry(): void {
  if (retryScheduled) return;
  retryScheduled = true;
  setTimeout(() => {
    retryScheduled = false;
    retryFailed();
  }, pause);
  pause = Math.min(2 * pause, maxPause);
}

/** Retries the failed paths that are still displayed. */
export function retryFailed(): void {
  for (const path of watchers.keys()) {
    if (isRetryable(cache.get(path)?.value.error)) void refresh(path);
  }
}

/** Refreshes all cached paths with a prefix, after a change made them stale. */
export function refreshPrefix(prefix: string): void {
  for (const path of cache.keys()) {
    if (path.startsWith(prefix)) void refresh(path);
  }
}

/** Refreshes the paths that failed because they require a recent sign-in. */
export function refreshUnconfirmed(): void {
  for (const [path, { value }] of cache) {
    if (needsRecentSignIn(value.error)) void refresh(path);
  }
}

/** Clears the cache at sign-out, because another operator may sign in next. */
export function clearCache(): void {
  cache.clear();
  requestedAt.clear();
}

/**
 * Reads a path through the cache, and again every `every` seconds while the page is visible.
 * An empty path reads nothing.
 */
export function useResource<T>(path: string, every = 0): Resource<T> {
  const none = useRef(signal<Resource<T>>({}));
  useEffect(() => {
    if (!path) return;
    if (Date.now() - (requestedAt.get(path) ?? 0) > freshFor) void refresh<T>(path);
    watchers.set(path, (watchers.get(path) ?? 0) + 1);
    const timer = every
      ? setInterval(() => document.visibilityState === 'visible' && void refresh<T>(path), every * 1000)
      : 0;
    return () => {
      clearInterval(timer);
      const left = (watchers.get(path) ?? 1) - 1;
      if (left) watchers.set(path, left);
      else watchers.delete(path);
    };
  }, [path, every]);
  return (path ? cached<T>(path) : none.current).value;
}

/** Appends query parameters to a path. Empty and undefined values are left out. */
export function query(path: string, values: Readonly<Record<string, string | number | undefined>>): string {
  const pairs = Object.entries(values)
    .filter(([, v]) => v !== undefined && v !== '')
    .map(([k, v]): [string, string] => [k, String(v)]);
  return pairs.length ? `${path}?${new URLSearchParams(pairs).toString()}` : path;
}
