// The tabs, in the order of the specification, and who sees them.
import type { ComponentType } from 'preact';
import { may, platform } from './session.ts';

export type TabName = 'home' | 'settings' | 'add-ons' | 'campaigns' | 'analytics' | 'reports' | 'supporters' | 'marketing' | 'account';

type Screen = () => Promise<{ readonly default: ComponentType }>;

/** What a tab loads when it's opened. */
export const screens: Readonly<Record<TabName, Screen>> = {
  home: () => import('./home/home.tsx'),
  settings: () => import('./settings/settings.tsx'),
  'add-ons': () => import('./addons/addons.tsx'),
  campaigns: () => import('./campaigns/campaigns.tsx'),
  analytics: () => import('./analytics/analytics.tsx'),
  reports: () => import('./reports/reports.tsx'),
  supporters: () => import('./supporters/supporters.tsx'),
  marketing: () => import('./marketing/marketing.tsx'),
  account: () => import('./account/account.tsx'),
};

/** The tabs that who is signed in sees. */
export function tabs(): readonly TabName[] {
  const seen: [TabName, boolean][] = [
    ['settings', platform()], ['add-ons', platform()], ['campaigns', true], ['analytics', may('money')],
    ['reports', may('fulfilment') || (may('supporters') && may('money'))], ['supporters', may('supporters')], ['marketing', may('mails')],
  ];
  return seen.filter(([, shown]) => shown).map(([name]) => name);
}
