// The status of a campaign's settlement, as the API returns it.
import type { Schema } from '../../site/scripts/api.ts';

export type SettlementStatus = Schema['Standing'];

/** Returns the API path of a settlement's status. */
export const statusPath = (slug: string): string => `/admin/settlement/${slug}`;
