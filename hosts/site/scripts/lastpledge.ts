// The last pledge made in this browser: its amounts and campaigns, but no personal data.
import type { Schema } from './api.ts';

const key = 'pledged';
const life = 24 * 3_600_000; // milliseconds for which a pledge counts as just finished

export interface Pledged {
  readonly amount: number; // cents
  readonly parts: readonly { readonly slug: string; readonly title: string; readonly amount: number }[];
  readonly at: number; // milliseconds
}

/** Stores the pledge that is being made in this tab, for recordPledge. */
export function storePledge(s: Schema['Started']): void {
  const value: Omit<Pledged, 'at'> = {
    amount: s.amount,
    parts: s.campaigns.map((c) => ({ slug: c.campaignSlug, title: c.campaignTitle, amount: c.amount })),
  };
  sessionStorage.setItem(key, JSON.stringify(value));
}

/** Records that the pledge being made in this tab is finished, for other pages and tabs. */
export function recordPledge(): void {
  try {
    const begun = JSON.parse(sessionStorage.getItem(key) ?? '{}') as Partial<Pledged>;
    sessionStorage.removeItem(key);
    localStorage.setItem(key, JSON.stringify({ ...begun, at: Date.now() }));
  } catch {
    // Storage is unavailable. The confirmation email still links to the pledge.
  }
}

/** Returns the pledge that this browser finished in the last 24 hours, or null. */
export function finishedPledge(now = Date.now()): Pledged | null {
  try {
    const kept = JSON.parse(localStorage.getItem(key) ?? 'null') as Partial<Pledged> | null;
    return kept?.at && kept.parts && now - kept.at < life ? (kept as Pledged) : null;
  } catch {
    return null;
  }
}

const emailKey = 'thanks';

/** Stores the email for the success page in the same tab. */
export const passEmail = (email: string): void => sessionStorage.setItem(emailKey, email);

/** Returns the email that passEmail stored, and deletes it. */
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
