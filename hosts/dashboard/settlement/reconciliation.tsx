// Reconciliation of the ledger with Stripe.
import { Check } from 'lucide-preact';
import type { Schema } from '../../site/scripts/api.ts';
import { change } from '../changes.ts';
import { refresh, refreshPrefix, useResource } from '../resources.ts';
import { Badge, KeyFigures } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Icon } from '../ui/icon.tsx';
import { ResourceView } from '../ui/notice.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { ago, money } from '../words.ts';
import { say } from './reconciliationwords.ts';
import type { SettlementStatus } from './status.ts';

type Reconciled = Schema['Reconciliation'];
type Break = Schema['Break'];

export function Reconciliation({ slug, status }: { slug: string; status: SettlementStatus }) {
  const path = `/admin/reconciliation/${slug}`;
  const resource = useResource<Reconciled>(path, 60);
  const reconcile = async (): Promise<void> => {
    for (let truncated = true; truncated; ) ({ truncated } = await change<Reconciled>(path, {}));
    await refresh(path);
    refreshPrefix('/admin/health');
  };
  const r = resource.value;
  return (
    <Card flush title={say('books')} aside={r ? <ResultBadge result={r} status={status} /> : null}>
      <ResourceView resource={resource}>
        {(result) => (
          <>
            <div class="in stack">
              <div class="row between wrap">
                <p class="soft prose" role="status">
                  {resultText(result, status)}
                </p>
                <Button small task={reconcile}>
                  {say('reconcile')}
                </Button>
              </div>
              {result.openBreaks ? (
                <KeyFigures
                  figures={[
                    [say('booked'), money(result.bookedGross)],
                    [say('processor'), money(result.processorGross)],
                    [say('difference'), money(result.difference)],
                  ]}
                />
              ) : null}
            </div>
            {result.breaks.length ? (
              <Table
                name="books"
                caption={say('books')}
                rows={result.breaks}
                id={(b) => b.id}
                filterText={(b) => `${b.subject} ${b.message}`}
                columns={columns}
              />
            ) : null}
          </>
        )}
      </ResourceView>
    </Card>
  );
}

/**
 * Returns the result of the last complete pass, unless it ran before the charges and therefore does
 * not cover them.
 */
const resultOf = ({ compared }: Reconciled, st: SettlementStatus): Reconciled['compared'] =>
  compared && Date.parse(compared.at) >= Date.parse(st.job?.startedAt ?? '1970-01-01') ? compared : undefined;

function ResultBadge({ result: r, status }: { result: Reconciled; status: SettlementStatus }) {
  if (r.openBreaks)
    return <Badge tone={r.criticalBreaks ? 'bad' : 'warn'}>{say('differences', { count: r.openBreaks })}</Badge>;
  if (!resultOf(r, status)) return <Badge>{say('not_compared')}</Badge>;
  return (
    <Badge tone="good">
      <Icon of={Check} />
      {say('matches')}
    </Badge>
  );
}

function resultText(r: Reconciled, st: SettlementStatus): string {
  if (r.criticalBreaks) return say('breaks_critical', { count: r.criticalBreaks });
  if (r.openBreaks) return say('breaks', { count: r.openBreaks });
  const compared = resultOf(r, st);
  if (!compared) return say('not_compared_text');
  return say('matches_text', { count: compared.pledges, sum: money(compared.processor), ago: ago(compared.at) });
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
