// What has to be made and sent: a list to pack by, on paper too, and to mark parcels on.
import { signal, type Signal } from '@preact/signals';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { filter, place } from '../place.ts';
import { query, refresh, useReading } from '../reading.ts';
import { Button } from '../ui/button.tsx';
import { Check, Text } from '../ui/form.tsx';
import { Note, Shown } from '../ui/notice.tsx';
import { Table, type Column } from '../ui/table.tsx';
import { CarrierFile } from './carrierfile.tsx';
import { mark, Outcome, ParcelStatus, statuses, type Result, type Status } from './marks.tsx';
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
  const left = place.value.filters['left'] === '1';
  const [pages, setPages] = useState<readonly number[]>([0]);
  const path = query(`/admin/reports/${slug}/fulfillment`, { limit: 50, cursor: pages.at(-1) || undefined, left: left ? '1' : undefined });
  const again = (): Promise<void> => refresh(path);
  const show = (on: boolean): void => {
    setPages([0]);
    filter({ left: on ? '1' : '' });
  };
  return (
    <>
      <Scan slug={slug} done={again} />
      <h2>{say('list')}</h2>
      <Check label={say('left')} on={left} set={show} />
      <Shown reading={useReading<Schema['Report']>(path)}>
        {(report) => (report.missingIndex ? <Note>{say('no_index')}</Note> : (
          <>
            <Passing empty={!report.rows.length} next={report.next} on={(next) => setPages([...pages.slice(0, -1), next])} />
            <List key={path} slug={slug} of={report} empty={say(left ? 'none_left' : 'none')} again={again} />
            <div class="row">
              {pages.length > 1 ? <button type="button" class="quiet" onClick={() => setPages(pages.slice(0, -1))}>{say('back')}</button> : null}
              {report.next ? <button type="button" class="quiet" onClick={() => setPages([...pages, report.next])}>{say('next')}</button> : null}
            </div>
          </>
        ))}
      </Shown>
      <CarrierFile slug={slug} done={again} />
    </>
  );
}

/** Goes on from a page without a row to the next that has one. */
function Passing({ empty, next, on }: { empty: boolean; next: number; on: (next: number) => void }) {
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
      id: `${cell('order_id')}/${fulfiller}`, order: cell('order_id'), fulfiller,
      to: [cell('name'), cell('address1'), cell('address2'), [cell('city'), cell('state'), cell('postal_code')].filter(Boolean).join(' '), cell('country')].filter(Boolean),
      contents: [cell('items'), cell('add_ons')].filter(Boolean).join('; '),
      status: statuses.find((s) => s === cell('parcel')) ?? 'to_pack',
      sent: [cell('sent_on'), cell('carrier'), cell('tracking_number')].filter(Boolean).join(' · '),
    };
  });
}

type Selection = Signal<ReadonlySet<string>>;

function List({ slug, of, empty, again }: { slug: string; of: Schema['Report']; empty: string; again: () => Promise<void> }) {
  const rows = useMemo(() => rowsOf(of), [of]);
  const chosen = useMemo((): Selection => signal(new Set()), []);
  const columns = useMemo(() => [choice(chosen), ...listed], [chosen]);
  const [carrier, setCarrier] = useState('');
  const [sentOn, setSentOn] = useState('');
  const [notify, setNotify] = useState(false);
  const [results, setResults] = useState<readonly Result[] | null>(null);
  const picked = rows.filter((r) => chosen.value.has(r.id));
  const send = async (status: Status): Promise<void> => {
    const said = status === 'sent' ? { ...(carrier ? { carrier } : {}), ...(sentOn ? { sentOn } : {}) } : {};
    try {
      setResults(await mark(slug, picked.map((r) => ({ orderId: r.order, fulfiller: r.fulfiller, status, ...said })), status === 'sent' && notify));
      chosen.value = new Set();
    } finally {
      await again();
    }
  };
  return (
    <>
      {rows.length ? <Check label={say('choose_all')} on={picked.length === rows.length} set={(on) => { chosen.value = new Set(on ? rows.map((r) => r.id) : []); }} /> : null}
      <Table caption={say('list')} columns={columns} rows={rows} id={(r) => r.id} text={(r) => `${r.order} ${r.to.join(' ')} ${r.contents}`} empty={empty} />
      {rows.length ? (
        <section class="on-screen" aria-labelledby="mark-chosen">
          <h2 id="mark-chosen">{say('mark')}</h2>
          <p role="status">{say('chosen', { count: picked.length })}</p>
          <div class="row fields">
            <Text label={say('carrier')} help={say('carrier_help')} value={carrier} set={setCarrier} max={60} />
            <Text label={say('day')} help={say('day_help')} type="date" value={sentOn} set={setSentOn} />
          </div>
          <Check label={say('notify')} help={say('notify_help')} on={notify} set={setNotify} />
          <div class="row">
            {(['packed', 'sent', 'to_pack'] as const).map((status) => (
              <Button key={status} quiet={status === 'to_pack'} disabled={!picked.length} task={() => send(status)}>{say(`mark_${status}`)}</Button>
            ))}
          </div>
        </section>
      ) : null}
      <Outcome results={results} />
    </>
  );
}

const choice = (chosen: Selection): Column<Row> => ({ key: 'choose', name: say('choose'), cell: (r) => <Chosen of={chosen} row={r} /> });

/** Draws itself when it's chosen, and not its row. */
function Chosen({ of, row: { id, order } }: { of: Selection; row: Row }) {
  const choose = (on: boolean): void => {
    const next = new Set(of.value);
    if (on) next.add(id);
    else next.delete(id);
    of.value = next;
  };
  return <input type="checkbox" aria-label={say('choose_order', { order })} checked={of.value.has(id)} onChange={(e) => choose(e.currentTarget.checked)} />;
}

const listed: readonly Column<Row>[] = [
  { key: 'order', name: say('order'), by: (r) => r.order, cell: (r) => <>{r.order}{r.fulfiller === 'platform' ? <span class="small"> {say('platform')}</span> : null}</> },
  { key: 'to', name: say('to'), by: (r) => r.to[0] ?? '', cell: (r) => <address>{r.to.map((line) => <div key={line}>{line}</div>)}</address> },
  { key: 'contents', name: say('contents'), by: (r) => r.contents, cell: (r) => r.contents },
  { key: 'parcel', name: say('parcel'), by: (r) => statuses.indexOf(r.status), cell: (r) => <><ParcelStatus of={r.status} />{r.sent ? <span class="small"> {r.sent}</span> : null}</> },
];
