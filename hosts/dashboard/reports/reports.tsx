// A campaign's reports: the packing list, the pledges, and accounting exports.
import { Download, Printer, Users } from 'lucide-preact';
import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { CampaignPage } from '../campaigns/page.tsx';
import { useSummaries } from '../campaigns/summary.ts';
import { query, useResource } from '../resources.ts';
import { hrefTo, route, setFilters } from '../router.ts';
import { hasPermission } from '../session.ts';
import { TierChoice } from '../supporters/filters.tsx';
import { reversals, Status, statuses, statusName } from '../supporters/status.tsx';
import { Button, useTask } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Choice } from '../ui/choice.tsx';
import { download } from '../ui/download.ts';
import { Empty } from '../ui/empty.tsx';
import { Icon } from '../ui/icon.tsx';
import { Lazy } from '../ui/lazy.tsx';
import { Menu } from '../ui/menu.tsx';
import { ErrorMessage, ResourceView } from '../ui/notice.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { ViewTabs } from '../ui/viewtabs.tsx';
import { day, lang, moment, money, percent } from '../words.ts';
import { filtersOf } from './filters.ts';
import { ParcelStatus, statuses as parcelStatuses } from './marks.tsx';
import { Pages, Parcels } from './parcels.tsx';
import { say } from './words.ts';

interface Row {
  readonly n: number;
  readonly cells: readonly string[];
}

type Kind = 'fulfillment' | 'pledges' | 'accounting';

const availableReports = (): readonly Kind[] => [
  ...(hasPermission('fulfilment') ? (['fulfillment'] as const) : []),
  ...(hasPermission('supporters') && hasPermission('money') ? (['pledges'] as const) : []),
  ...(hasPermission('money') ? (['accounting'] as const) : []),
];

/**
 * Returns the download path of a report with the displayed rows, in the same order and with the
 * same headings. A file for carriers has fixed column names, because their tools import it by
 * column name.
 */
function downloadPath(slug: string, kind: 'fulfillment' | 'pledges', type: 'csv' | 'xlsx', use?: 'carrier'): string {
  const filters = filtersOf(kind, route.value.filters);
  return query(`/admin/reports/${slug}/${kind}.${type}`, { ...filters, ...(use ? { for: use } : { lang }) });
}

export default function Reports() {
  const [, part] = route.value.parts;
  const summaries = useSummaries();
  const importing = summaries.value?.campaigns.find((c) => c.campaignSlug === route.value.filters.campaign);
  if (part === 'import' && importing)
    return (
      <Lazy
        name="import"
        load={() => import('./import.tsx')}
        props={{ slug: importing.campaignSlug, title: importing.campaignTitle }}
      />
    );
  const kinds = availableReports();
  const kind = kinds.find((k) => k === route.value.filters.report) ?? kinds[0] ?? 'fulfillment';
  return (
    <CampaignPage
      title={say('title')}
      actions={(c) => (kind === 'accounting' ? null : <Export slug={c.campaignSlug} kind={kind} />)}
    >
      {(campaign) => (
        <>
          <div class="screen-views">
            <ViewTabs
              label={say('title')}
              tabs={kinds.map((key) => ({ key, name: say(key) }))}
              current={kind}
              href={(report) => hrefTo(['reports'], { campaign: campaign.campaignSlug, report })}
            />
          </div>
          {kind === 'fulfillment' ? (
            <Parcels key={campaign.campaignSlug} campaign={campaign} />
          ) : kind === 'pledges' ? (
            <Pledges key={campaign.campaignSlug} slug={campaign.campaignSlug} />
          ) : (
            <Accounting slug={campaign.campaignSlug} />
          )}
        </>
      )}
    </CampaignPage>
  );
}

/** The downloads of a report. */
function Export({ slug, kind }: { slug: string; kind: 'fulfillment' | 'pledges' }) {
  const { error, run } = useTask();
  const save = (type: 'csv' | 'xlsx', use?: 'carrier') => (): void =>
    void run(() => download(downloadPath(slug, kind, type, use), `${slug}-${use ?? kind}.${type}`));
  return (
    <>
      <Menu
        class="btn"
        button={
          <>
            <Icon of={Download} />
            {say('export')}
          </>
        }
      >
        <button type="button" onClick={save('csv')}>
          {say('csv')}
        </button>
        <button type="button" onClick={save('xlsx')}>
          {say('xlsx')}
        </button>
        {kind === 'fulfillment' ? (
          <button type="button" onClick={save('csv', 'carrier')}>
            {say('carrier_csv')}
          </button>
        ) : null}
        <button type="button" onClick={() => setTimeout(() => print())}>
          <Icon of={Printer} small />
          {say('print')}
        </button>
      </Menu>
      {error ? <ErrorMessage error={error} /> : null}
    </>
  );
}

function Pledges({ slug }: { slug: string }) {
  const [pages, setPages] = useState<readonly number[]>([0]);
  const filters = filtersOf('pledges', route.value.filters);
  const resource = useResource<Schema['Report']>(
    query(`/admin/reports/${slug}/pledges`, { lang, limit: 50, cursor: pages.at(-1) || undefined, ...filters }),
  );
  const filter = (changed: Readonly<Record<string, string>>): void => {
    setPages([0]);
    setFilters(changed);
  };
  const unfiltered = !filters.status && !filters.rewardId && pages.length === 1;
  const report = resource.value;
  if (report && unfiltered && (report.missingIndex || (!report.rows.length && !report.next)))
    return (
      <section class="card">
        <Empty icon={Users} title={say('no_pledges')}>
          {say('no_pledges_what')}
        </Empty>
      </section>
    );
  return (
    <Card title={say('pledges')} hint={say('pledges_hint')} flush>
      <search class="filters">
        <Choice
          name={say('status')}
          value={filters.status ?? ''}
          set={(status) => filter({ status })}
          choices={[['', say('all_statuses')], ...[...statuses, ...reversals].map((s) => [s, statusName(s)] as const)]}
        />
        {hasPermission('content') ? (
          <TierChoice slug={slug} value={filters.rewardId ?? ''} set={(tier) => filter({ tier })} />
        ) : null}
      </search>
      <ResourceView resource={resource}>
        {(report) => (
          <>
            <PledgeTable report={report} />
            <Pages report={report} pages={pages} go={setPages} />
          </>
        )}
      </ResourceView>
    </Card>
  );
}

type Heading = Schema['Report']['headings'][number];

function PledgeTable({ report: { headings, rows } }: { report: Schema['Report'] }) {
  const numbered = useMemo(() => rows.map((cells, n): Row => ({ n, cells })), [rows]);
  const columns = useMemo(
    () =>
      headings.map((heading, i): Column<Row> => {
        const numeric = heading.kind === 'money' || heading.kind === 'percent';
        return {
          key: heading.key,
          name: heading.name,
          number: numeric,
          cell: (r) => cellOf(heading, r.cells[i] ?? ''),
        };
      }),
    [headings],
  );
  return (
    <Table
      caption={say('pledges')}
      rows={numbered}
      columns={columns}
      id={(r) => String(r.n)}
      filterText={(r) => r.cells.join(' ')}
      empty={say('none_found')}
      labelled
    />
  );
}

const longText = 24; // characters; longer text would wrap onto many lines in a narrow column

function cellOf({ kind, key }: Heading, cell: string): ComponentChildren {
  if (!cell) return '';
  switch (kind) {
    case 'money':
      return money(Math.round(Number(cell) * 100));
    case 'percent':
      return percent(Number(cell), 100);
    case 'time':
      return <span class="nowrap">{moment(cell)}</span>;
    case 'day':
      return <span class="nowrap">{day(cell)}</span>;
    case 'status': {
      const status = statuses.find((s) => s === cell);
      return status ? <Status status={status} /> : cell;
    }
    case 'parcel': {
      const parcel = parcelStatuses.find((s) => s === cell);
      return parcel ? <ParcelStatus status={parcel} /> : cell;
    }
    default:
      if (key === 'order_id') return <span class="mono small nowrap">{cell}</span>;
      return cell.length > longText ? <span class="long">{cell}</span> : cell;
  }
}

const accountingFiles = ['xero.csv', 'quickbooks.csv', 'journal.txt', 'ledger.txt', 'tax.csv'] as const;

function Accounting({ slug }: { slug: string }) {
  return (
    <Card title={say('accounting')} hint={say('accounting_hint')} flush>
      <ul class="rows">
        {accountingFiles.map((file) => (
          <li key={file}>
            <div class="grow stack g1">
              <b>{say(file)}</b>
              <span class="small muted">{say(`${file}_hint`)}</span>
            </div>
            <Button
              small
              label={say('download_file', { file: say(file) })}
              task={() => download(`/admin/accounting/${slug}/${file}`, `${slug}-${file}`)}
            >
              <Icon of={Download} small />
              {say('download')}
            </Button>
          </li>
        ))}
      </ul>
    </Card>
  );
}
