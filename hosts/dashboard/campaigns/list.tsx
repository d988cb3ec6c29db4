import { hrefTo } from '../router.ts';
import { ResourceView } from '../ui/notice.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { moment, money, percent } from '../words.ts';
import { SettlementBadge, StateBadge } from './state.tsx';
import { type Summary, useSummaries } from './summary.ts';
import { say } from './words.ts';

const columns: readonly Column<Summary>[] = [
  {
    key: 'name',
    name: say('name'),
    sortKey: (c) => c.campaignTitle,
    cell: (c) => <a href={hrefTo(['campaigns', c.campaignSlug])}>{c.campaignTitle}</a>,
  },
  { key: 'state', name: say('state'), sortKey: (c) => c.state, cell: (c) => <StateBadge campaign={c} /> },
  {
    key: 'pledged',
    name: say('pledged'),
    number: true,
    sortKey: (c) => c.pledgedAmount,
    cell: (c) => (
      <>
        {money(c.pledgedAmount)}{' '}
        <span class="small">
          {percent(c.pledgedAmount, c.goalAmount)} {say('goal', { goal: money(c.goalAmount) })}
        </span>
      </>
    ),
  },
  {
    key: 'supporters',
    name: say('supporters'),
    number: true,
    sortKey: (c) => c.supporterCount,
    cell: (c) => c.supporterCount.toLocaleString(),
  },
  { key: 'ends', name: say('ends'), sortKey: (c) => c.endsAt ?? '', cell: (c) => (c.endsAt ? moment(c.endsAt) : '—') },
  { key: 'settlement', name: say('settlement'), cell: (c) => <SettlementBadge campaign={c} /> },
];

/** The table of the operator's campaigns. */
export function List() {
  return (
    <ResourceView resource={useSummaries()}>
      {({ campaigns }) => (
        <Table
          caption={say('title')}
          columns={columns}
          rows={campaigns}
          id={(c) => c.campaignSlug}
          filterText={(c) => `${c.campaignTitle} ${c.campaignSlug}`}
          empty={say('none')}
        />
      )}
    </ResourceView>
  );
}
