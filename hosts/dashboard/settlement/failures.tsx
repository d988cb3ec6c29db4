// Failed payments that can still be recovered.
import { useMemo, useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { query, useResource } from '../resources.ts';
import { hrefTo } from '../router.ts';
import { Card } from '../ui/card.tsx';
import { ResourceView } from '../ui/notice.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { ago, moment, money } from '../words.ts';
import { reasonText } from './reasons.ts';
import { statusPath } from './status.ts';
import { say } from './words.ts';

type Failure = Schema['Failures']['failures'][number];

export function Failures({ slug, live }: { slug: string; live: boolean }) {
  const [pages, setPages] = useState<readonly string[]>(['']);
  const cursor = pages.at(-1) ?? '';
  const resource = useResource<Schema['Failures']>(query(`${statusPath(slug)}/failures`, { cursor }), live ? 15 : 120);
  const failures = resource.value?.failures ?? [];
  const columns = useMemo(() => columnsOf(slug), [slug]);
  return (
    <Card
      flush
      title={say('failures')}
      aside={live && failures.length ? <span class="small muted">{say('failures_emailed')}</span> : null}
      footer={failures.length ? <span class="small muted">{say('failures_what')}</span> : null}
    >
      <ResourceView resource={resource}>
        {({ next }) => (
          <>
            <Table
              name="failures"
              caption={say('failures')}
              empty={say('no_failures')}
              rows={failures}
              id={(f) => f.orderIds.join()}
              filterText={(f) => `${f.email} ${f.orderIds.join(' ')}`}
              columns={columns}
            />
            {pages.length > 1 || next ? (
              <div class="row wrap table-foot">
                {pages.length > 1 ? (
                  <button type="button" class="btn sm" onClick={() => setPages(pages.slice(0, -1))}>
                    {say('back')}
                  </button>
                ) : null}
                {next ? (
                  <button type="button" class="btn sm" onClick={() => setPages([...pages, next])}>
                    {say('next')}
                  </button>
                ) : null}
              </div>
            ) : null}
          </>
        )}
      </ResourceView>
    </Card>
  );
}

const columnsOf = (slug: string): readonly Column<Failure>[] => [
  {
    key: 'email',
    name: say('supporter'),
    sortKey: (f) => f.email,
    cell: (f) => <a href={hrefTo(['supporters', slug, f.orderIds[0] ?? ''])}>{f.email || f.orderIds[0]}</a>,
  },
  { key: 'amount', name: say('total'), number: true, sortKey: (f) => f.amount, cell: (f) => money(f.amount) },
  {
    key: 'why',
    name: say('reason_column'),
    sortKey: (f) => f.declineCode || f.code,
    cell: (f) => (
      <>
        {reasonText(f.declineCode || f.code)}
        {f.attempts > 1 ? <span class="small muted"> {say('attempts', { count: f.attempts })}</span> : null}
      </>
    ),
  },
  {
    key: 'step',
    name: say('next_step'),
    sortKey: (f) => f.recovery.lane,
    cell: (f) => say(`step_${f.recovery.lane}`, { time: f.recovery.retryAt ? moment(f.recovery.retryAt) : '' }),
  },
  {
    key: 'until',
    name: say('until'),
    sortKey: (f) => f.recovery.until,
    cell: (f) => (
      <>
        {moment(f.recovery.until)} <span class="small muted nowrap">{ago(f.recovery.until)}</span>
      </>
    ),
  },
];
