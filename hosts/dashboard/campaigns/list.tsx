import { to } from '../place.ts';
import { moment, money, percent } from '../words.ts';
import { Shown } from '../ui/notice.tsx';
import { Table, type Column } from '../ui/table.tsx';
import { Settled, State } from './state.tsx';
import { useSummaries, type Summary } from './summary.ts';
import { say } from './words.ts';

const columns: readonly Column<Summary>[] = [
  { key: 'name', name: say('name'), by: (c) => c.campaignTitle, cell: (c) => <a href={to(['campaigns', c.campaignSlug])}>{c.campaignTitle}</a> },
  { key: 'state', name: say('state'), by: (c) => c.state, cell: (c) => <State of={c} /> },
  { key: 'pledged', name: say('pledged'), number: true, by: (c) => c.pledgedAmount, cell: (c) => <>{money(c.pledgedAmount)} <span class="small">{percent(c.pledgedAmount, c.goalAmount)} {say('goal', { goal: money(c.goalAmount) })}</span></> },
  { key: 'supporters', name: say('supporters'), number: true, by: (c) => c.supporterCount, cell: (c) => c.supporterCount.toLocaleString() },
  { key: 'ends', name: say('ends'), by: (c) => c.endsAt ?? '', cell: (c) => (c.endsAt ? moment(c.endsAt) : '—') },
  { key: 'settlement', name: say('settlement'), cell: (c) => <Settled of={c} /> },
];

/** Every campaign that is the operator's. */
export function List() {
  return (
    <Shown reading={useSummaries()}>
      {({ campaigns }) => <Table caption={say('title')} columns={columns} rows={campaigns} id={(c) => c.campaignSlug} text={(c) => `${c.campaignTitle} ${c.campaignSlug}`} empty={say('none')} />}
    </Shown>
  );
}
