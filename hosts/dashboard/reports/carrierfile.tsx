// A carrier's file: what it would do is shown line by line before it does it.
import { useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { change, identity } from '../changing.ts';
import { Button, useTask } from '../ui/button.tsx';
import { Check, Field } from '../ui/form.tsx';
import { Note, Wrong } from '../ui/notice.tsx';
import { Table, type Column } from '../ui/table.tsx';
import { say } from './parcelwords.ts';

type Imported = Schema['Imported'];
type Line = Imported['results'][number];

interface Read {
  readonly csv: string;
  readonly changeId: string;
  readonly said: Imported;
}

/** A file's text; what is no UTF-8 comes from an older spreadsheet. */
async function text(file: File): Promise<string> {
  const bytes = await file.arrayBuffer();
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

export function CarrierFile({ slug, done }: { slug: string; done: () => Promise<void> }) {
  const [read, setRead] = useState<Read | null>(null);
  const [notify, setNotify] = useState(false);
  const { error, run } = useTask();
  const ask = (csv: string, changeId: string, dryRun: boolean): Promise<Imported> =>
    change<Imported>('/admin/fulfilment/import', { campaignSlug: slug, changeId, csv, dryRun, notify: notify && !dryRun } satisfies Schema['ImportRequest']);
  const look = async (file: File): Promise<void> => {
    setRead(null);
    const [csv, changeId] = [await text(file), identity()];
    setRead({ csv, changeId, said: await ask(csv, changeId, true) });
  };
  const apply = async (of: Read): Promise<void> => {
    try {
      setRead({ ...of, said: await ask(of.csv, of.changeId, false) });
    } finally {
      await done();
    }
  };
  return (
    <section class="on-screen" aria-labelledby="carrier-file">
      <h2 id="carrier-file">{say('file')}</h2>
      <p>{say('file_what')}</p>
      <Field label={say('choose_file')}>
        {(a) => <input {...a} type="file" accept=".csv,text/csv" onChange={(e) => {
          const file = e.currentTarget.files?.[0];
          if (file) void run(() => look(file));
        }} />}
      </Field>
      {error ? <Wrong error={error} /> : null}
      <div role="status">{read ? <Said of={read.said} /> : null}</div>
      {read ? <Table caption={say('file')} columns={columns(read.said.dryRun)} rows={read.said.results} id={(r) => String(r.line)} /> : null}
      {read?.said.dryRun && read.said.marked ? (
        <>
          <Check label={say('notify')} help={say('notify_help')} on={notify} set={setNotify} />
          <Button task={() => apply(read)}>{say('apply', { count: read.said.marked })}</Button>
        </>
      ) : null}
    </section>
  );
}

function Said({ of }: { of: Imported }) {
  const { dryRun, marked, unchanged, refused } = of;
  const counts = [
    ...(dryRun ? [] : [say('applied'), say('marked', { count: marked })]), ...(dryRun && !marked ? [say('nothing_new')] : []),
    ...(unchanged ? [say('unchanged', { count: unchanged })] : []), ...(refused ? [say('refused', { count: refused }).replace(/:$/, '.')] : []),
  ];
  return (
    <Note tone={refused ? 'warn' : dryRun ? '' : 'good'}>
      <p>{say('columns', { columns: Object.values(of.columns).join(', ') })} {counts.join(' ')}</p>
    </Note>
  );
}

const columns = (dryRun: boolean): readonly Column<Line>[] => [
  { key: 'line', name: say('line'), number: true, cell: (r) => r.line ?? '' },
  { key: 'order', name: say('order'), cell: (r) => r.orderId },
  { key: 'outcome', name: say('outcome'), cell: (r) => (r.problem ? <strong class="wrong">{r.problem.error}</strong> : r.outcome === 'unchanged' ? say('unchanged_line') : say(dryRun ? 'would' : 'done')) },
  { key: 'tracking', name: say('tracking'), cell: (r) => [r.parcel?.carrier, r.parcel?.trackingNumber, r.parcel?.sentOn].filter(Boolean).join(' · ') },
];
