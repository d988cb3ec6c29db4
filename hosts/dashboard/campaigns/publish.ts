// Launches a campaign, and takes it off the site.
import type { Schema } from '../../site/scripts/api.ts';
import { change } from '../changes.ts';
import { query } from '../resources.ts';
import { lang } from '../words.ts';
import { waitUntilServed } from './summary.ts';

/** Makes a campaign public. `base` is the version of its file that the operator has seen. */
export async function launchCampaign(slug: string, base: string, changeId: string): Promise<void> {
  await change<Schema['Launched']>(query(`/admin/campaigns/launch/${slug}`, { lang }), {
    base,
    changeId,
  } satisfies Schema['LaunchRequest']);
  await waitUntilServed((all) => all.some((c) => c.campaignSlug === slug && c.published));
}

/** Hides a public campaign. A reason is required if it has pledges. */
export async function takeOffSite(slug: string, reason: string, changeId: string): Promise<void> {
  await change<Schema['Withdrawn']>(query(`/admin/campaigns/withdraw/${slug}`, { lang }), {
    visibility: 'hidden',
    changeId,
    ...(reason ? { reason } : {}),
  } satisfies Schema['WithdrawRequest']);
  await waitUntilServed((all) => all.some((c) => c.campaignSlug === slug && !c.published));
}
