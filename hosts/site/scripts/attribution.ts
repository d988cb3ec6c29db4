// Where somebody came from: what the link said that led here, kept as long as the tab.
import type { Schema } from './api.ts';

const key = 'attribution';
const names = { ref: 'referral', utm_source: 'utmSource', utm_medium: 'utmMedium', utm_campaign: 'utmCampaign', utm_content: 'utmContent' } as const;

/** Keeps what the address says; the first link of a visit counts. */
export function remember(): void {
  const query = new URLSearchParams(location.search);
  const said: Record<string, string> = {};
  for (const [parameter, name] of Object.entries(names)) {
    const value = query.get(parameter);
    if (value) said[name] = value.slice(0, 100);
  }
  if (Object.keys(said).length && !sessionStorage.getItem(key)) sessionStorage.setItem(key, JSON.stringify(said));
}

export function attribution(): Schema['Attribution'] {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? '{}') as Schema['Attribution'];
  } catch {
    return {};
  }
}
