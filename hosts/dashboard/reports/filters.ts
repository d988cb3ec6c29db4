// The filters of the reports, which are kept in the URL and used by the exports, too.

type Kind = 'fulfillment' | 'pledges';

interface ReportFilters {
  readonly [name: string]: string | undefined;
  readonly left?: string | undefined;
  readonly status?: string | undefined;
  readonly rewardId?: string | undefined;
  readonly country?: string | undefined;
}

/** Returns the query parameters of a report's filters in the URL. */
export function filtersOf(kind: Kind, url: Readonly<Record<string, string>>): ReportFilters {
  const rewardId = url.tier || undefined;
  return kind === 'fulfillment'
    ? { left: url.left === '1' ? '1' : undefined, rewardId, country: url.country || undefined }
    : { status: url.status || undefined, rewardId };
}
