// The campaigns that who is signed in may see.
import type { Schema } from '../../site/scripts/api.ts';
import { useReading, type Reading } from '../reading.ts';

export type Summaries = Schema['CampaignSummaries'];
export type Summary = Summaries['campaigns'][number];

export const useSummaries = (every = 60): Reading<Summaries> => useReading<Summaries>('/admin/summary', every);
