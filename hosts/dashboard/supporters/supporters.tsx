// Supporter search with results while typing, and the details of one supporter. The search text is
// kept in memory only. The URL contains campaigns, filters and order IDs, but no personal data, so
// views are saved and shared as links: the browser's storage is reserved for drafts and tabs, and
// filtering writes nothing on the server.
import { signal } from '@preact/signals';
import { Download, SearchX, SlidersHorizontal, Users } from 'lucide-preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { APIError, type Schema } from '../../site/scripts/api.ts';
import { type Summary, useSummaries } from '../campaigns/summary.ts';
import { change } from '../changes.ts';
import { isRetryable } from '../resources.ts';
import { hrefTo, replaceRoute, route, setFilters } from '../router.ts';
import { hasPermission, isSuperAdmin, now, session } from '../session.ts';
import { Choice } from '../ui/choice.tsx';
import { Copy } from '../ui/copy.tsx';
import { Empty } from '../ui/empty.tsx';
import { Icon } from '../ui/icon.tsx';
import { Loading, ReadError, ResourceView } from '../ui/notice.tsx';
import { Page } from '../ui/page.tsx';
import { SearchField } from '../ui/searchfield.tsx';
import { BulkBar, selectionColumn, useSelection } from '../ui/selection.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { dateOf, day, list, moment, money } from '../words.ts';
import { BulkActions } from './bulk.tsx';
import { CountryChoice, TierChoice } from './filters.tsx';
import { SupporterPanel } from './panel.tsx';
import { reversals, Status, statuses, statusName } from './status.tsx';
import { toShip, Views } from './views.tsx';
import { say } from './words.ts';

type Found = Schema['SupportersFound'];
type Row = Found['supporters'][number];

interface SearchState {
  /** The campaign and filters of the rows. */
  readonly scope: string;
  readonly typed: string;
  readonly found: string; // the query that the rows match
  readonly rows: readonly Row[];
  readonly next: string;
  readonly at?: number; // when the rows were received
  readonly error?: unknown;
  readonly done: boolean;
}

const empty: SearchState = { scope: '', typed: '', found: '', rows: [], next: '', done: false };
const search = signal<SearchState>(empty);
session.subscribe((s) => {
  if (!s) search.value = empty; // the next operator may have fewer permissions
});

const pause = 200; // milliseconds after the last key

export default function Supporters() {
  const [, slug, order] = route.value.parts;
  const resource = useSummaries();
  const campaigns = resource.value?.campaigns ?? [];
  const exportRows = useRef<(() => void) | undefined>(undefined);
  if (slug === 'order' && order)
    return (
      <Page title={say('title')}>
        {resource.value ? (
          <OrderRedirect key={order} id={order} slugs={campaigns.map((c) => c.campaignSlug)} />
        ) : (
          <Loading />
        )}
      </Page>
    );
  return (
    <div class={slug && order ? 'split' : ''}>
      <Page
        title={say('title')}
        actions={
          <>
            <Copy
              text={
                new URL(
                  hrefTo(['supporters'], { ...route.value.filters, campaign: chosenCampaign(campaigns) }),
                  location.href,
                ).href
              }
              label={say('copy_view')}
              kind=""
            />
            {search.value.rows.length ? (
              <button type="button" class="btn" title={say('export_shown')} onClick={() => exportRows.current?.()}>
                <Icon of={Download} />
                {say('export')}
              </button>
            ) : null}
          </>
        }
      >
        <ResourceView resource={resource}>
          {() => (
            <SearchScreen
              campaigns={campaigns}
              exporter={(act) => {
                exportRows.current = act;
              }}
            />
          )}
        </ResourceView>
      </Page>
      {slug && order ? (
        <SupporterPanel
          key={`${slug} ${order}`}
          slug={slug}
          order={order}
          title={campaigns.find((c) => c.campaignSlug === slug)?.campaignTitle ?? slug}
        />
      ) : null}
    </div>
  );
}

/** Redirects to an order whose campaign is unknown. */
function OrderRedirect({ id, slugs }: { id: string; slugs: readonly string[] }) {
  useEffect(() => {
    let left = false;
    void findOrder(id, isSuperAdmin() ? [''] : slugs)
      .catch(() => undefined)
      .then((row) => {
        if (left) return;
        if (!row) search.value = { ...empty, typed: id }; // search for it, to show that it does not exist or why the lookup failed
        replaceRoute(row ? ['supporters', row.campaignSlug, row.orderId] : ['supporters']);
      });
    return () => {
      left = true;
    };
  }, [id]);
  return <Loading />;
}

async function findOrder(id: string, slugs: readonly string[]): Promise<Row | undefined> {
  for (const slug of slugs) {
    const {
      rows: [row],
    } = await page({ ...noFilters, campaign: slug }, id, '');
    if (row) return row;
  }
  return undefined;
}

/** The scope of the search in addition to the text. It is kept in the URL. */
interface Scope {
  readonly campaign: string;
  /** A status, or to_ship. */
  readonly status: string;
  readonly tier: string;
  readonly country: string;
}

const noFilters = { status: '', tier: '', country: '' } as const;

const keyOf = (s: Scope): string => [s.campaign, s.status, s.tier, s.country].join('\n');

/** Returns the campaign to search in; "" for all. */
const chosenCampaign = (campaigns: readonly Summary[]): string =>
  route.value.filters.campaign ?? (isSuperAdmin() ? '' : (campaigns[0]?.campaignSlug ?? ''));

interface SearchProps {
  readonly campaigns: readonly Summary[];
  readonly exporter: (exportRows: () => void) => void;
}

function SearchScreen({ campaigns, exporter }: SearchProps) {
  const { status = '', tier = '', country = '' } = route.value.filters;
  const chosen = chosenCampaign(campaigns);
  const [filtersOpen, setFiltersOpen] = useState(false); // on phones
  const filtered = [chosen, tier, country].filter(Boolean).length;
  const scope: Scope = { campaign: chosen, status, tier: chosen ? tier : '', country };
  const key = keyOf(scope);
  const selection = useSelection();
  const { scope: shown, typed, rows, next, at, error, done } = search.value;
  const titles = useMemo(() => new Map(campaigns.map((c) => [c.campaignSlug, c.campaignTitle])), [campaigns]);
  const shownColumns = useMemo(
    () => [
      selectionColumn<Row>(selection, idOf, (r) => say('select', { order: r.orderId })),
      ...columns(titles, !chosen),
    ],
    [titles, chosen],
  );
  useEffect(() => {
    selection.value = new Set();
  }, [key, typed]);
  useEffect(() => {
    if (shown === key && done) return;
    const timer = setTimeout(() => void runSearch(scope, typed), done ? 0 : pause);
    return () => clearTimeout(timer);
  }, [key, typed, done]);
  useEffect(() => {
    if (!isRetryable(error)) return;
    const timer = setTimeout(() => void runSearch(scope, typed), 5_000);
    return () => clearTimeout(timer);
  }, [error]);
  const type = (text: string): void => {
    search.value = { ...search.value, typed: text, done: false };
  };
  return (
    <section class="card" aria-label={say('title')}>
      <Views campaigns={campaigns} campaign={chosen} status={status} />
      <search class={`filters folding ${filtersOpen ? 'open' : ''}`}>
        <SearchField name={say(hasPermission('money') ? 'find_card' : 'find')} value={typed} set={type} max={254} />
        <button
          type="button"
          class="btn filter-toggle"
          aria-expanded={filtersOpen}
          onClick={() => setFiltersOpen(!filtersOpen)}
        >
          <Icon of={SlidersHorizontal} small />
          {filtered ? say('filters_count', { n: filtered }) : say('filters')}
        </button>
        <Choice
          name={say('campaign')}
          value={chosen}
          set={(c) => setFilters({ campaign: c, tier: '' })}
          choices={[
            ...(isSuperAdmin() ? [['', say('any')] as const] : []),
            ...campaigns.map((c) => [c.campaignSlug, c.campaignTitle] as const),
          ]}
        />
        {chosen && hasPermission('content') ? (
          <TierChoice slug={chosen} value={tier} set={(t) => setFilters({ tier: t })} />
        ) : null}
        {hasPermission('fulfilment') ? <CountryChoice value={country} set={(c) => setFilters({ country: c })} /> : null}
      </search>
      {error ? <ReadError at={at} error={error} /> : null}
      {rows.length > 0 ? (
        <Table
          caption={say('title')}
          columns={shownColumns}
          rows={rows}
          id={idOf}
          bulk={(onPage, exportRows) => (
            <BulkBar selection={selection} rows={onPage} id={idOf}>
              {(selected) => <BulkActions rows={selected} exportRows={() => exportRows(selected)} />}
            </BulkBar>
          )}
          look="supporters"
          exporter={exporter}
          counted={(n) => say(next ? 'shown' : 'found', { count: n })}
          loadMore={next && done ? () => loadMore(scope, typed, next) : undefined}
        />
      ) : done && !error ? (
        <NoRows typed={typed} scope={scope} />
      ) : error ? null : (
        <div class="in">
          <Loading lines={8} />
        </div>
      )}
    </section>
  );
}

const idOf = (r: Row): string => r.orderId;

function NoRows({ typed, scope }: { typed: string; scope: Scope }) {
  if (scope.status || scope.tier || scope.country)
    return (
      <Empty
        icon={SearchX}
        title={say('no_filtered')}
        action={
          <button type="button" class="btn" onClick={() => setFilters(noFilters)}>
            {say('reset_filters')}
          </button>
        }
      />
    );
  if (typed)
    return (
      <Empty icon={SearchX} title={say('no_match', { query: typed })}>
        {say('no_match_hint')}
      </Empty>
    );
  return (
    <Empty icon={Users} title={say('none')}>
      {say('none_hint')}
    </Empty>
  );
}

const columns = (titles: ReadonlyMap<string, string>, campaignShown: boolean): readonly Column<Row>[] => [
  {
    key: 'email',
    name: say('supporter'),
    sortKey: (r) => r.name || r.email,
    cell: (r) => (
      <a class="plain stack g1" href={hrefTo(['supporters', r.campaignSlug, r.orderId], route.value.filters)}>
        <b class="clip">{r.name || r.email}</b>
        {r.name ? <span class="small muted clip">{r.email}</span> : null}
      </a>
    ),
  },
  ...(campaignShown
    ? [
        {
          key: 'campaign',
          name: say('campaign'),
          sortKey: (r: Row) => titles.get(r.campaignSlug) ?? r.campaignSlug,
          cell: (r: Row) => <span class="soft">{titles.get(r.campaignSlug) ?? r.campaignSlug}</span>,
        },
      ]
    : []),
  {
    key: 'rewards',
    name: say('tier'),
    cell: (r) => <span class="soft small">{list(r.rewards)}</span>,
  },
  {
    key: 'amount',
    name: say('total'),
    number: true,
    sortKey: (r) => r.amount ?? 0,
    cell: (r) => <b>{r.amount === undefined ? '—' : money(r.amount)}</b>,
  },
  {
    key: 'status',
    name: say('status'),
    sortKey: (r) => r.status,
    cell: (r) =>
      r.status === 'active' ? (
        <span class="small muted usual">{statusName(r.status)}</span>
      ) : (
        <Status status={r.status} />
      ),
  },
  {
    key: 'made',
    name: say('date'),
    number: true,
    sortKey: (r) => r.createdAt,
    cell: (r) => (
      <time class="small muted nowrap" dateTime={r.createdAt} title={moment(r.createdAt)}>
        {day(dateOf(r.createdAt))}
      </time>
    ),
  },
];

let latest = 0;

/** Searches. Responses to outdated queries are dropped. */
async function runSearch(scope: Scope, typed: string): Promise<void> {
  const mine = ++latest;
  const was = search.value;
  const key = keyOf(scope);
  try {
    const found = await page(scope, typed, '');
    const typedNow = search.value.typed; // another text is searched after a pause
    if (mine === latest && session.value)
      search.value = { scope: key, typed: typedNow, found: typed, ...found, at: now(), done: typedNow === typed };
  } catch (error) {
    if (mine !== latest) return;
    const same = was.scope === key && was.found === typed;
    const done = search.value.typed === typed;
    search.value = { ...search.value, scope: key, ...(same ? {} : { rows: [], next: '' }), error, done };
  }
}

/** Appends the next page, unless the query changed in the meantime. */
async function loadMore(scope: Scope, typed: string, cursor: string): Promise<void> {
  const found = await page(scope, typed, cursor);
  const now = search.value;
  if (now.scope !== keyOf(scope) || now.typed !== typed || now.next !== cursor) return;
  search.value = { ...search.value, rows: [...search.value.rows, ...found.rows], next: found.next };
}

/** Reads pages until one has rows or there are no more. */
async function page(scope: Scope, typed: string, cursor: string): Promise<{ rows: readonly Row[]; next: string }> {
  const status = [...statuses, ...reversals].find((s) => s === scope.status);
  const query: Schema['SupporterQuery'] = {
    q: typed.trim(),
    ...(scope.campaign ? { campaignSlug: scope.campaign } : {}),
    ...(status ? { status } : {}),
    ...(scope.status === toShip ? { toShip: true } : {}),
    ...(scope.tier ? { rewardId: scope.tier } : {}),
    ...(scope.country ? { country: scope.country } : {}),
  };
  for (let next = cursor; ; ) {
    const found = await requestPage({ ...query, ...(next ? { cursor: next } : {}) });
    next = found.next;
    if (found.supporters.length || !next) return { rows: found.supporters, next };
  }
}

async function requestPage(query: Schema['SupporterQuery']): Promise<Found> {
  try {
    return await change<Found>('/admin/supporters', query);
  } catch (error) {
    if (error instanceof APIError && error.status === 404) return { supporters: [], next: '' };
    throw error;
  }
}
