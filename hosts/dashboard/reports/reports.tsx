// Reports of a campaign, page by page, as files and on paper.
import { useMemo, useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { OfCampaign } from '../campaigns/choose.tsx';
import { filter, place } from '../place.ts';
import { query, useReading } from '../reading.ts';
import { may } from '../session.ts';
import { Button } from '../ui/button.tsx';
import { download } from '../ui/download.ts';
import { Choice } from '../ui/form.tsx';
import { Note, Shown } from '../ui/notice.tsx';
import { Table, type Column } from '../ui/table.tsx';
import { Parcels } from './parcels.tsx';
import { say } from './words.ts';

interface Row {
  readonly n: number;
  readonly cells: readonly string[];
}

type Kind = 'pledges' | 'fulfillment';

function kinds(): readonly Kind[] {
  return [...(may('supporters') && may('money') ? (['pledges'] as const) : []), ...(may('fulfilment') ? (['fulfillment'] as const) : [])];
}

/** Returns the address of a report's file with the rows that are shown. */
function shownRows(slug: string, kind: Kind, type: 'csv' | 'xlsx', use?: 'carrier'): string {
  const left = kind === 'fulfillment' && place.value.filters['left'] === '1' ? '1' : undefined;
  return query(`/admin/reports/${slug}/${kind}.${type}`, { for: use, left });
}

const save = (slug: string, kind: Kind, type: 'csv' | 'xlsx') => download(shownRows(slug, kind, type), `${slug}-${kind}.${type}`);

export default function Reports() {
  const kind = kinds().find((k) => k === place.value.filters['report']) ?? kinds()[0] ?? 'fulfillment';
  return (
    <>
      <h1>{say('title')}</h1>
      <OfCampaign>
        {(of) => (
          <>
            <Choice label={say('report')} value={kind} set={(report) => filter({ report, sort: '', down: '', left: '' })} choices={kinds().map((k) => [k, say(k)])} />
            <p>{say(`${kind}_what`)}</p>
            <div class="row">
              <Button quiet task={() => save(of.campaignSlug, kind, 'csv')}>{say('csv')}</Button>
              {kind === 'fulfillment' ? <Button quiet task={() => download(shownRows(of.campaignSlug, kind, 'csv', 'carrier'), `${of.campaignSlug}-carrier.csv`)}>{say('carrier_csv')}</Button> : null}
              <Button quiet task={() => save(of.campaignSlug, kind, 'xlsx')}>{say('xlsx')}</Button>
              <button type="button" class="quiet" onClick={() => print()}>{say('print')}</button>
            </div>
            {kind === 'fulfillment' ? <Parcels key={of.campaignSlug} slug={of.campaignSlug} /> : <Page key={of.campaignSlug} slug={of.campaignSlug} />}
            {may('money') ? <Accounting slug={of.campaignSlug} /> : null}
          </>
        )}
      </OfCampaign>
    </>
  );
}

function Page({ slug }: { slug: string }) {
  const [pages, setPages] = useState<readonly number[]>([0]);
  const reading = useReading<Schema['Report']>(query(`/admin/reports/${slug}/pledges`, { limit: 50, cursor: pages.at(-1) || undefined }));
  return (
    <Shown reading={reading}>
      {(report) => (
        <>
          {report.missingIndex ? <Note>{say('no_index')}</Note> : <Pledges of={report} />}
          <div class="row">
            {pages.length > 1 ? <button type="button" class="quiet" onClick={() => setPages(pages.slice(0, -1))}>{say('back')}</button> : null}
            {report.next ? <button type="button" class="quiet" onClick={() => setPages([...pages, report.next])}>{say('next')}</button> : null}
          </div>
        </>
      )}
    </Shown>
  );
}

function Pledges({ of: { columns, rows } }: { of: Schema['Report'] }) {
  const numbered = useMemo(() => rows.map((cells, n): Row => ({ n, cells })), [rows]);
  const named = useMemo(() => columns.map((name, i): Column<Row> => ({ key: String(i), name: name.replaceAll('_', ' '), by: (r) => value(r.cells[i] ?? ''), cell: (r) => r.cells[i] ?? '' })), [columns]);
  return <Table caption={say('pledges')} rows={numbered} columns={named} id={(r) => String(r.n)} text={(r) => r.cells.join(' ')} />;
}

/** What a cell sorts by: sums as numbers. */
const value = (cell: string): string | number => (/^-?\d+(\.\d+)?$/.test(cell) ? Number(cell) : cell);

function Accounting({ slug }: { slug: string }) {
  return (
    <section class="on-screen">
      <h2>{say('accounting')}</h2>
      <p>{say('accounting_what')}</p>
      <div class="row">
        {(['xero.csv', 'quickbooks.csv', 'journal.txt'] as const).map((file) => (
          <Button key={file} quiet task={() => download(`/admin/accounting/${slug}/${file}`, `${slug}-${file}`)}>{say(file)}</Button>
        ))}
      </div>
    </section>
  );
}
