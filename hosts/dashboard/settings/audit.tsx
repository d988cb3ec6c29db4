// The audit log. It is tamper-evident.
import { Download, ScrollText, SearchX } from 'lucide-preact';
import { useRef, useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { useSummaries } from '../campaigns/summary.ts';
import { query, type Resource, useResource } from '../resources.ts';
import { route, setFilters } from '../router.ts';
import { Badge, type Tone } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Choice } from '../ui/choice.tsx';
import { DayRange } from '../ui/dayrange.tsx';
import { download } from '../ui/download.ts';
import { Empty } from '../ui/empty.tsx';
import { Icon } from '../ui/icon.tsx';
import { ResourceView } from '../ui/notice.tsx';
import { SearchField } from '../ui/searchfield.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { usePosted } from '../useposted.ts';
import { lang, moment } from '../words.ts';
import { say } from './words.ts';

type Page = Schema['AuditPage'];
type Event = Page['events'][number];

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

const pause = 300; // milliseconds after the last key

/** The audit log with its filters. They are in the URL, except for the text, which may be a person's address. */
export function Audit() {
  const { action = '', campaign = '', from = '', to = '', before: cursors = '' } = route.value.filters;
  const before = cursors.split(',').filter(Boolean); // the cursors of the previous pages
  const cursor = before.at(-1);
  const lead = (pages: readonly (string | number)[]): void => setFilters({ before: pages.join(',') });
  const [text, setText] = useState('');
  const q = text.trim();
  const matching = { action, campaignSlug: campaign, from, to };
  const narrowed = Boolean(q) || Object.values(matching).some(Boolean);
  const reset = (): void => {
    setText('');
    setFilters({ action: '', campaign: '', from: '', to: '', before: '' });
  };
  const listed = useResource<Page>(
    q ? '' : query('/admin/audit', { lang, limit: 50, cursor, ...matching }),
    cursor ? 0 : 30,
  );
  const found = usePosted<Page>(
    '/admin/audit',
    q ? { lang, limit: 50, cursor: Number(cursor ?? 0), q, ...matching } : null,
    pause,
  );
  const resource = q ? found : listed;
  const shown = useLastValue(resource);
  return (
    <ResourceView resource={shown}>
      {({ events: last, next, actions }) => (
        <Card
          title={say('audit')}
          hint={say('audit_what')}
          flush
          aside={
            last.length ? (
              <Button
                task={() =>
                  q
                    ? download('/admin/audit.csv', 'audit.csv', { q, ...matching })
                    : download(query('/admin/audit.csv', matching), 'audit.csv')
                }
              >
                <Icon of={Download} />
                {say('csv')}
              </Button>
            ) : null
          }
          footer={cursor || next ? <Pages before={before} next={next} lead={lead} /> : null}
        >
          {last.length || narrowed ? (
            <search class="filters" aria-busy={q ? found.busy : !listed.value}>
              <SearchField
                name={say('audit_find')}
                value={text}
                set={(typed) => {
                  setText(typed);
                  if (cursor) setFilters({ before: '' });
                }}
                max={100}
              />
              <Choice
                name={say('action')}
                value={action}
                set={(a) => setFilters({ action: a, before: '' })}
                choices={[['', say('any_action')], ...actions.map((a) => [a.action, a.summary] as const)]}
              />
              <Campaigns value={campaign} />
              <DayRange from={from} to={to} set={(range) => setFilters({ ...range, before: '' })} />
              {narrowed ? (
                <button type="button" class="btn plain sm" onClick={reset}>
                  {say('reset_filters')}
                </button>
              ) : null}
            </search>
          ) : null}
          {last.length ? (
            <Table
              caption={say('audit')}
              columns={columns}
              rows={last}
              id={(e) => String(e.number)}
              exporter="none"
              counted={(n) => say(next || cursor ? 'audit_count_page' : 'audit_count', { count: n })}
            />
          ) : (
            <Nothing narrowed={narrowed} more={next > 0} />
          )}
        </Card>
      )}
    </ResourceView>
  );
}

/** Returns the last value while the next one is being read, or beside the error if that fails. */
function useLastValue(resource: Resource<Page>): Resource<Page> {
  const last = useRef<Page | undefined>(undefined);
  if (resource.value) last.current = resource.value;
  return last.current ? { ...resource, value: last.current } : resource;
}

interface PagesProps {
  readonly before: readonly string[];
  readonly next: number;
  readonly lead: (pages: readonly (string | number)[]) => void;
}

const Pages = ({ before, next, lead }: PagesProps) => (
  <div class="row push">
    <button
      type="button"
      class="btn sm"
      aria-disabled={!before.length}
      onClick={() => before.length && lead(before.slice(0, -1))}
    >
      {say('newer')}
    </button>
    <button type="button" class="btn sm" aria-disabled={!next} onClick={() => next && lead([...before, next])}>
      {say('older')}
    </button>
  </div>
);

/**
 * Shown if there are no entries. A page without entries can have a next page, because the number of
 * entries read per request is limited.
 */
const Nothing = ({ narrowed, more }: { narrowed: boolean; more: boolean }) =>
  narrowed ? (
    <Empty icon={SearchX} title={say(more ? 'audit_none_yet_here' : 'audit_none_matching')} />
  ) : (
    <Empty icon={ScrollText} title={say('audit_none')}>
      {say('audit_none_what')}
    </Empty>
  );

function Campaigns({ value }: { value: string }) {
  const campaigns = useSummaries(0).value?.campaigns ?? [];
  return (
    <Choice
      name={say('campaign')}
      value={value}
      set={(slug) => setFilters({ campaign: slug, before: '' })}
      choices={[['', say('any_campaign')], ...campaigns.map((c) => [c.campaignSlug, c.campaignTitle] as const)]}
    />
  );
}
