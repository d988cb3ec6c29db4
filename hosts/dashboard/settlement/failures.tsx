// Failed charges that can still be recovered.
import { useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { query, useResource } from '../resources.ts';
import { ResourceView } from '../ui/notice.tsx';
import { Table } from '../ui/table.tsx';
import { ago, moment, money } from '../words.ts';
import { reasonText } from './reasons.ts';
import { statusPath } from './status.ts';
import { say } from './words.ts';

type Failure = Schema['Failures']['failures'][number];

export function Failures({ slug, live }: { slug: string; live: boolean }) {
  const [pages, setPages] = useState<readonly string[]>(['']);
  const cursor = pages.at(-1) ?? '';
  const resource = useResource<Schema['Failures']>(query(`${statusPath(slug)}/failures`, { cursor }), live ? 15 : 120);
  return (
    <section>
      <h2>{say('failures')}</h2>
      <p>{say('failures_what')}</p>
      <ResourceView resource={resource}>
        {({ failures, next }) => (
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
            <div class="row">
              {pages.length > 1 ? (
                <button type="button" class="quiet" onClick={() => setPages(pages.slice(0, -1))}>
                  {say('back')}
                </button>
              ) : null}
              {next ? (
                <button type="button" class="quiet" onClick={() => setPages([...pages, next])}>
                  {say('next')}
                </button>
              ) : null}
            </div>
          </>
        )}
      </ResourceView>
    </section>
  );
}

const columns = [
  {
    key: 'email',
    name: say('supporter'),
    sortKey: (f: Failure) => f.email,
    cell: (f: Failure) => f.email || f.orderIds[0],
  },
  {
    key: 'amount',
    name: say('amount'),
    number: true,
    sortKey: (f: Failure) => f.amount,
    cell: (f: Failure) => money(f.amount),
  },
  {
    key: 'why',
    name: say('why'),
    sortKey: (f: Failure) => f.declineCode || f.code,
    cell: (f: Failure) => reasonText(f.declineCode || f.code),
  },
  {
    key: 'attempts',
    name: say('attempts'),
    number: true,
    sortKey: (f: Failure) => f.attempts,
    cell: (f: Failure) => f.attempts,
  },
  {
    key: 'lane',
    name: say('lane'),
    sortKey: (f: Failure) => f.recovery.lane,
    cell: (f: Failure) =>
      say(`lane_${f.recovery.lane}`, { time: f.recovery.retryAt ? moment(f.recovery.retryAt) : '' }),
  },
  {
    key: 'until',
    name: say('until'),
    sortKey: (f: Failure) => f.recovery.until,
    cell: (f: Failure) => (
      <>
        {moment(f.recovery.until)} <span class="small">{ago(f.recovery.until)}</span>
      </>
    ),
  },
];
