// The campaign's shares of Stripe's payouts to the bank account.
import type { Schema } from '../../site/scripts/api.ts';
import { useResource } from '../resources.ts';
import { hasPermissions } from '../session.ts';
import { Badge, type Tone } from '../ui/badge.tsx';
import { Card } from '../ui/card.tsx';
import { ResourceView } from '../ui/notice.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { dateOf, day, money } from '../words.ts';
import { say } from './payoutwords.ts';

type Page = Schema['Payouts'];
type Payout = Page['payouts'][number];

export function Payouts({ slug }: { slug: string }) {
  const resource = useResource<Page>(hasPermissions(['money']) ? `/admin/payouts/${slug}` : '', 300);
  if (!hasPermissions(['money'])) return null;
  return (
    <Card flush title={say('title')}>
      <ResourceView resource={resource}>
        {({ payouts, next }) => (
          <Table
            name="payouts"
            caption={say('title')}
            rows={payouts}
            id={(p) => p.payoutId}
            columns={columns}
            empty={say('empty')}
            note={next ? say('newest') : ''}
          />
        )}
      </ResourceView>
    </Card>
  );
}

const share = ({ shares }: Payout): number => shares[0]?.amount ?? 0;

const columns: readonly Column<Payout>[] = [
  { key: 'date', name: say('date'), sortKey: (p) => p.createdAt, cell: (p) => day(dateOf(p.createdAt)) },
  { key: 'share', name: say('share'), number: true, sortKey: share, cell: (p) => money(share(p)) },
  { key: 'status', name: say('status'), sortKey: (p) => p.status, cell: status },
  { key: 'books', name: say('books'), sortKey: (p) => p.explanation, cell: (p) => say(`books_${p.explanation}`) },
];

const tones: Readonly<Record<string, Tone>> = { paid: 'good', failed: 'bad', canceled: 'bad' };
const known: readonly string[] = ['pending', 'in_transit', 'paid', 'failed', 'canceled'];

function status({ status: s }: Payout) {
  return <Badge tone={tones[s] ?? 'info'}>{known.includes(s) ? say(`status_${s as 'paid'}`) : s}</Badge>;
}
