// Reconciliation of the ledger with Stripe.
import type { Schema } from '../../site/scripts/api.ts';
import { change } from '../changes.ts';
import { refresh, useResource } from '../resources.ts';
import { Badge, KeyFigures } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Notice, ResourceView } from '../ui/notice.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { ago, count, money } from '../words.ts';
import { say } from './words.ts';

type Break = Schema['Break'];

export function Reconciliation({ slug }: { slug: string }) {
  const path = `/admin/reconciliation/${slug}`;
  const reconcile = async (): Promise<void> => {
    for (let truncated = true; truncated; ) ({ truncated } = await change<Schema['Reconciliation']>(path, {}));
    await refresh(path);
  };
  return (
    <section>
      <h2>{say('books')}</h2>
      <p>{say('books_what')}</p>
      <ResourceView resource={useResource<Schema['Reconciliation']>(path, 60)}>
        {(r) => (
          <>
            {r.openBreaks ? (
              <Notice tone={r.criticalBreaks ? 'bad' : 'warn'}>
                {say(r.criticalBreaks ? 'breaks_critical' : 'breaks', { count: r.openBreaks })}
              </Notice>
            ) : r.reconciledAt ? (
              <Notice tone="good">{say('books_agree')}</Notice>
            ) : null}
            <KeyFigures
              figures={[
                [say('booked'), money(r.bookedGross)],
                [say('processor'), money(r.processorGross)],
                [say('difference'), money(r.difference)],
                [
                  say('checked'),
                  count(r.checked),
                  r.reconciledAt ? say('checked_at', { ago: ago(r.reconciledAt) }) : say('never'),
                ],
              ]}
            />
            {r.breaks.length ? (
              <Table
                name="books"
                caption={say('books')}
                rows={r.breaks}
                id={(b) => b.id}
                filterText={(b) => `${b.subject} ${b.message}`}
                columns={columns}
              />
            ) : null}
          </>
        )}
      </ResourceView>
      <Button quiet task={reconcile}>
        {say('reconcile')}
      </Button>
    </section>
  );
}

const columns: readonly Column<Break>[] = [
  {
    key: 'what',
    name: say('what'),
    sortKey: (b) => b.kind,
    cell: (b) => (
      <>
        <Badge tone={b.severity === 'critical' ? 'bad' : 'warn'}>{say(`break_${b.kind}`)}</Badge>{' '}
        <span class="small">{b.message}</span>
      </>
    ),
  },
  { key: 'subject', name: say('subject'), cell: (b) => b.subject },
  {
    key: 'booked',
    name: say('booked'),
    number: true,
    sortKey: (b) => b.bookedAmount,
    cell: (b) => money(b.bookedAmount),
  },
  {
    key: 'processor',
    name: say('processor'),
    number: true,
    sortKey: (b) => b.processorAmount,
    cell: (b) => money(b.processorAmount),
  },
  { key: 'since', name: say('since'), sortKey: (b) => b.firstSeenAt, cell: (b) => ago(b.firstSeenAt) },
];
