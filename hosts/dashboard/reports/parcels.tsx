// The packing list, which can be printed, and on which parcels are marked as packed or sent.
import { type Signal, signal } from '@preact/signals';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { query, refresh, useResource } from '../resources.ts';
import { route, setFilters } from '../router.ts';
import { Button } from '../ui/button.tsx';
import { Checkbox, TextField } from '../ui/form.tsx';
import { Notice, ResourceView } from '../ui/notice.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { CarrierFile } from './carrierfile.tsx';
import { ParcelStatus, type Result, type Status, statuses, UpdateResults, updateParcels } from './marks.tsx';
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
  const show = (on: boolean): void => {
    setPages([0]);
    setFilters({ left: on ? '1' : '' });
  };
  return (
    <>
      <Scan slug={slug} done={reload} />
      <h2>{say('list')}</h2>
      <Checkbox label={say('left')} on={left} set={show} />
      <ResourceView resource={useResource<Schema['Report']>(path)}>
        {(report) =>
          report.missingIndex ? (
            <Notice>{say('no_index')}</Notice>
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
              <div class="row">
                {pages.length > 1 ? (
                  <button type="button" class="quiet" onClick={() => setPages(pages.slice(0, -1))}>
                    {say('back')}
                  </button>
                ) : null}
                {report.next ? (
                  <button type="button" class="quiet" onClick={() => setPages([...pages, report.next])}>
                    {say('next')}
                  </button>
                ) : null}
              </div>
            </>
          )
        }
      </ResourceView>
      <CarrierFile slug={slug} done={reload} />
    </>
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
      sent: [cell('sent_on'), cell('carrier'), cell('tracking_number')].filter(Boolean).join(' · '),
    };
  });
}

type Selection = Signal<ReadonlySet<string>>;

function ParcelList({
  slug,
  report,
  empty,
  reload,
}: {
  slug: string;
  report: Schema['Report'];
  empty: string;
  reload: () => Promise<void>;
}) {
  const rows = useMemo(() => rowsOf(report), [report]);
  const chosen = useMemo((): Selection => signal(new Set()), []);
  const columns = useMemo(() => [choiceColumn(chosen), ...listColumns], [chosen]);
  const [carrier, setCarrier] = useState('');
  const [sentOn, setSentOn] = useState('');
  const [notify, setNotify] = useState(false);
  const [results, setResults] = useState<readonly Result[] | null>(null);
  const picked = rows.filter((r) => chosen.value.has(r.id));
  const send = async (status: Status): Promise<void> => {
    const details = status === 'sent' ? { ...(carrier ? { carrier } : {}), ...(sentOn ? { sentOn } : {}) } : {};
    try {
      setResults(
        await updateParcels(
          slug,
          picked.map((r) => ({ orderId: r.order, fulfiller: r.fulfiller, status, ...details })),
          status === 'sent' && notify,
        ),
      );
      chosen.value = new Set();
    } finally {
      await reload();
    }
  };
  return (
    <>
      {rows.length ? (
        <Checkbox
          label={say('choose_all')}
          on={picked.length === rows.length}
          set={(on) => {
            chosen.value = new Set(on ? rows.map((r) => r.id) : []);
          }}
        />
      ) : null}
      <Table
        caption={say('list')}
        columns={columns}
        rows={rows}
        id={(r) => r.id}
        filterText={(r) => `${r.order} ${r.to.join(' ')} ${r.contents}`}
        empty={empty}
      />
      {rows.length ? (
        <section class="on-screen" aria-labelledby="mark-chosen">
          <h2 id="mark-chosen">{say('mark')}</h2>
          <p role="status">{say('chosen', { count: picked.length })}</p>
          <div class="row fields">
            <TextField label={say('carrier')} help={say('carrier_help')} value={carrier} set={setCarrier} max={60} />
            <TextField label={say('day')} help={say('day_help')} type="date" value={sentOn} set={setSentOn} />
          </div>
          <Checkbox label={say('notify')} help={say('notify_help')} on={notify} set={setNotify} />
          <div class="row">
            {(['packed', 'sent', 'to_pack'] as const).map((status) => (
              <Button key={status} quiet={status === 'to_pack'} disabled={!picked.length} task={() => send(status)}>
                {say(`mark_${status}`)}
              </Button>
            ))}
          </div>
        </section>
      ) : null}
      <UpdateResults results={results} />
    </>
  );
}

const choiceColumn = (chosen: Selection): Column<Row> => ({
  key: 'choose',
  name: say('choose'),
  cell: (r) => <RowCheckbox selection={chosen} row={r} />,
});

/** A checkbox that reads the selection signal itself, so that a click does not render the whole row again. */
function RowCheckbox({ selection, row: { id, order } }: { selection: Selection; row: Row }) {
  const choose = (on: boolean): void => {
    const next = new Set(selection.value);
    if (on) next.add(id);
    else next.delete(id);
    selection.value = next;
  };
  return (
    <input
      type="checkbox"
      aria-label={say('choose_order', { order })}
      checked={selection.value.has(id)}
      onChange={(e) => choose(e.currentTarget.checked)}
    />
  );
}

const listColumns: readonly Column<Row>[] = [
  {
    key: 'order',
    name: say('order'),
    sortKey: (r) => r.order,
    cell: (r) => (
      <>
        {r.order}
        {r.fulfiller === 'platform' ? <span class="small"> {say('platform')}</span> : null}
      </>
    ),
  },
  {
    key: 'to',
    name: say('to'),
    sortKey: (r) => r.to[0] ?? '',
    cell: (r) => (
      <address>
        {r.to.map((line) => (
          <div key={line}>{line}</div>
        ))}
      </address>
    ),
  },
  { key: 'contents', name: say('contents'), sortKey: (r) => r.contents, cell: (r) => r.contents },
  {
    key: 'parcel',
    name: say('parcel'),
    sortKey: (r) => statuses.indexOf(r.status),
    cell: (r) => (
      <>
        <ParcelStatus status={r.status} />
        {r.sent ? <span class="small"> {r.sent}</span> : null}
      </>
    ),
  },
];
