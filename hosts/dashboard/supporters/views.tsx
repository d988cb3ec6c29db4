// The views of the supporters screen as links: the pledges by status, and those with parcels to ship.
import { useAnalytics } from '../campaigns/data.ts';
import type { Summary } from '../campaigns/summary.ts';
import { hrefTo, route } from '../router.ts';
import { ViewTabs } from '../ui/viewtabs.tsx';
import { count } from '../words.ts';
import { type PledgeStatus, statuses } from './status.tsx';
import { say } from './words.ts';

/** The key of the view of charged pledges with an unsent parcel. */
export const toShip = 'to_ship';

interface Props {
  readonly campaigns: readonly Summary[];
  /** The chosen campaign; "" for all. */
  readonly campaign: string;
  /** A status, or toShip. */
  readonly status: string;
}

/** The views. Operators who may see money also see the number of pledges for a single campaign. */
export function Views({ campaigns, campaign, status }: Props) {
  const chosen = campaigns.find((c) => c.campaignSlug === campaign);
  const parcels = (chosen ? [chosen] : campaigns).some((c) => c.parcels?.pledges);
  return chosen ? (
    <CountedTabs key={campaign} campaign={chosen} status={status} parcels={parcels} />
  ) : (
    <Tabs status={status} parcels={parcels} />
  );
}

type Counts = Readonly<Record<PledgeStatus, number>>;

interface TabsProps {
  readonly status: string;
  readonly counts?: Counts;
  /** Whether there are parcels that the operator may see. */
  readonly parcels: boolean;
}

function CountedTabs({ campaign, ...props }: TabsProps & { readonly campaign: Summary }) {
  const report = useAnalytics(campaign);
  const counts = report && !report.next ? { ...report, payment_failed: report.paymentFailed } : undefined;
  return <Tabs {...props} {...(counts ? { counts } : {})} />;
}

function Tabs({ status, counts, parcels }: TabsProps) {
  const tabs = [
    { key: '', name: say('all'), count: counts && count(statuses.reduce((n, s) => n + counts[s], 0)) },
    ...statuses.map((key) => ({ key, name: say(`view_${key}`), count: counts && count(counts[key]) })),
    ...(parcels ? [{ key: toShip, name: say('view_to_ship') }] : []),
  ];
  return (
    <ViewTabs
      label={say('views')}
      current={tabs.find((t) => t.key === status)?.key ?? ''}
      tabs={tabs}
      href={(key) => hrefTo(['supporters'], { ...route.value.filters, status: key, page: '' })}
    />
  );
}
