// Requests quotes while the form is edited, with debouncing and retries. Outdated responses are
// dropped.
import { APIError, NetworkError } from './api.ts';

const pause = 400; // milliseconds after the last input
const minRetryPause = 4_000; // milliseconds before the first retry, doubled for each further retry
const maxRetryPause = 60_000; // maximum milliseconds before a retry

interface QuoteRequests {
  readonly now: () => void;
  readonly soon: () => void;
  readonly stop: () => void;
}

/**
 * Returns functions that request a quote immediately or after a pause in typing, and that stop
 * pending requests. `answered` and `failed` are called with the result of the latest request only.
 * A retryable error is retried automatically.
 */
export function quoteRequests<T>(
  ask: () => Promise<T>,
  answered: (answer: T) => void,
  failed: (error: unknown) => void,
): QuoteRequests {
  let current = 0;
  let tries = 0;
  let timer = 0;
  const after = (ms: number): void => {
    window.clearTimeout(timer);
    timer = window.setTimeout(() => void now(), ms);
  };
  const now = async (): Promise<void> => {
    window.clearTimeout(timer);
    const own = ++current;
    try {
      const answer = await ask();
      if (own !== current) return;
      tries = 0;
      answered(answer);
    } catch (error) {
      if (own !== current) return;
      failed(error);
      if (isRetryable(error)) after(Math.max(retryDelay(error), Math.min(minRetryPause * 2 ** tries++, maxRetryPause)));
    }
  };
  return {
    now: () => void now(),
    soon: () => {
      tries = 0;
      after(pause);
    },
    stop: () => {
      current++;
      window.clearTimeout(timer);
    },
  };
}

/** Reports whether a request that failed with this error may succeed if it is retried. */
export const isRetryable = (error: unknown): boolean =>
  error instanceof NetworkError || (error instanceof APIError && (error.status === 429 || error.status >= 500));

const retryDelay = (error: unknown): number => (error instanceof APIError ? (error.problem.retryAfter ?? 0) * 1000 : 0);
