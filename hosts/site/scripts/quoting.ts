// Quotes are asked for while somebody types: after a pause, again while nobody answers,
// and answers that come too late are dropped.
import { Refused, Silent } from './api.ts';

const pause = 400; // milliseconds after the last key
const first = 4_000; // before asking again, and twice as long each time
const longest = 60_000;

export interface Quoting {
  readonly now: () => void;
  readonly soon: () => void;
  readonly stop: () => void;
}

/** Quoting calls answered with each answer that still counts, and failed with each error. */
export function quoting<T>(ask: () => Promise<T>, answered: (answer: T) => void, failed: (error: unknown) => void): Quoting {
  let turn = 0;
  let tries = 0;
  let timer = 0;
  const after = (ms: number): void => {
    window.clearTimeout(timer);
    timer = window.setTimeout(() => void now(), ms);
  };
  const now = async (): Promise<void> => {
    window.clearTimeout(timer);
    const mine = ++turn;
    try {
      const answer = await ask();
      if (mine !== turn) return;
      tries = 0;
      answered(answer);
    } catch (error) {
      if (mine !== turn) return;
      failed(error);
      if (passing(error)) after(Math.max(waitOf(error), Math.min(first * 2 ** tries++, longest)));
    }
  };
  return {
    now: () => void now(),
    soon: () => {
      tries = 0;
      after(pause);
    },
    stop: () => {
      turn++;
      window.clearTimeout(timer);
    },
  };
}

/** Whether the same question may be answered later. */
export const passing = (error: unknown): boolean => error instanceof Silent || (error instanceof Refused && (error.status === 429 || error.status >= 500));

const waitOf = (error: unknown): number => (error instanceof Refused ? (error.problem.retryAfter ?? 0) * 1000 : 0);
