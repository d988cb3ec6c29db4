// A campaign's reports: paginated on screen, as downloads and for printing.
import { useMemo, useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { CampaignSelector } from '../campaigns/choose.tsx';
import { query, useResource } from '../resources.ts';
import { route, setFilters } from '../router.ts';
import { hasPermission } from '../session.ts';
import { Button } from '../ui/button.tsx';
import { download } from '../ui/download.ts';
import { Select } from '../ui/form.tsx';
import { Notice, ResourceView } from '../ui/notice.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { Parcels } from './parcels.tsx';
import { say } from './words.ts';

interface Row {
  readonly n: number;
  readonly cells: readonly string[];
}

type Kind = 'pledges' | 'fulfillment';

function availableReports(): readonly Kind[] {
  return [
    ...(hasPermission('supporters') && hasPermission('money') ? (['pledges'] as const) : []),
    ...(hasPermission('fulfilment') ? (['fulfillment'] as const) : []),
  ];
}

/** Returns the download path of a report with the rows that are shown. */
function downloadPath(slug: string, kind: Kind, type: 'csv' | 'xlsx', use?: 'carrier'): string {
  const left = kind === 'fulfillment' && route.value.filters.left === '1' ? '1' : undefined;
  return query(`/admin/reports/${slug}/${kind}.${type}`, { for: use, left });
}

const save = (slug: string, kind: Kind, type: 'csv' | 'xlsx') =>
  download(downloadPath(slug, kind, type), `${slug}-${kind}.${type}`);

export default function Reports() {
  const kind =
    availableReports().find((k) => k === route.value.filters.report) ?? availableReports()[0] ?? 'fulfillment';
  return (
    <>
      <h1>{say('title')}</h1>
      <CampaignSelector>
        {(campaign) => (
          <>
            <Select
              label={say('report')}
              value={kind}
              set={(report) => setFilters({ report, sort: '', down: '', left: '' })}
              choices={availableReports().map((k) => [k, say(k)])}
            />
            <p>{say(`${kind}_what`)}</p>
            <div class="row">
              <Button quiet task={() => save(campaign.campaignSlug, kind, 'csv')}>
                {say('csv')}
              </Button>
              {kind === 'fulfillment' ? (
                <Button
                  quiet
                  task={() =>
                    download(
                      downloadPath(campaign.campaignSlug, kind, 'csv', 'carrier'),
                      `${campaign.campaignSlug}-carrier.csv`,
                    )
                  }
                >
                  {say('carrier_csv')}
                </Button>
              ) : null}
              <Button quiet task={() => save(campaign.campaignSlug, kind, 'xlsx')}>
                {say('xlsx')}
              </Button>
              <button type="button" class="quiet" onClick={() => print()}>
                {say('print')}
              </button>
            </div>
            {kind === 'fulfillment' ? (
              <Parcels key={campaign.campaignSlug} slug={campaign.campaignSlug} />
            ) : (
              <Page key={campaign.campaignSlug} slug={campaign.campaignSlug} />
            )}
            {hasPermission('money') ? <Accounting slug={campaign.campaignSlug} /> : null}
          </>
        )}
      </CampaignSelector>
    </>
  );
}

function Page({ slug }: { slug: string }) {
  const [pages, setPages] = useState<readonly number[]>([0]);
  const resource = useResource<Schema['Report']>(
    query(`/admin/reports/${slug}/pledges`, { limit: 50, cursor: pages.at(-1) || undefined }),
  );
  return (
    <ResourceView resource={resource}>
      {(report) => (
        <>
          {report.missingIndex ? <Notice>{say('no_index')}</Notice> : <Pledges report={report} />}
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
      )}
    </ResourceView>
  );
}

function Pledges({ report: { columns, rows } }: { report: Schema['Report'] }) {
  const numbered = useMemo(() => rows.map((cells, n): Row => ({ n, cells })), [rows]);
  const named = useMemo(
    () =>
      columns.map(
        (name, i): Column<Row> => ({
          key: String(i),
          name: name.replaceAll('_', ' '),
          sortKey: (r) => cellSortKey(r.cells[i] ?? ''),
          cell: (r) => r.cells[i] ?? '',
        }),
      ),
    [columns],
  );
  return (
    <Table
      caption={say('pledges')}
      rows={numbered}
      columns={named}
      id={(r) => String(r.n)}
      filterText={(r) => r.cells.join(' ')}
    />
  );
}

/** Returns a cell's sort key: numbers sort numerically. */
const cellSortKey = (cell: string): string | number => (/^-?\d+(\.\d+)?$/.test(cell) ? Number(cell) : cell);

function Accounting({ slug }: { slug: string }) {
  return (
    <section class="on-screen">
      <h2>{say('accounting')}</h2>
      <p>{say('accounting_what')}</p>
      <div class="row">
        {(['xero.csv', 'quickbooks.csv', 'journal.txt'] as const).map((file) => (
          <Button key={file} quiet task={() => download(`/admin/accounting/${slug}/${file}`, `${slug}-${file}`)}>
            {say(file)}
          </Button>
        ))}
      </div>
    </section>
  );
}
