// The last pledge made in this browser: its amount and campaigns, but no personal data.
import type { Schema } from './api.ts';

const key = 'pledged';

export interface Pledged {
  readonly amount: number; // cents
  readonly slugs: readonly string[];
}

/** Stores the pledge that is being made, for the success page in the same tab. */
export function storePledge(s: Schema['Started']): void {
  const value: Pledged = { amount: s.amount, slugs: s.campaigns.map((c) => c.campaignSlug) };
  sessionStorage.setItem(key, JSON.stringify(value));
}

export const lastPledge = (): Pledged | null => JSON.parse(sessionStorage.getItem(key) ?? 'null') as Pledged | null;

/** Records that a pledge was made in this browser, so that the menu links to it. */
export function recordPledge(): void {
  try {
    localStorage.setItem(key, '1');
  } catch {
    // storage is unavailable: the email still links to the pledge
  }
}

export const hasPledged = (): boolean => localStorage.getItem(key) !== null;
