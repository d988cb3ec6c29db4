// The views of the supporters screen as links: the pledges by status, and those with parcels to ship.
import { useAnalytics } from '../campaigns/data.ts';
import type { Summary } from '../campaigns/summary.ts';
import { hrefTo, route } from '../router.ts';
import { ViewTabs } from '../ui/viewtabs.tsx';
import { count } from '../words.ts';
import { type BaseStatus, reversals, statuses, statusName } from './status.tsx';
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
  const shown = chosen ? [chosen] : campaigns;
  const props = {
    status,
    parcels: shown.some((c) => c.parcels?.pledges),
    reversed: shown.some((c) => c.ledger),
  };
  return chosen ? <CountedTabs key={campaign} campaign={chosen} {...props} /> : <Tabs {...props} />;
}

type Counts = Readonly<Record<BaseStatus, number>>;

interface TabsProps {
  readonly status: string;
  readonly counts?: Counts;
  /** Whether there are parcels that the operator may see. */
  readonly parcels: boolean;
  /** Whether there are refunds or disputes that the operator may see. */
  readonly reversed: boolean;
}

function CountedTabs({ campaign, ...props }: TabsProps & { readonly campaign: Summary }) {
  const report = useAnalytics(campaign);
  const counts = report && !report.next ? { ...report, payment_failed: report.paymentFailed } : undefined;
  return <Tabs {...props} {...(counts ? { counts } : {})} />;
}

function Tabs({ status, counts, parcels, reversed }: TabsProps) {
  const tabs = [
    { key: '', name: say('all'), count: counts && count(statuses.reduce((n, s) => n + counts[s], 0)) },
    ...statuses.map((key) => ({ key, name: say(`view_${key}`), count: counts && count(counts[key]) })),
    ...(reversed ? reversals.map((key) => ({ key, name: statusName(key) })) : []),
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
