// What operators did. Nothing of it can be changed or removed unseen.
import type { Schema } from '../../site/scripts/api.ts';
import { filter, place } from '../place.ts';
import { query, useReading } from '../reading.ts';
import { Badge, type Tone } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { download } from '../ui/download.ts';
import { Shown } from '../ui/notice.tsx';
import { Table, type Column } from '../ui/table.tsx';
import { moment } from '../words.ts';
import { say } from './words.ts';

type Event = Schema['AuditPage']['events'][number];

const tones: Readonly<Record<Event['status'], Tone>> = { done: 'good', failed: 'bad', unknown: 'warn' };

const about = (e: Event): string => [e.campaignSlug, e.orderId, e.target, e.changedFields?.join(', '), e.reason].filter(Boolean).join(' · ');

const columns: readonly Column<Event>[] = [
  { key: 'number', name: say('number'), number: true, by: (e) => e.number, cell: (e) => e.number },
  { key: 'at', name: say('at'), by: (e) => e.createdAt, cell: (e) => moment(e.createdAt) },
  { key: 'who', name: say('who'), by: (e) => e.adminEmail ?? '', cell: (e) => e.adminEmail ?? say('secret_of', { source: e.source }) },
  { key: 'action', name: say('action'), by: (e) => e.action, cell: (e) => <code>{e.action}</code> },
  { key: 'what', name: say('about'), by: about, cell: about },
  { key: 'status', name: say('status'), by: (e) => e.status, cell: (e) => <Badge tone={tones[e.status]}>{say(`status_${e.status}`)}{e.code ? ` ${e.code}` : ''}</Badge> },
];

export function Audit() {
  const before = (place.value.filters['before'] ?? '').split(',').filter(Boolean); // the pages that led here
  const cursor = before.at(-1);
  const lead = (pages: readonly (string | number)[]): void => filter({ before: pages.join(',') });
  return (
    <Shown reading={useReading<Schema['AuditPage']>(query('/admin/audit', { limit: 50, cursor }), cursor ? 0 : 30)}>
      {({ events, next }) => (
        <>
          <p>{say('audit_what')}</p>
          <Button quiet task={() => download('/admin/audit.csv', 'audit.csv')}>{say('csv')}</Button>
          <Table caption={say('audit')} columns={columns} rows={events} id={(e) => String(e.number)} text={(e) => `${e.adminEmail ?? ''} ${e.action} ${e.campaignSlug ?? ''} ${e.target ?? ''}`} />
          <div class="row">
            {cursor ? <button type="button" class="quiet" onClick={() => lead(before.slice(0, -1))}>{say('newer')}</button> : null}
            {next ? <button type="button" class="quiet" onClick={() => lead([...before, next])}>{say('older')}</button> : null}
          </div>
        </>
      )}
    </Shown>
  );
}
