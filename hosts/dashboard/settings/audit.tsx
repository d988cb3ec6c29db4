// The audit log. It is tamper-evident.
import type { Schema } from '../../site/scripts/api.ts';
import { query, useResource } from '../resources.ts';
import { route, setFilters } from '../router.ts';
import { Badge, type Tone } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { download } from '../ui/download.ts';
import { ResourceView } from '../ui/notice.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { moment } from '../words.ts';
import { say } from './words.ts';

type Event = Schema['AuditPage']['events'][number];

const tones: Readonly<Record<Event['status'], Tone>> = { done: 'good', failed: 'bad', unknown: 'warn' };

const about = (e: Event): string =>
  [e.campaignSlug, e.orderId, e.target, e.changedFields?.join(', '), e.reason].filter(Boolean).join(' · ');

const columns: readonly Column<Event>[] = [
  { key: 'number', name: say('number'), number: true, sortKey: (e) => e.number, cell: (e) => e.number },
  { key: 'at', name: say('at'), sortKey: (e) => e.createdAt, cell: (e) => moment(e.createdAt) },
  {
    key: 'who',
    name: say('who'),
    sortKey: (e) => e.adminEmail ?? '',
    cell: (e) => e.adminEmail ?? say('secret_of', { source: e.source }),
  },
  { key: 'action', name: say('action'), sortKey: (e) => e.action, cell: (e) => <code>{e.action}</code> },
  { key: 'what', name: say('about'), sortKey: about, cell: about },
  {
    key: 'status',
    name: say('status'),
    sortKey: (e) => e.status,
    cell: (e) => (
      <Badge tone={tones[e.status]}>
        {say(`status_${e.status}`)}
        {e.code ? ` ${e.code}` : ''}
      </Badge>
    ),
  },
];

export function Audit() {
  const before = (route.value.filters.before ?? '').split(',').filter(Boolean); // the cursors of the previous pages
  const cursor = before.at(-1);
  const lead = (pages: readonly (string | number)[]): void => setFilters({ before: pages.join(',') });
  return (
    <ResourceView
      resource={useResource<Schema['AuditPage']>(query('/admin/audit', { limit: 50, cursor }), cursor ? 0 : 30)}
    >
      {({ events, next }) => (
        <>
          <p>{say('audit_what')}</p>
          <Button quiet task={() => download('/admin/audit.csv', 'audit.csv')}>
            {say('csv')}
          </Button>
          <Table
            caption={say('audit')}
            columns={columns}
            rows={events}
            id={(e) => String(e.number)}
            filterText={(e) => `${e.adminEmail ?? ''} ${e.action} ${e.campaignSlug ?? ''} ${e.target ?? ''}`}
          />
          <div class="row">
            {cursor ? (
              <button type="button" class="quiet" onClick={() => lead(before.slice(0, -1))}>
                {say('newer')}
              </button>
            ) : null}
            {next ? (
              <button type="button" class="quiet" onClick={() => lead([...before, next])}>
                {say('older')}
              </button>
            ) : null}
          </div>
        </>
      )}
    </ResourceView>
  );
}
