// The summaries of the campaigns that the operator may see.
import type { Schema } from '../../site/scripts/api.ts';
import { getWithSession } from '../../site/scripts/operator.ts';
import { query, type Resource, refresh, refreshPrefix, useResource } from '../resources.ts';

type Summaries = Schema['CampaignSummaries'];
export type Summary = Summaries['campaigns'][number];
export type LatestPledge = Schema['LatestPledges']['pledges'][number];

export const useSummaries = (every = 60): Resource<Summaries> => useResource<Summaries>('/admin/summary', every);

/** Reads the newest pledges to a campaign, or to all of the operator's campaigns. */
export const useLatestPledges = (slug = ''): Resource<Schema['LatestPledges']> =>
  useResource<Schema['LatestPledges']>(query('/admin/latest-pledges', { campaignSlug: slug }), 60);

const pause = 500; // milliseconds
const maxPauses = 20;

/**
 * Waits up to ten seconds until the API serves a change that was just committed, and refreshes the
 * cached data from the campaigns' files.
 */
export async function waitUntilServed(is: (campaigns: readonly Summary[]) => boolean): Promise<void> {
  for (let tries = 0; tries < maxPauses; tries++) {
    const { campaigns } = await getWithSession<Summaries>('/admin/summary');
    if (is(campaigns)) break;
    await new Promise((go) => setTimeout(go, pause));
  }
  await refresh('/admin/summary');
  refreshPrefix('/admin/campaigns/');
  refreshPrefix('/admin/content');
}
