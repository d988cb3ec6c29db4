// The campaigns that who is signed in may see.
import type { Schema } from '../../site/scripts/api.ts';
import { read } from '../../site/scripts/operator.ts';
import { refresh, useReading, type Reading } from '../reading.ts';

export type Summaries = Schema['CampaignSummaries'];
export type Summary = Summaries['campaigns'][number];

export const useSummaries = (every = 60): Reading<Summaries> => useReading<Summaries>('/admin/summary', every);

const pause = 500; // milliseconds
const patience = 20; // pauses

/** Waits until the service serves what was just committed, ten seconds at the most. */
export async function served(is: (campaigns: readonly Summary[]) => boolean): Promise<void> {
  for (let tries = 0; tries < patience; tries++) {
    const { campaigns } = await read<Summaries>('/admin/summary');
    if (is(campaigns)) break;
    await new Promise((go) => setTimeout(go, pause));
  }
  await refresh('/admin/summary');
}
