// What was pledged last in this browser: a sum and campaigns, nothing about the visitor.
import type { Schema } from './api.ts';

const key = 'pledged';

export interface Pledged {
  readonly amount: number; // cents
  readonly slugs: readonly string[];
}

/** Keeps what is about to be pledged, in the tab: the page of thanks shows it. */
export function about(s: Schema['Started']): void {
  const value: Pledged = { amount: s.amount, slugs: s.campaigns.map((c) => c.campaignSlug) };
  sessionStorage.setItem(key, JSON.stringify(value));
}

export const lately = (): Pledged | null => JSON.parse(sessionStorage.getItem(key) ?? 'null') as Pledged | null;

/** Notes that somebody has pledged in this browser: the menu leads there from then on. */
export function done(): void {
  try {
    localStorage.setItem(key, '1');
  } catch {
    // a browser that keeps nothing: the mail leads to the pledge
  }
}

export const havePledged = (): boolean => localStorage.getItem(key) !== null;
