// The packing list, which can be printed and on which parcels are marked as packed or sent.
import { useMemo, useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Checkbox, Form, TextField } from '../ui/form.tsx';
import { BulkBar, selectionColumn, useSelection } from '../ui/selection.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { countryName, day } from '../words.ts';
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

interface Row {
  readonly id: string;
  readonly order: string;
  readonly fulfiller: 'campaign' | 'platform';
  readonly to: readonly string[];
  readonly contents: string;
  readonly status: Status;
  readonly sent: string;
}

function rowsOf({ columns, rows }: Schema['Report']): readonly Row[] {
  const at = Object.fromEntries(columns.map((name, i) => [name, i]));
  return rows.map((cells) => {
    const cell = (name: string): string => cells[at[name] ?? -1] ?? '';
    const fulfiller = cell('fulfiller') === 'platform' ? 'platform' : 'campaign';
    const sentOn = cell('sent_on');
    return {
      id: `${cell('order_id')}/${fulfiller}`,
      order: cell('order_id'),
      fulfiller,
      to: [
        cell('name'),
        cell('address1'),
        cell('address2'),
        [cell('city'), cell('state'), cell('postal_code')].filter(Boolean).join(' '),
        countryName(cell('country')),
        cell('phone'),
      ].filter(Boolean),
      contents: [cell('items'), cell('add_ons')].filter(Boolean).join('; '),
      status: statuses.find((s) => s === cell('parcel')) ?? 'to_pack',
      sent: [sentOn ? day(sentOn) : '', cell('carrier'), cell('tracking_number')].filter(Boolean).join(', '),
    };
  });
}

const idOf = (r: Row): string => r.id;

type Details = Pick<ParcelUpdate, 'carrier' | 'sentOn'>;

/** A change of parcels that the operator has to confirm. */
interface Change {
  readonly to: Status;
  readonly rows: readonly Row[];
}

interface ListProps {
  readonly slug: string;
  readonly report: Schema['Report'];
  readonly empty: string;
  readonly reload: () => Promise<void>;
}

export function ParcelList({ slug, report, empty, reload }: ListProps) {
  const rows = useMemo(() => rowsOf(report), [report]);
  const selection = useSelection();
  const columns = useMemo(
    () => [selectionColumn<Row>(selection, idOf, (r) => say('select_order', { order: r.order })), ...listColumns],
    [],
  );
  const [asked, ask] = useState<Change | null>(null);
  const [results, setResults] = useState<readonly Result[] | null>(null);
  const close = (): void => ask(null);
  const update = async ({ to, rows }: Change, details: Details = {}, notify = false): Promise<void> => {
    const marks = rows.map((r) => ({ orderId: r.order, fulfiller: r.fulfiller, status: to, ...details }));
    try {
      setResults(await updateParcels(slug, marks, notify));
      selection.value = new Set();
      close();
    } finally {
      await reload();
    }
  };
  return (
    <>
      <UpdateResults results={results} />
      <Table
        caption={say('list')}
        columns={columns}
        rows={rows}
        id={idOf}
        filterText={(r) => `${r.order} ${r.to.join(' ')} ${r.contents}`}
        empty={empty}
        bulk={(onPage) => (
          <BulkBar selection={selection} rows={onPage} id={idOf}>
            {(selected) => <Actions rows={selected} ask={ask} />}
          </BulkBar>
        )}
      />
      {asked?.to === 'sent' ? (
        <SendingDialog count={asked.rows.length} close={close} send={(d, n) => update(asked, d, n)} />
      ) : asked ? (
        <ConfirmDialog change={asked} close={close} confirm={() => update(asked)} />
      ) : null}
    </>
  );
}

/** The actions on selected parcels. Each one asks for confirmation first. */
function Actions({ rows, ask }: { rows: readonly Row[]; ask: (change: Change) => void }) {
  const count = rows.length;
  return (
    <>
      <button type="button" class="btn sm" onClick={() => ask({ to: 'packed', rows })}>
        {say('mark_packed', { count })}…
      </button>
      <button type="button" class="btn sm primary" onClick={() => ask({ to: 'sent', rows })}>
        {say('mark_sent', { count })}…
      </button>
      <button type="button" class="btn sm plain" onClick={() => ask({ to: 'to_pack', rows })}>
        {say('move_back', { count })}…
      </button>
    </>
  );
}

interface ConfirmProps {
  readonly change: Change;
  readonly close: () => void;
  readonly confirm: () => Promise<void>;
}

/** Asks for confirmation before parcels are marked as packed or moved back. */
function ConfirmDialog({ change: { to, rows }, close, confirm }: ConfirmProps) {
  const count = rows.length;
  const packing = to === 'packed';
  return (
    <Dialog title={say(packing ? 'pack_title' : 'back_title', { count })} close={close}>
      <Form dialog task={confirm} submitLabel={say(packing ? 'mark_packed' : 'move_back', { count })}>
        <p>{say(packing ? 'pack_hint' : 'back_hint')}</p>
      </Form>
    </Dialog>
  );
}

interface SendingProps {
  readonly count: number;
  readonly close: () => void;
  readonly send: (details: Details, notify: boolean) => Promise<void>;
}

/**
 * Asks for the carrier, the day and whether to email supporters before parcels are marked as sent.
 */
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

const listColumns: readonly Column<Row>[] = [
  {
    key: 'order',
    name: say('order'),
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
  { key: 'contents', name: say('contents'), cell: (r) => r.contents },
  {
    key: 'parcel',
    name: say('parcel'),
    number: true,
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
