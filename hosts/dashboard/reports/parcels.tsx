// The packing list, which can be printed, and on which parcels are marked as packed or sent.
import { type Signal, signal } from '@preact/signals';
import { Printer, Upload, X } from 'lucide-preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { query, refresh, useResource } from '../resources.ts';
import { hrefTo, route, setFilters } from '../router.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Checkbox, Form, TextField } from '../ui/form.tsx';
import { Icon } from '../ui/icon.tsx';
import { ResourceView } from '../ui/notice.tsx';
import { hasPages, Pager } from '../ui/pager.tsx';
import { type Column, Table } from '../ui/table.tsx';
import {
  ParcelStatus,
  type ParcelUpdate,
  type Result,
  type Status,
  statuses,
  UpdateResults,
  updateParcels,
} from './marks.tsx';
import { say } from './parcelwords.ts';
import { Scan } from './scan.tsx';

interface Row {
  readonly id: string;
  readonly order: string;
  readonly fulfiller: 'campaign' | 'platform';
  readonly to: readonly string[];
  readonly contents: string;
  readonly status: Status;
  readonly sent: string;
}

export function Parcels({ slug }: { slug: string }) {
  const left = route.value.filters.left === '1';
  const [pages, setPages] = useState<readonly number[]>([0]);
  const path = query(`/admin/reports/${slug}/fulfillment`, {
    limit: 50,
    cursor: pages.at(-1) || undefined,
    left: left ? '1' : undefined,
  });
  const reload = (): Promise<void> => refresh(path);
  return (
    <div class="cols c21">
      <Card
        title={say('list')}
        flush
        aside={
          <>
            <a class="btn sm" href={hrefTo(['reports', 'import'], { campaign: slug })}>
              <Icon of={Upload} small />
              {say('import')}
            </a>
            <button type="button" class="btn sm" onClick={() => print()}>
              <Icon of={Printer} small />
              {say('print')}
            </button>
          </>
        }
      >
        <div class="filters">
          <button
            type="button"
            class={`chip ${left ? 'on' : ''}`}
            aria-pressed={left}
            onClick={() => {
              setPages([0]);
              setFilters({ left: left ? '' : '1' });
            }}
          >
            {say('not_sent')}
          </button>
        </div>
        <ResourceView resource={useResource<Schema['Report']>(path)}>
          {(report) =>
            report.missingIndex ? (
              <p class="in soft">{say('no_pledges')}</p>
            ) : (
              <>
                <SkipEmptyPages
                  empty={!report.rows.length}
                  next={report.next}
                  on={(next) => setPages([...pages.slice(0, -1), next])}
                />
                <ParcelList
                  key={path}
                  slug={slug}
                  report={report}
                  empty={say(left ? 'none_left' : 'none')}
                  reload={reload}
                />
                {hasPages(pages, report.next) ? (
                  <footer class="in">
                    <Pager pages={pages} next={report.next} go={setPages} />
                  </footer>
                ) : null}
              </>
            )
          }
        </ResourceView>
      </Card>
      <Scan slug={slug} done={reload} />
    </div>
  );
}

/** Skips pages without rows. */
function SkipEmptyPages({ empty, next, on }: { empty: boolean; next: number; on: (next: number) => void }) {
  useEffect(() => {
    if (empty && next) on(next);
  }, [empty, next]);
  return null;
}

function rowsOf({ columns, rows }: Schema['Report']): readonly Row[] {
  const at = Object.fromEntries(columns.map((name, i) => [name, i]));
  return rows.map((cells) => {
    const cell = (name: string): string => cells[at[name] ?? -1] ?? '';
    const fulfiller = cell('fulfiller') === 'platform' ? 'platform' : 'campaign';
    return {
      id: `${cell('order_id')}/${fulfiller}`,
      order: cell('order_id'),
      fulfiller,
      to: [
        cell('name'),
        cell('address1'),
        cell('address2'),
        [cell('city'), cell('state'), cell('postal_code')].filter(Boolean).join(' '),
        cell('country'),
      ].filter(Boolean),
      contents: [cell('items'), cell('add_ons')].filter(Boolean).join('; '),
      status: statuses.find((s) => s === cell('parcel')) ?? 'to_pack',
      sent: [cell('sent_on'), cell('carrier'), cell('tracking_number')].filter(Boolean).join(', '),
    };
  });
}

type Selection = Signal<ReadonlySet<string>>;
type Details = Pick<ParcelUpdate, 'carrier' | 'sentOn'>;

interface ListProps {
  readonly slug: string;
  readonly report: Schema['Report'];
  readonly empty: string;
  readonly reload: () => Promise<void>;
}

function ParcelList({ slug, report, empty, reload }: ListProps) {
  const rows = useMemo(() => rowsOf(report), [report]);
  const selected = useMemo((): Selection => signal(new Set()), []);
  const columns = useMemo(() => [selectionColumn(selected), ...listColumns], [selected]);
  const [sending, setSending] = useState(false);
  const [results, setResults] = useState<readonly Result[] | null>(null);
  const chosen = rows.filter((r) => selected.value.has(r.id));
  const select = (all: boolean): void => {
    selected.value = new Set(all ? rows.map((r) => r.id) : []);
  };
  const update = async (status: Status, details: Details = {}, notify = false): Promise<void> => {
    const marks = chosen.map((r) => ({ orderId: r.order, fulfiller: r.fulfiller, status, ...details }));
    try {
      setResults(await updateParcels(slug, marks, notify));
      select(false);
      setSending(false);
    } finally {
      await reload();
    }
  };
  return (
    <>
      {rows.length ? (
        <div class="bulk">
          <div class="opt grow">
            <input
              type="checkbox"
              class={`check ${chosen.length && chosen.length < rows.length ? 'some' : ''}`}
              aria-label={say('select_all')}
              checked={chosen.length === rows.length}
              onChange={(e) => select(e.currentTarget.checked)}
            />
            <span role="status">{chosen.length ? say('selected', { count: chosen.length }) : say('select_all')}</span>
          </div>
          {chosen.length ? (
            <>
              <Button small task={() => update('packed')}>
                {say('mark_packed', { count: chosen.length })}
              </Button>
              <button type="button" class="btn sm primary" onClick={() => setSending(true)}>
                {say('mark_sent', { count: chosen.length })}…
              </button>
              <Button small kind="plain" task={() => update('to_pack')}>
                {say('mark_to_pack')}
              </Button>
              <button
                type="button"
                class="btn plain icon sm"
                aria-label={say('clear_selection')}
                onClick={() => select(false)}
              >
                <Icon of={X} small />
              </button>
            </>
          ) : null}
        </div>
      ) : null}
      <UpdateResults results={results} />
      <Table
        caption={say('list')}
        columns={columns}
        rows={rows}
        id={(r) => r.id}
        filterText={(r) => `${r.order} ${r.to.join(' ')} ${r.contents}`}
        empty={empty}
      />
      {sending ? (
        <SendingDialog count={chosen.length} close={() => setSending(false)} send={(d, n) => update('sent', d, n)} />
      ) : null}
    </>
  );
}

interface SendingProps {
  readonly count: number;
  readonly close: () => void;
  readonly send: (details: Details, notify: boolean) => Promise<void>;
}

/** Asks for the carrier, the day and whether to email supporters, before parcels are marked sent. */
function SendingDialog({ count, close, send }: SendingProps) {
  const [carrier, setCarrier] = useState('');
  const [sentOn, setSentOn] = useState('');
  const [notify, setNotify] = useState(false);
  const details = { ...(carrier ? { carrier } : {}), ...(sentOn ? { sentOn } : {}) };
  return (
    <Dialog title={say('send_title', { count })} close={close}>
      <Form
        dialog
        task={() => send(details, notify)}
        submitLabel={say(notify ? 'send_and_email' : 'mark_sent', { count })}
      >
        <TextField label={say('carrier')} note={say('optional')} value={carrier} set={setCarrier} max={60} />
        <TextField label={say('day')} hint={say('day_hint')} type="date" value={sentOn} set={setSentOn} />
        <Checkbox label={say('notify', { count })} hint={say('notify_hint')} on={notify} set={setNotify} />
      </Form>
    </Dialog>
  );
}

const selectionColumn = (selected: Selection): Column<Row> => ({
  key: 'select',
  name: say('select'),
  cell: (r) => <RowCheckbox selected={selected} row={r} />,
});

/** A checkbox that reads the selection signal itself, so that a click does not render the whole row again. */
function RowCheckbox({ selected, row: { id, order } }: { selected: Selection; row: Row }) {
  const select = (on: boolean): void => {
    const next = new Set(selected.value);
    if (on) next.add(id);
    else next.delete(id);
    selected.value = next;
  };
  return (
    <input
      type="checkbox"
      class="check"
      aria-label={say('select_order', { order })}
      checked={selected.value.has(id)}
      onChange={(e) => select(e.currentTarget.checked)}
    />
  );
}

const listColumns: readonly Column<Row>[] = [
  {
    key: 'order',
    name: say('order'),
    sortKey: (r) => r.order,
    cell: (r) => (
      <div class="stack g1">
        <b class="mono small">{r.order}</b>
        <address class="small muted">
          {r.to.map((line) => (
            <div key={line}>{line}</div>
          ))}
        </address>
        {r.fulfiller === 'platform' ? <span class="small muted">{say('platform')}</span> : null}
      </div>
    ),
  },
  { key: 'contents', name: say('contents'), sortKey: (r) => r.contents, cell: (r) => r.contents },
  {
    key: 'parcel',
    name: say('parcel'),
    number: true,
    sortKey: (r) => statuses.indexOf(r.status),
    cell: (r) => (
      <div class="stack g1">
        <span>
          <ParcelStatus status={r.status} />
        </span>
        {r.sent ? <span class="small muted">{r.sent}</span> : null}
      </div>
    ),
  },
];
