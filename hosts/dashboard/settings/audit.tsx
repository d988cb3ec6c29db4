// The audit log. It is tamper-evident.
import { Download, ScrollText } from 'lucide-preact';
import type { Schema } from '../../site/scripts/api.ts';
import { query, useResource } from '../resources.ts';
import { route, setFilters } from '../router.ts';
import { Badge, type Tone } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { download } from '../ui/download.ts';
import { Empty } from '../ui/empty.tsx';
import { Icon } from '../ui/icon.tsx';
import { ResourceView } from '../ui/notice.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { lang, moment } from '../words.ts';
import { say } from './words.ts';

type Event = Schema['AuditPage']['events'][number];

const tones: Readonly<Record<Event['status'], Tone>> = { done: 'good', failed: 'bad', unknown: 'warn' };

const detail = (e: Event): string => [e.campaignTitle, e.orderId, e.target, e.reason].filter(Boolean).join(', ');
const person = (e: Event): string => e.adminEmail ?? say('secret_of', { source: e.source });

const columns: readonly Column<Event>[] = [
  {
    key: 'action',
    name: say('action'),
    sortKey: (e) => e.summary,
    cell: (e) => (
      <div class="stack g1">
        <b>{e.summary}</b>
        <span class="small muted">{detail(e)}</span>
      </div>
    ),
  },
  { key: 'who', name: say('who'), sortKey: person, cell: (e) => <span class="small">{person(e)}</span> },
  {
    key: 'at',
    name: say('at'),
    number: true,
    sortKey: (e) => e.createdAt,
    cell: (e) => <span class="small muted">{moment(e.createdAt)}</span>,
  },
  {
    key: 'status',
    name: say('status'),
    number: true,
    sortKey: (e) => e.status,
    cell: (e) => <Badge tone={tones[e.status]}>{say(`status_${e.status}`)}</Badge>,
  },
];

export function Audit() {
  const before = (route.value.filters.before ?? '').split(',').filter(Boolean); // the cursors of the previous pages
  const cursor = before.at(-1);
  const lead = (pages: readonly (string | number)[]): void => setFilters({ before: pages.join(',') });
  return (
    <ResourceView
      resource={useResource<Schema['AuditPage']>(query('/admin/audit', { lang, limit: 50, cursor }), cursor ? 0 : 30)}
    >
      {({ events, next }) => (
        <Card
          title={say('audit')}
          hint={say('audit_what')}
          flush
          aside={
            events.length ? (
              <Button task={() => download('/admin/audit.csv', 'audit.csv')}>
                <Icon of={Download} />
                {say('csv')}
              </Button>
            ) : null
          }
          footer={
            cursor || next ? (
              <div class="row push">
                <button
                  type="button"
                  class="btn sm"
                  aria-disabled={!cursor}
                  onClick={() => cursor && lead(before.slice(0, -1))}
                >
                  {say('newer')}
                </button>
                <button
                  type="button"
                  class="btn sm"
                  aria-disabled={!next}
                  onClick={() => next && lead([...before, next])}
                >
                  {say('older')}
                </button>
              </div>
            ) : null
          }
        >
          {events.length ? (
            <Table
              caption={say('audit')}
              columns={columns}
              rows={events}
              id={(e) => String(e.number)}
              filterText={(e) => `${person(e)} ${e.summary} ${detail(e)}`}
              filterName={say('audit_find')}
              exporter="none"
              counted={(n) => say('audit_count', { count: n })}
            />
          ) : (
            <Empty icon={ScrollText} title={say('audit_none')}>
              {say('audit_none_what')}
            </Empty>
          )}
        </Card>
      )}
    </ResourceView>
  );
}
