// The last pledge made in this browser: its amounts and campaigns, but no personal data.
import type { Schema } from './api.ts';

const key = 'pledged';
const life = 24 * 3_600_000; // milliseconds for which the details are kept

export interface Pledged {
  readonly amount: number; // cents
  readonly parts: readonly { readonly slug: string; readonly title: string; readonly amount: number }[];
  readonly at: number; // milliseconds
}

/** Stores the pledge that is being made, for the success page in the same tab. */
export function storePledge(s: Schema['Started']): void {
  const value: Omit<Pledged, 'at'> = {
    amount: s.amount,
    parts: s.campaigns.map((c) => ({ slug: c.campaignSlug, title: c.campaignTitle, amount: c.amount })),
  };
  sessionStorage.setItem(key, JSON.stringify(value));
}

/** Records that the pledge being made is finished, so that other pages and tabs know. */
export function recordPledge(): void {
  try {
    const begun = JSON.parse(sessionStorage.getItem(key) ?? '{}') as Partial<Pledged>;
    sessionStorage.removeItem(key);
    localStorage.setItem(key, JSON.stringify({ ...begun, at: Date.now() }));
  } catch {
    // storage is unavailable: the email still links to the pledge
  }
}

/** Returns the pledge that was finished in the last day, if this browser made one. */
export function finishedPledge(now = Date.now()): Pledged | null {
  try {
    const kept = JSON.parse(localStorage.getItem(key) ?? 'null') as Partial<Pledged> | null;
    return kept?.at && kept.parts && now - kept.at < life ? (kept as Pledged) : null;
  } catch {
    return null;
  }
}

const emailKey = 'thanks';

/** Passes the email to the success page in the same tab. */
export const passEmail = (email: string): void => sessionStorage.setItem(emailKey, email);

/** Returns the email that was passed, and deletes it. */
export function takeEmail(): string {
  const email = sessionStorage.getItem(emailKey) ?? '';
  sessionStorage.removeItem(emailKey);
  return email;
}

/** Calls `made` when another tab finishes a pledge. */
export function listenToPledges(made: () => void, signal: AbortSignal): void {
  window.addEventListener('storage', (event) => event.key === key && made(), { signal });
}

export const hasPledged = (): boolean => localStorage.getItem(key) !== null;
