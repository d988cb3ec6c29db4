// Attribution: the referral and UTM parameters of the link that led to the site. They are kept until
// the tab is closed.
import type { Schema } from './api.ts';

const key = 'attribution';
const names = {
  ref: 'referral',
  utm_source: 'utmSource',
  utm_medium: 'utmMedium',
  utm_campaign: 'utmCampaign',
  utm_content: 'utmContent',
} as const;

/** Stores the URL's attribution parameters, unless an earlier link of the visit had some. */
export function storeAttribution(): void {
  const query = new URLSearchParams(location.search);
  const parameters: Record<string, string> = {};
  for (const [parameter, name] of Object.entries(names)) {
    const value = query.get(parameter);
    if (value) parameters[name] = value.slice(0, 100);
  }
  if (Object.keys(parameters).length && !sessionStorage.getItem(key))
    sessionStorage.setItem(key, JSON.stringify(parameters));
}

export function attribution(): Schema['Attribution'] {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? '{}') as Schema['Attribution'];
  } catch {
    return {};
  }
}
