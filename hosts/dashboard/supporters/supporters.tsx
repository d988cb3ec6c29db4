// Supporters: found as one types, and all that is known of one of them. What was typed
// stays in this page's memory: the address has only campaigns and order IDs.
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Refused, type Schema } from '../../site/scripts/api.ts';
import { useSummaries } from '../campaigns/summary.ts';
import { change } from '../changing.ts';
import { filter, lead, place, to } from '../place.ts';
import { unanswered } from '../reading.ts';
import { may, now, platform, session } from '../session.ts';
import { Choice, Text } from '../ui/form.tsx';
import { Loading, Old, Shown } from '../ui/notice.tsx';
import { Table, type Column } from '../ui/table.tsx';
import { money, moment } from '../words.ts';
import { Status } from './status.tsx';
import { Timeline } from './timeline.tsx';
import { say } from './words.ts';

type Found = Schema['SupportersFound'];
type Row = Found['supporters'][number];

interface Search {
  readonly campaign: string;
  readonly typed: string;
  readonly found: string; // what the rows were found by
  readonly rows: readonly Row[];
  readonly next: string;
  readonly at?: number; // when the rows came
  readonly error?: unknown;
  readonly done: boolean;
}

const empty: Search = { campaign: '', typed: '', found: '', rows: [], next: '', done: false };
const search = signal<Search>(empty);
session.subscribe((s) => {
  if (!s) search.value = empty; // whoever signs in next may see less
});

const pause = 200; // milliseconds after the last key

export default function Supporters() {
  const [, slug, order] = place.value.parts;
  const reading = useSummaries();
  if (slug && order && slug !== 'order') return <Timeline slug={slug} order={order} />;
  return (
    <Shown reading={reading}>
      {({ campaigns }) => (slug === 'order' && order
        ? <Order key={order} id={order} slugs={campaigns.map((c) => c.campaignSlug)} />
        : <Finding campaigns={campaigns.map((c) => [c.campaignSlug, c.campaignTitle])} />)}
    </Shown>
  );
}

/** Leads to an order in whichever campaign it is. */
function Order({ id, slugs }: { id: string; slugs: readonly string[] }) {
  useEffect(() => {
    let left = false;
    void located(id, platform() ? [''] : slugs).catch(() => undefined).then((row) => {
      if (left) return;
      if (!row) search.value = { ...empty, typed: id }; // the screen says that there is none, or why nobody answers
      lead(row ? ['supporters', row.campaignSlug, row.orderId] : ['supporters']);
    });
    return () => { left = true; };
  }, [id]);
  return <Loading />;
}

async function located(id: string, slugs: readonly string[]): Promise<Row | undefined> {
  for (const slug of slugs) {
    const { rows: [row] } = await page(slug, id, '');
    if (row) return row;
  }
  return undefined;
}

function Finding({ campaigns }: { campaigns: readonly (readonly [string, string])[] }) {
  const chosen = place.value.filters['campaign'] ?? (platform() ? '' : campaigns[0]?.[0] ?? '');
  const { campaign, typed, rows, next, at, error, done } = search.value;
  useEffect(() => {
    if (campaign === chosen && done) return;
    const timer = setTimeout(() => void find(chosen, typed), done ? 0 : pause);
    return () => clearTimeout(timer);
  }, [chosen, typed, done]);
  useEffect(() => {
    if (!unanswered(error)) return;
    const timer = setTimeout(() => void find(chosen, typed), 5_000);
    return () => clearTimeout(timer);
  }, [error]);
  const type = (text: string): void => {
    search.value = { ...search.value, typed: text, done: false };
  };
  return (
    <>
      <h1>{say('title')}</h1>
      <div class="row fields" role="search">
        <Choice label={say('campaign')} value={chosen} set={(c) => filter({ campaign: c })} choices={[...(platform() ? [['', say('any')] as const] : []), ...campaigns]} />
        <Text label={say('find')} help={say(chosen ? (may('money') ? 'find_card_help' : 'find_help') : 'find_all_help')} value={typed} set={type} type="search" max={254} />
      </div>
      {error ? <Old at={at} error={error} /> : null}
      {rows.length > 0 || (done && !error) ? (
        <Table caption={say('title')} columns={columns} rows={rows} id={(r) => r.orderId} empty={say(chosen || typed ? 'none' : 'type_first')}
          more={next && done ? () => more(chosen, typed, next) : undefined} />
      ) : null}
    </>
  );
}

const columns: readonly Column<Row>[] = [
  { key: 'email', name: say('email'), by: (r) => r.email, cell: (r) => <a href={to(['supporters', r.campaignSlug, r.orderId])}>{r.email}</a> },
  { key: 'name', name: say('name'), by: (r) => r.name, cell: (r) => r.name },
  { key: 'campaign', name: say('campaign'), by: (r) => r.campaignSlug, cell: (r) => r.campaignSlug },
  { key: 'status', name: say('status'), by: (r) => r.pledgeStatus, cell: (r) => <Status of={r.pledgeStatus} /> },
  { key: 'amount', name: say('amount'), number: true, by: (r) => r.amount ?? 0, cell: (r) => (r.amount === undefined ? '—' : money(r.amount)) },
  { key: 'made', name: say('made'), by: (r) => r.createdAt, cell: (r) => moment(r.createdAt) },
];

let latest = 0;

/** Finds; the answer to what is not typed any more is dropped. */
async function find(campaign: string, typed: string): Promise<void> {
  const mine = ++latest;
  const was = search.value;
  try {
    const found = campaign || typed ? await page(campaign, typed, '') : { rows: [], next: '' };
    if (mine === latest && session.value) search.value = { campaign, typed: search.value.typed, found: typed, ...found, at: now(), done: true };
  } catch (error) {
    if (mine !== latest) return;
    const same = was.campaign === campaign && was.found === typed;
    search.value = { ...search.value, campaign, ...(same ? {} : { rows: [], next: '' }), error, done: true };
  }
}

/** Adds the next page, unless somebody has searched for something else meanwhile. */
async function more(campaign: string, typed: string, cursor: string): Promise<void> {
  const found = await page(campaign, typed, cursor);
  const now = search.value;
  if (now.campaign !== campaign || now.typed !== typed || now.next !== cursor) return;
  search.value = { ...search.value, rows: [...search.value.rows, ...found.rows], next: found.next };
}

/** A page with somebody on it, or the last. */
async function page(campaign: string, typed: string, cursor: string): Promise<{ rows: readonly Row[]; next: string }> {
  const query = { ...(campaign ? { campaignSlug: campaign } : {}), q: typed.trim() };
  for (let next = cursor; ;) {
    const found = await ask({ ...query, ...(next ? { cursor: next } : {}) });
    next = found.next;
    if (found.supporters.length || !next) return { rows: found.supporters, next };
  }
}

async function ask(query: Schema['SupporterQuery']): Promise<Found> {
  try {
    return await change<Found>('/admin/supporters', query);
  } catch (error) {
    if (error instanceof Refused && error.status === 404) return { supporters: [], next: '' };
    throw error;
  }
}
