// Imports a carrier's CSV file. A dry run shows the effect of each line before it is applied.
import { useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { change, newChangeID } from '../changes.ts';
import { Button, useTask } from '../ui/button.tsx';
import { Checkbox, LabelledField } from '../ui/form.tsx';
import { ErrorMessage, Notice } from '../ui/notice.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { say } from './parcelwords.ts';

type Imported = Schema['Imported'];
type Line = Imported['results'][number];

interface ImportPreview {
  readonly csv: string;
  readonly changeId: string;
  readonly result: Imported;
}

/** Decodes a file. Files that are not valid UTF-8 are read as Windows-1252, which older spreadsheets write. */
async function decodeFile(file: File): Promise<string> {
  const bytes = await file.arrayBuffer();
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

export function CarrierFile({ slug, done }: { slug: string; done: () => Promise<void> }) {
  const [read, setRead] = useState<ImportPreview | null>(null);
  const [notify, setNotify] = useState(false);
  const { error, run } = useTask();
  const ask = (csv: string, changeId: string, dryRun: boolean): Promise<Imported> =>
    change<Imported>('/admin/fulfilment/import', {
      campaignSlug: slug,
      changeId,
      csv,
      dryRun,
      notify: notify && !dryRun,
    } satisfies Schema['ImportRequest']);
  const previewFile = async (file: File): Promise<void> => {
    setRead(null);
    const [csv, changeId] = [await decodeFile(file), newChangeID()];
    setRead({ csv, changeId, result: await ask(csv, changeId, true) });
  };
  const apply = async (preview: ImportPreview): Promise<void> => {
    try {
      setRead({ ...preview, result: await ask(preview.csv, preview.changeId, false) });
    } finally {
      await done();
    }
  };
  return (
    <section class="on-screen" aria-labelledby="carrier-file">
      <h2 id="carrier-file">{say('file')}</h2>
      <p>{say('file_what')}</p>
      <LabelledField label={say('choose_file')}>
        {(a) => (
          <input
            {...a}
            type="file"
            accept=".csv,text/csv"
            onChange={(e) => {
              const file = e.currentTarget.files?.[0];
              if (file) void run(() => previewFile(file));
            }}
          />
        )}
      </LabelledField>
      {error ? <ErrorMessage error={error} /> : null}
      <div role="status">{read ? <ImportSummary imported={read.result} /> : null}</div>
      {read ? (
        <Table
          caption={say('file')}
          columns={columns(read.result.dryRun)}
          rows={read.result.results}
          id={(r) => String(r.line)}
        />
      ) : null}
      {read?.result.dryRun && read.result.marked ? (
        <>
          <Checkbox label={say('notify')} help={say('notify_help')} on={notify} set={setNotify} />
          <Button task={() => apply(read)}>{say('apply', { count: read.result.marked })}</Button>
        </>
      ) : null}
    </section>
  );
}

function ImportSummary({ imported }: { imported: Imported }) {
  const { dryRun, marked, unchanged, refused } = imported;
  const counts = [
    ...(dryRun ? [] : [say('applied'), say('marked', { count: marked })]),
    ...(dryRun && !marked ? [say('nothing_new')] : []),
    ...(unchanged ? [say('unchanged', { count: unchanged })] : []),
    ...(refused ? [say('refused', { count: refused }).replace(/:$/, '.')] : []),
  ];
  return (
    <Notice tone={refused ? 'warn' : dryRun ? '' : 'good'}>
      <p>
        {say('columns', { columns: Object.values(imported.columns).join(', ') })} {counts.join(' ')}
      </p>
    </Notice>
  );
}

const columns = (dryRun: boolean): readonly Column<Line>[] => [
  { key: 'line', name: say('line'), number: true, cell: (r) => r.line ?? '' },
  { key: 'order', name: say('order'), cell: (r) => r.orderId },
  {
    key: 'outcome',
    name: say('outcome'),
    cell: (r) =>
      r.problem ? (
        <strong class="wrong">{r.problem.error}</strong>
      ) : r.outcome === 'unchanged' ? (
        say('unchanged_line')
      ) : (
        say(dryRun ? 'would' : 'done')
      ),
  },
  {
    key: 'tracking',
    name: say('tracking'),
    cell: (r) => [r.parcel?.carrier, r.parcel?.trackingNumber, r.parcel?.sentOn].filter(Boolean).join(' · '),
  },
];
