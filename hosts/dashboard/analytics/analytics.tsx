// The analytics screen: a campaign's revenue by category, day, referral, UTM parameter and so on.
import { useEffect, useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { CampaignSelector } from '../campaigns/choose.tsx';
import type { Summary } from '../campaigns/summary.ts';
import { query, useResource } from '../resources.ts';
import { route, setFilters } from '../router.ts';
import { Badge, KeyFigures } from '../ui/badge.tsx';
import { Chart } from '../ui/chart.tsx';
import { Select } from '../ui/form.tsx';
import { Notice, ResourceView } from '../ui/notice.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { count, money, percent } from '../words.ts';
import { mergeReports } from './merge.ts';
import { hasVisits, type VisitedRow, type Visits, withVisits } from './visits.ts';
import { say } from './words.ts';

type Report = Schema['Analytics'];
type Row = Report['total'];

const dimensions = [
  'categories',
  'days',
  'referrals',
  'utmSources',
  'utmMediums',
  'utmCampaigns',
  'utmContents',
  'fulfillmentTypes',
  'languages',
] as const;

export default function Analytics() {
  return (
    <>
      <h1>{say('title')}</h1>
      <CampaignSelector>
        {(campaign) => <CampaignReport key={campaign.campaignSlug} campaign={campaign} />}
      </CampaignSelector>
    </>
  );
}

/** Reads a campaign's report page by page and shows the sum of the pages read so far. */
function CampaignReport({ campaign }: { campaign: Summary }) {
  const [parts, setParts] = useState<ReadonlyMap<number, Report>>(new Map());
  const [cursor, setCursor] = useState(0);
  const resource = useResource<Report>(
    query(`/admin/analytics/${campaign.campaignSlug}`, { limit: 5000, cursor: cursor || undefined }),
  );
  useEffect(() => {
    if (!resource.value) return;
    setParts(new Map(parts).set(cursor, resource.value));
    if (resource.value.next) setCursor(resource.value.next);
  }, [resource.value]);
  const visits = useResource<Visits>(`/admin/analytics/${campaign.campaignSlug}/visits`);
  return (
    <ResourceView resource={resource}>
      {(part) => (
        <ReportView
          report={mergeReports([...parts.values()]) ?? part}
          visits={visits.value}
          campaign={campaign}
          more={part.next !== 0}
        />
      )}
    </ResourceView>
  );
}

function ReportView({
  report,
  visits,
  campaign,
  more,
}: {
  report: Report;
  visits: Visits | undefined;
  campaign: Summary;
  more: boolean;
}) {
  const by = dimensions.find((d) => d === route.value.filters.by) ?? 'categories';
  const counted = visits && hasVisits(by) ? visits[by] : undefined;
  return (
    <>
      {report.missingIndex ? <Notice>{say('none')}</Notice> : null}
      {more ? (
        <p role="status" class="small">
          {say('reading', { count: report.total.pledges })}
        </p>
      ) : null}
      <KeyFigures
        figures={[
          [say('pledged'), money(report.total.pledged), say('pledges', { count: report.total.pledges })],
          [say('charged'), money(report.total.charged)],
          [say('fees'), money(report.total.fees), basis(report.total)],
          [say('net'), money(report.total.net)],
          ...(visits
            ? [
                [
                  say('visits'),
                  count(visits.total),
                  visits.total && visits.total >= report.total.pledges
                    ? say('rate', { share: percent(report.total.pledges, visits.total) })
                    : '',
                ] as const,
              ]
            : []),
          [
            say('standing'),
            count(report.active + report.charged),
            say('lost', {
              failed: count(report.paymentFailed),
              dropped: count(report.dropped),
              cancelled: count(report.cancelled),
            }),
          ],
        ]}
      />
      <Chart
        title={say('progress')}
        days={report.progress.map((p) => ({ day: p.day, sum: p.counted }))}
        goal={campaign.goalAmount}
      />
      <Select
        label={say('by')}
        value={by}
        set={(b) => setFilters({ by: b, sort: '', down: '' })}
        choices={dimensions.map((d) => [d, say(d)])}
      />
      <Table
        caption={say(by)}
        columns={columns(by, report.total.pledged, counted !== undefined)}
        rows={withVisits(report[by], counted ?? [])}
        id={(r) => r.name}
        filterText={(r) => rowName(r, by)}
        empty={say('none')}
      />
    </>
  );
}

function columns(by: (typeof dimensions)[number], whole: number, counted: boolean): readonly Column<VisitedRow>[] {
  const sum = (key: 'pledged' | 'charged' | 'fees' | 'net'): Column<VisitedRow> => ({
    key,
    name: say(key),
    number: true,
    sortKey: (r) => r[key],
    cell: (r) => money(r[key]),
  });
  return [
    { key: 'name', name: say(by), sortKey: (r) => r.name, cell: (r) => rowName(r, by) },
    ...(counted
      ? [
          {
            key: 'visits',
            name: say('visits'),
            number: true,
            sortKey: (r: VisitedRow) => r.visits,
            cell: (r: VisitedRow) => count(r.visits),
          },
        ]
      : []),
    { key: 'pledges', name: say('count'), number: true, sortKey: (r) => r.pledges, cell: (r) => count(r.pledges) },
    sum('pledged'),
    { key: 'share', name: say('share'), number: true, cell: (r) => percent(r.pledged, whole) },
    sum('charged'),
    sum('fees'),
    sum('net'),
    { key: 'basis', name: say('basis'), cell: (r) => (r.basis ? <Badge>{basis(r)}</Badge> : '') },
  ];
}

const basis = (r: Row): string => (r.basis ? say(`basis_${r.basis}`) : '');

const categories = ['rewards', 'support', 'add_ons', 'platform_add_ons', 'shipping', 'tax', 'tip'] as const;

function rowName(r: Row, by: string): string {
  if (r.name === '*') return say('others');
  const category = by === 'categories' ? categories.find((c) => c === r.name) : undefined;
  return category ? say(category) : r.name || say('without');
}
