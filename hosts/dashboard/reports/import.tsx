// Imports tracking numbers from a carrier's CSV file in three steps: file, columns, check. Nothing
// is marked before the operator confirms the last step.
import { Check, Download, Upload } from 'lucide-preact';
import { useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { change, newChangeID } from '../changes.ts';
import { refreshPrefix } from '../resources.ts';
import { hrefTo } from '../router.ts';
import { Badge } from '../ui/badge.tsx';
import { Button, useTask } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { save } from '../ui/download.ts';
import { Checkbox, LabelledField } from '../ui/form.tsx';
import { Icon } from '../ui/icon.tsx';
import { ErrorMessage, Notice } from '../ui/notice.tsx';
import { Page } from '../ui/page.tsx';
import { Segments } from '../ui/segments.tsx';
import { type Column, Table } from '../ui/table.tsx';
import {
  type CarrierTable,
  type Choices,
  chooseRole,
  parseTable,
  type Role,
  recognizedRoles,
  roles,
  withRoles,
} from './columns.ts';
import { say } from './importwords.ts';

type Imported = Schema['Imported'];
type Line = Imported['results'][number];

interface Preview {
  readonly name: string;
  readonly table: CarrierTable;
  readonly chosen: Choices;
  /** The CSV to send: the file itself, until the operator chooses columns. */
  readonly csv: string;
  readonly changeId: string;
  readonly result?: Imported;
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

export default function Import({ slug, title }: { slug: string; title: string }) {
  const [preview, setPreview] = useState<Preview | null>(null);
  const [notify, setNotify] = useState(false);
  const { busy, error, run } = useTask();
  const send = (p: Preview, dryRun: boolean): Promise<Imported> =>
    change<Imported>('/admin/fulfilment/import', {
      campaignSlug: slug,
      changeId: p.changeId,
      csv: p.csv,
      dryRun,
      notify: notify && !dryRun,
    } satisfies Schema['ImportRequest']);
  const check = async (p: Preview): Promise<void> => {
    setPreview(p);
    const result = await send(p, true);
    setPreview({ ...p, result, chosen: new Map([...recognizedRoles(p.table, result.columns), ...p.chosen]) });
  };
  const open = async (file: File): Promise<void> => {
    const csv = await decodeFile(file);
    await check({ name: file.name, table: parseTable(csv), chosen: new Map(), csv, changeId: newChangeID() });
  };
  const choose = async (p: Preview, column: number, role: Role | undefined): Promise<void> => {
    const chosen = chooseRole(p.chosen, column, role);
    const { result: _, ...rest } = p;
    const next = { ...rest, chosen, csv: withRoles(p.table, chosen), changeId: newChangeID() };
    if ([...chosen.values()].includes('order')) await check(next);
    else setPreview(next);
  };
  const apply = async (p: Preview): Promise<void> => {
    setPreview({ ...p, result: await send(p, false) });
    refreshPrefix(`/admin/reports/${slug}`);
  };
  const result = preview?.result;
  return (
    <Page
      title={say('title')}
      crumb={
        <>
          <a href={hrefTo(['reports'], { campaign: slug, report: 'fulfillment' })}>{say('reports')}</a>
          <span aria-hidden="true">/</span> {title}
        </>
      }
      lede={say('lede')}
    >
      <Steps at={result ? 3 : preview ? 2 : 1} done={result?.dryRun === false} />
      {error ? <ErrorMessage error={error} /> : null}
      {preview ? (
        <div class="cols c21">
          {result ? (
            <Results result={result} />
          ) : (
            <Notice tone="warn">
              <p>{say('choose_order_column')}</p>
            </Notice>
          )}
          <div class="stack g6">
            {result?.dryRun === false ? null : (
              <Columns preview={preview} busy={busy} choose={(i, role) => void run(() => choose(preview, i, role))} />
            )}
            {result ? (
              <Card title={say('summary')}>
                <Summary
                  preview={preview}
                  result={result}
                  notify={notify}
                  setNotify={setNotify}
                  apply={() => apply(preview)}
                />
              </Card>
            ) : null}
          </div>
        </div>
      ) : (
        <Card title={say('file')} hint={say('file_hint')}>
          <LabelledField label={say('choose_file')}>
            {(a) => (
              <span class="row">
                <Icon of={Upload} />
                <input
                  {...a}
                  type="file"
                  accept=".csv,text/csv"
                  onChange={(e) => {
                    const file = e.currentTarget.files?.[0];
                    if (file) void run(() => open(file));
                  }}
                />
              </span>
            )}
          </LabelledField>
        </Card>
      )}
    </Page>
  );
}

function Steps({ at, done }: { at: 1 | 2 | 3; done: boolean }) {
  return (
    <ol class="row wrap step-list">
      {([1, 2, 3] as const).map((n) => {
        const passed = n < at || done;
        return (
          <li key={n} class="row" aria-current={n === at && !done ? 'step' : undefined}>
            <span class={`tick ${passed ? 'ok' : ''}`}>{passed ? <Icon of={Check} small /> : n}</span>
            {say(`step_${n}`)}
          </li>
        );
      })}
    </ol>
  );
}

interface ColumnsProps {
  readonly preview: Preview;
  readonly busy: boolean;
  readonly choose: (column: number, role: Role | undefined) => void;
}

function Columns({ preview: { name, table, chosen }, busy, choose }: ColumnsProps) {
  return (
    <Card title={say('columns')} aside={<span class="small muted clip">{name}</span>} flush>
      <ul class="rows">
        {table.heads.map((head, i) => (
          <li key={`${i} ${head}`}>
            <div class="grow stack g1">
              <b class="clip">{head}</b>
              <span class="small muted mono clip">{table.lines[0]?.[i] ?? ''}</span>
            </div>
            <select
              class="select w-m"
              aria-label={say('column_is', { column: head })}
              aria-busy={busy}
              value={roles.find((r) => r === chosen.get(i)) ?? ''}
              onChange={(e) =>
                choose(
                  i,
                  roles.find((r) => r === e.currentTarget.value),
                )
              }
            >
              <option value="">{say('ignore')}</option>
              {roles.map((r) => (
                <option key={r} value={r}>
                  {say(`role_${r}`)}
                </option>
              ))}
            </select>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Results({ result }: { result: Imported }) {
  const [view, setView] = useState<'all' | 'problems'>('all');
  const refused = result.results.filter((r) => r.outcome === 'refused');
  return (
    <Card
      title={say(result.dryRun ? 'will_happen' : 'happened')}
      flush
      aside={
        <Segments
          name={say('lines')}
          value={view}
          set={setView}
          choices={[
            ['all', say('all', { count: result.results.length })],
            ['problems', say('problems', { count: refused.length })],
          ]}
        />
      }
    >
      <Table
        caption={say('lines')}
        columns={columns(result.dryRun)}
        rows={view === 'problems' ? refused : result.results}
        id={(r) => String(r.line)}
        empty={say('no_problems')}
      />
    </Card>
  );
}

interface SummaryProps {
  readonly preview: Preview;
  readonly result: Imported;
  readonly notify: boolean;
  readonly setNotify: (on: boolean) => void;
  readonly apply: () => Promise<void>;
}

function Summary({ preview, result, notify, setNotify, apply }: SummaryProps) {
  const skipped = result.results.filter((r) => r.outcome === 'refused');
  const download = async (): Promise<void> => {
    const lines = skipped.map((r) => [String(r.line ?? ''), r.orderId, r.problem?.error ?? '']);
    const { default: papaparse } = await import('papaparse');
    save(
      new Blob([papaparse.unparse([['line', 'order', 'problem'], ...lines])], { type: 'text/csv;charset=utf-8' }),
      `skipped-${preview.name}`,
    );
  };
  return (
    <div class="stack">
      <p class="unseen" role="status">
        {result.dryRun ? '' : say('applied', { count: result.marked })}
      </p>
      <dl class="stack g2">
        <div class="row between">
          <dt>{say(result.dryRun ? 'marked_sent' : 'were_marked_sent')}</dt>
          <dd>
            <b>{result.marked}</b>
          </dd>
        </div>
        <div class="row between soft">
          <dt>{say('unchanged')}</dt>
          <dd>{result.unchanged}</dd>
        </div>
        <div class={`row between ${result.refused ? 'warn' : 'soft'}`}>
          <dt>{say('skipped')}</dt>
          <dd>{result.refused}</dd>
        </div>
      </dl>
      {result.dryRun && result.marked ? (
        <>
          <Checkbox
            label={say('notify', { count: result.marked })}
            hint={say('notify_hint')}
            on={notify}
            set={setNotify}
          />
          <Button kind="primary" task={apply}>
            {say('apply', { count: result.marked })}
          </Button>
        </>
      ) : null}
      {result.dryRun && !result.marked ? <p class="soft">{say('nothing_new')}</p> : null}
      {skipped.length ? (
        <Button task={download}>
          <Icon of={Download} small />
          {say('download_skipped', { count: skipped.length })}
        </Button>
      ) : null}
    </div>
  );
}

const columns = (dryRun: boolean): readonly Column<Line>[] => [
  { key: 'line', name: say('line'), cell: (r) => <span class="muted">{r.line ?? ''}</span> },
  { key: 'order', name: say('role_order'), cell: (r) => <b class="mono">{r.orderId}</b> },
  {
    key: 'tracking',
    name: say('carrier_and_tracking'),
    cell: (r) => (
      <span class="mono small">
        {[r.parcel?.carrier, r.parcel?.trackingNumber, r.parcel?.sentOn].filter(Boolean).join(', ')}
      </span>
    ),
  },
  { key: 'outcome', name: say('result'), number: true, cell: (r) => <Outcome line={r} dryRun={dryRun} /> },
];

function Outcome({ line, dryRun }: { line: Line; dryRun: boolean }) {
  if (line.problem) return <span class="bad small">{line.problem.error}</span>;
  if (line.outcome === 'unchanged') return <Badge>{say('already_sent')}</Badge>;
  return <Badge tone={dryRun ? 'info' : 'good'}>{say(dryRun ? 'will_be_sent' : 'sent')}</Badge>;
}
