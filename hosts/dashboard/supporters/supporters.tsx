// Supporter search with results as you type, and the details of one supporter. The search text is
// kept in memory only; the URL contains campaigns and order IDs, but no personal data.
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { APIError, type Schema } from '../../site/scripts/api.ts';
import { useSummaries } from '../campaigns/summary.ts';
import { change } from '../changes.ts';
import { isRetryable } from '../resources.ts';
import { hrefTo, replaceRoute, route, setFilters } from '../router.ts';
import { hasPermission, isSuperAdmin, now, session } from '../session.ts';
import { Select, TextField } from '../ui/form.tsx';
import { Loading, ReadError, ResourceView } from '../ui/notice.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { moment, money } from '../words.ts';
import { Status } from './status.tsx';
import { Timeline } from './timeline.tsx';
import { say } from './words.ts';

type Found = Schema['SupportersFound'];
type Row = Found['supporters'][number];

interface Search {
  readonly campaign: string;
  readonly typed: string;
  readonly found: string; // the query that the rows match
  readonly rows: readonly Row[];
  readonly next: string;
  readonly at?: number; // when the rows were received
  readonly error?: unknown;
  readonly done: boolean;
}

const empty: Search = { campaign: '', typed: '', found: '', rows: [], next: '', done: false };
const search = signal<Search>(empty);
session.subscribe((s) => {
  if (!s) search.value = empty; // the next operator may have fewer permissions
});

const pause = 200; // milliseconds after the last key

export default function Supporters() {
  const [, slug, order] = route.value.parts;
  const resource = useSummaries();
  if (slug && order && slug !== 'order') return <Timeline slug={slug} order={order} />;
  return (
    <ResourceView resource={resource}>
      {({ campaigns }) =>
        slug === 'order' && order ? (
          <OrderRedirect key={order} id={order} slugs={campaigns.map((c) => c.campaignSlug)} />
        ) : (
          <SearchScreen campaigns={campaigns.map((c) => [c.campaignSlug, c.campaignTitle])} />
        )
      }
    </ResourceView>
  );
}

/** Redirects to an order whose campaign is not known. */
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
    } = await page(slug, id, '');
    if (row) return row;
  }
  return undefined;
}

function SearchScreen({ campaigns }: { campaigns: readonly (readonly [string, string])[] }) {
  const chosen = route.value.filters.campaign ?? (isSuperAdmin() ? '' : (campaigns[0]?.[0] ?? ''));
  const { campaign, typed, rows, next, at, error, done } = search.value;
  useEffect(() => {
    if (campaign === chosen && done) return;
    const timer = setTimeout(() => void runSearch(chosen, typed), done ? 0 : pause);
    return () => clearTimeout(timer);
  }, [chosen, typed, done]);
  useEffect(() => {
    if (!isRetryable(error)) return;
    const timer = setTimeout(() => void runSearch(chosen, typed), 5_000);
    return () => clearTimeout(timer);
  }, [error]);
  const type = (text: string): void => {
    search.value = { ...search.value, typed: text, done: false };
  };
  return (
    <>
      <h1>{say('title')}</h1>
      <div class="row fields" role="search">
        <Select
          label={say('campaign')}
          value={chosen}
          set={(c) => setFilters({ campaign: c })}
          choices={[...(isSuperAdmin() ? [['', say('any')] as const] : []), ...campaigns]}
        />
        <TextField
          label={say('find')}
          help={say(chosen ? (hasPermission('money') ? 'find_card_help' : 'find_help') : 'find_all_help')}
          value={typed}
          set={type}
          type="search"
          max={254}
        />
      </div>
      {error ? <ReadError at={at} error={error} /> : null}
      {rows.length > 0 || (done && !error) ? (
        <Table
          caption={say('title')}
          columns={columns}
          rows={rows}
          id={(r) => r.orderId}
          empty={say(chosen || typed ? 'none' : 'type_first')}
          loadMore={next && done ? () => loadMore(chosen, typed, next) : undefined}
        />
      ) : null}
    </>
  );
}

const columns: readonly Column<Row>[] = [
  {
    key: 'email',
    name: say('email'),
    sortKey: (r) => r.email,
    cell: (r) => <a href={hrefTo(['supporters', r.campaignSlug, r.orderId])}>{r.email}</a>,
  },
  { key: 'name', name: say('name'), sortKey: (r) => r.name, cell: (r) => r.name },
  { key: 'campaign', name: say('campaign'), sortKey: (r) => r.campaignSlug, cell: (r) => r.campaignSlug },
  {
    key: 'status',
    name: say('status'),
    sortKey: (r) => r.pledgeStatus,
    cell: (r) => <Status status={r.pledgeStatus} />,
  },
  {
    key: 'amount',
    name: say('amount'),
    number: true,
    sortKey: (r) => r.amount ?? 0,
    cell: (r) => (r.amount === undefined ? '—' : money(r.amount)),
  },
  { key: 'made', name: say('made'), sortKey: (r) => r.createdAt, cell: (r) => moment(r.createdAt) },
];

let latest = 0;

/** Searches. Responses to outdated queries are dropped. */
async function runSearch(campaign: string, typed: string): Promise<void> {
  const mine = ++latest;
  const was = search.value;
  try {
    const found = campaign || typed ? await page(campaign, typed, '') : { rows: [], next: '' };
    if (mine === latest && session.value)
      search.value = { campaign, typed: search.value.typed, found: typed, ...found, at: now(), done: true };
  } catch (error) {
    if (mine !== latest) return;
    const same = was.campaign === campaign && was.found === typed;
    search.value = { ...search.value, campaign, ...(same ? {} : { rows: [], next: '' }), error, done: true };
  }
}

/** Appends the next page, unless the query changed in the meantime. */
async function loadMore(campaign: string, typed: string, cursor: string): Promise<void> {
  const found = await page(campaign, typed, cursor);
  const now = search.value;
  if (now.campaign !== campaign || now.typed !== typed || now.next !== cursor) return;
  search.value = { ...search.value, rows: [...search.value.rows, ...found.rows], next: found.next };
}

/** Reads pages until one has rows or there are no more. */
async function page(campaign: string, typed: string, cursor: string): Promise<{ rows: readonly Row[]; next: string }> {
  const query = { ...(campaign ? { campaignSlug: campaign } : {}), q: typed.trim() };
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
