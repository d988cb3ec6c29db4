// The status of a campaign's settlement, as returned by the API, and the phase that the screen
// shows.
import type { Schema } from '../../site/scripts/api.ts';

export type SettlementStatus = Schema['Standing'];

/** Returns the API path of a settlement's status. */
export const statusPath = (slug: string): string => `/admin/settlement/${slug}`;

/**
 * The phase of a settlement. `margin` is the time after the deadline in which the last checkouts
 * end, `missed` a campaign that ended below its goal, and `closed` one whose pledges were released.
 */
export type Phase = 'no_deadline' | 'before' | 'margin' | 'ready' | 'missed' | 'closed' | 'running' | 'after';

/** Returns the phase at a time in milliseconds. */
export function phaseOf(st: SettlementStatus, now: number): Phase {
  if (st.closedAt) return 'closed';
  if (!st.beginsAt) return 'no_deadline';
  if (st.state !== 'ended') return 'before';
  if (isRunning(st)) return 'running';
  if (st.begun) return 'after';
  if (st.missed) return 'missed';
  return now < Date.parse(st.beginsAt) ? 'margin' : 'ready';
}

/** Reports whether charges are still ahead. */
export const isUpcoming = (phase: Phase): boolean => ['before', 'margin', 'ready'].includes(phase);

export const isRunning = (st: SettlementStatus): boolean => st.working || st.job?.status === 'running';

export const isFunded = (st: SettlementStatus): boolean => st.counted >= st.goal;

/** Reports whether charges are blocked until an operator acts. */
export const isOnHold = (st: SettlementStatus): boolean => Boolean(st.stopped || st.off || st.held || st.broken.length);

/** Returns the start of the current hold, if it is known. */
export const holdSince = (st: SettlementStatus): string => st.held?.since ?? st.stopped?.since ?? '';

/**
 * Estimates how many minutes a run needs for its remaining pledges, from its average speed so far;
 * 0 if too few pledges have been processed.
 */
export function minutesLeft(job: Schema['Job'], now: number): number {
  const elapsed = now - Date.parse(job.startedAt);
  if (job.processed < 5 || elapsed <= 0) return 0;
  const left = Math.max(job.total - job.processed, 0);
  return Math.ceil(((elapsed / job.processed) * left) / 60_000);
}
