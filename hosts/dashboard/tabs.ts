// The tabs in the order in which they are shown, and the permissions that they require.
import type { ComponentType } from 'preact';
import { hasPermission, isSuperAdmin } from './session.ts';

export type TabName =
  | 'home'
  | 'settings'
  | 'add-ons'
  | 'campaigns'
  | 'analytics'
  | 'reports'
  | 'supporters'
  | 'marketing'
  | 'account';

type Screen = () => Promise<{ readonly default: ComponentType }>;

/** The screen of each tab, loaded when the tab is first opened. */
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

/** Returns the tabs that the operator may see, except home and account. */
export function visibleTabs(): readonly TabName[] {
  const seen: [TabName, boolean][] = [
    ['settings', isSuperAdmin()],
    ['add-ons', isSuperAdmin()],
    ['campaigns', true],
    ['analytics', hasPermission('money')],
    ['reports', hasPermission('fulfilment') || (hasPermission('supporters') && hasPermission('money'))],
    ['supporters', hasPermission('supporters')],
    ['marketing', hasPermission('mails')],
  ];
  return seen.filter(([, shown]) => shown).map(([name]) => name);
}
