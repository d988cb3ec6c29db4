// Charges that were refused and may still be made good.
import { useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { query, useReading } from '../reading.ts';
import { Shown } from '../ui/notice.tsx';
import { Table } from '../ui/table.tsx';
import { ago, money, moment } from '../words.ts';
import { reasonOf } from './reasons.ts';
import { standingOf } from './settlement.tsx';
import { say } from './words.ts';

type Failure = Schema['Failures']['failures'][number];

export function Failures({ slug, live }: { slug: string; live: boolean }) {
  const [pages, setPages] = useState<readonly string[]>(['']);
  const cursor = pages.at(-1) ?? '';
  const reading = useReading<Schema['Failures']>(query(`${standingOf(slug)}/failures`, { cursor }), live ? 15 : 120);
  return (
    <section>
      <h2>{say('failures')}</h2>
      <p>{say('failures_what')}</p>
      <Shown reading={reading}>
        {({ failures, next }) => (
          <>
            <Table name="failures" caption={say('failures')} empty={say('no_failures')} rows={failures} id={(f) => f.orderIds.join()} text={(f) => `${f.email} ${f.orderIds.join(' ')}`} columns={columns} />
            <div class="row">{pages.length > 1 ? <button type="button" class="quiet" onClick={() => setPages(pages.slice(0, -1))}>{say('back')}</button> : null}{next ? <button type="button" class="quiet" onClick={() => setPages([...pages, next])}>{say('next')}</button> : null}</div>
          </>
        )}
      </Shown>
    </section>
  );
}

const columns = [
  { key: 'email', name: say('supporter'), by: (f: Failure) => f.email, cell: (f: Failure) => f.email || f.orderIds[0] },
  { key: 'amount', name: say('amount'), number: true, by: (f: Failure) => f.amount, cell: (f: Failure) => money(f.amount) },
  { key: 'why', name: say('why'), by: (f: Failure) => f.declineCode || f.code, cell: (f: Failure) => reasonOf(f.declineCode || f.code) },
  { key: 'attempts', name: say('attempts'), number: true, by: (f: Failure) => f.attempts, cell: (f: Failure) => f.attempts },
  { key: 'lane', name: say('lane'), by: (f: Failure) => f.recovery.lane, cell: (f: Failure) => say(`lane_${f.recovery.lane}`, { time: f.recovery.retryAt ? moment(f.recovery.retryAt) : '' }) },
  { key: 'until', name: say('until'), by: (f: Failure) => f.recovery.until, cell: (f: Failure) => <>{moment(f.recovery.until)} <span class="small">{ago(f.recovery.until)}</span></> },
];
