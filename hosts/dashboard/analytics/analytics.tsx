// The analytics screen: a campaign's figures, its pledges by day, and a table of them by source,
// category or another dimension.
import { ChartColumn } from 'lucide-preact';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { CampaignPage } from '../campaigns/page.tsx';
import { reversalFigures } from '../campaigns/reversals.ts';
import type { Summary } from '../campaigns/summary.ts';
import { addDays, daysBetween } from '../charts/series.ts';
import { useResource } from '../resources.ts';
import { hrefTo, route, setFilters } from '../router.ts';
import { Badge, KeyFigures } from '../ui/badge.tsx';
import { Card } from '../ui/card.tsx';
import { DayRange, type Days } from '../ui/dayrange.tsx';
import { Empty } from '../ui/empty.tsx';
import { Lazy } from '../ui/lazy.tsx';
import { ResourceView } from '../ui/notice.tsx';
import { Segments } from '../ui/segments.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { ViewTabs } from '../ui/viewtabs.tsx';
import { count, countryName, money, percent, price, signedPercent, weekdayOf } from '../words.ts';
import { shares } from './shares.ts';
import { type Report, useReport } from './usereport.ts';
import { hasVisits, type VisitedRow, type Visits, visitsIn, withVisits } from './visits.ts';
import { say } from './words.ts';

type Row = Report['total'];

const dimensions = [
  'utmSources',
  'referrals',
  'tiers',
  'countries',
  'days',
  'categories',
  'languages',
  'fulfillmentTypes',
  'utmMediums',
  'utmCampaigns',
  'utmContents',
] as const;

export default function Analytics() {
  const { from = '', to = '' } = route.value.filters;
  const days: Days = { from, to };
  const whole = !from || !to; // a period requires both days
  return (
    <CampaignPage title={say('title')} actions={() => <DayRange {...days} set={(range) => setFilters({ ...range })} />}>
      {(campaign) => (
        <CampaignReport
          key={`${campaign.campaignSlug} ${whole ? '' : `${from} ${to}`}`}
          campaign={campaign}
          {...(whole ? noDays : days)}
        />
      )}
    </CampaignPage>
  );
}

const noDays: Days = { from: '', to: '' };

function CampaignReport({ campaign, from, to }: { campaign: Summary } & Days) {
  const resource = useReport(campaign.campaignSlug, from, to);
  const visits = useResource<Visits>(`/admin/analytics/${campaign.campaignSlug}/visits`);
  return (
    <ResourceView resource={resource}>
      {(report) => <ReportView report={report} visits={visits.value} campaign={campaign} more={report.next !== 0} />}
    </ResourceView>
  );
}

interface ViewProps {
  readonly report: Report;
  readonly visits: Visits | undefined;
  readonly campaign: Summary;
  readonly more: boolean;
}

function ReportView({ report, visits, campaign, more }: ViewProps) {
  if (report.missingIndex || (report.total.pledges === 0 && !more))
    return report.before ? (
      <Empty icon={ChartColumn} title={say('none_in_period')} />
    ) : (
      <Empty icon={ChartColumn} title={say('none')}>
        {say('none_hint')}
      </Empty>
    );
  return (
    <>
      {more ? (
        <p role="status" class="small muted">
          {say('reading', { count: report.total.pledges })}
        </p>
      ) : null}
      <Figures report={report} visits={visits} />
      <Progress report={report} campaign={campaign} />
      <Division report={report} visits={visits} campaign={campaign} />
    </>
  );
}

function Figures({ report, visits }: { report: Report; visits: Visits | undefined }) {
  const { total, before, first } = report;
  return (
    <KeyFigures
      figures={[
        [
          say('pledged'),
          price(total.pledged),
          before ? compared(total.pledged, before.pledged, before) : say('total_note', { sum: money(total.total) }),
        ],
        [
          say('pledges'),
          count(total.pledges),
          before ? compared(total.pledges, before.pledges, before) : unpaid(report),
        ],
        [say('new_supporters'), count(first), say('by_returning', { count: total.pledges - first })],
        ...(visits ? [visitsFigure(report, visits)] : []),
        ...moneyFigures(report),
      ]}
    />
  );
}

type Figure = readonly [string, ComponentChildren, ComponentChildren?];

/** The visits of the period, or of the whole campaign, with the share that pledged. */
function visitsFigure({ before, total }: Report, visits: Visits): Figure {
  const { from, to } = periodOf(route.value.filters);
  const n = before ? visitsIn(visits.days, from, to) : visits.total;
  const { pledges } = total;
  if (!n) return [say('visits'), '—', say('no_visits')];
  return [say('visits'), count(n), n >= pledges ? say('rate', { share: percent(pledges, n) }) : ''];
}

const periodOf = ({ from = '', to = '' }: Readonly<Record<string, string>>): Days => ({ from, to });

/** The collected amount and what remains of it, or the expected fees before the charges. */
function moneyFigures({ total, charged, ledger }: Report): readonly Figure[] {
  if (!total.charged)
    return [[say('expected_fees'), price(Math.round(total.expectedFees / 100) * 100), say('expected_fees_note')]];
  const collected: Figure = [say('charged'), money(total.charged), say('supporters_charged', { count: charged })];
  if (ledger) return [collected, ...reversalFigures(ledger)];
  return [
    collected,
    ...(total.refunded ? [[say('refunded'), money(total.refunded)] as const] : []),
    [say('net'), money(total.net), say('fees_note', { sum: money(total.fees), basis: basis(total) })],
  ];
}

/** Formats how a figure differs from that of the previous period: "+14% on the 28 days before". */
function compared(now: number, then: number, before: NonNullable<Report['before']>): ComponentChildren {
  const days = daysBetween(before.from, before.to) + 1;
  if (!then) return say('none_before', { count: days });
  const change = Math.round(((now - then) * 100) / then);
  return (
    <>
      <span class={change < 0 ? 'warn' : 'good'}>{signedPercent(change)}</span> {say('on_before', { count: days })}
    </>
  );
}

/** Describes the pledges that are not counted: "1 canceled, 2 failed". */
function unpaid({ cancelled, paymentFailed, dropped }: Report): string {
  const parts = [
    ['canceled_count', cancelled],
    ['failed_count', paymentFailed],
    ['dropped_count', dropped],
  ] as const;
  const some = parts.filter(([, n]) => n > 0).map(([name, n]) => say(name, { count: n }));
  return some.length ? some.join(', ') : say('none_lost');
}

function Progress({ report, campaign }: { report: Report; campaign: Summary }) {
  const [kind, setKind] = useState<'days' | 'total'>('days');
  return (
    <Card
      title={say(kind === 'days' ? 'per_day' : 'over_time')}
      aside={
        <Segments
          name={say('chart')}
          value={kind}
          set={setKind}
          choices={[
            ['total', say('chart_total')],
            ['days', say('chart_days')],
          ]}
        />
      }
    >
      <Lazy
        name="chart"
        load={() => import('../charts/chart.tsx')}
        props={{
          title: say(kind === 'days' ? 'per_day' : 'over_time'),
          days: report.progress.map((p) => ({ day: p.day, sum: p.counted, returning: p.returning })),
          ...(report.before ? { from: addDays(report.before.to, 1) } : {}),
          to:
            report.progress
              .map((p) => p.day)
              .toSorted()
              .at(-1) ?? '',
          goal: kind === 'total' && !report.before ? campaign.goalAmount : 0,
          kind,
        }}
      />
    </Card>
  );
}

function Division({ report, visits, campaign }: Omit<ViewProps, 'more'>) {
  const by = dimensions.find((d) => d === route.value.filters.by) ?? 'utmSources';
  // Visits by source are not counted by day.
  const counted = visits?.total && hasVisits(by) && !report.before ? visits[by] : undefined;
  const rows = withVisits(report[by], counted ?? []);
  const daily = by === 'days';
  return (
    <section class="card" aria-label={say('division')}>
      <ViewTabs
        label={say('division')}
        tabs={dimensions.map((key) => ({ key, name: say(key) }))}
        current={by}
        href={(d) => hrefTo(['analytics'], { ...route.value.filters, campaign: campaign.campaignSlug, by: d })}
      />
      <Table
        caption={say(by)}
        columns={columns(by, rows, counted !== undefined)}
        rows={rows}
        id={(r) => r.name}
        {...(daily ? {} : { filterText: (r: VisitedRow) => rowName(r, by) })}
        empty={say('none')}
        look="compact"
        sorted={{ key: daily ? 'name' : 'total', down: true }}
        counted={() => ''}
        note={by.startsWith('utm') || by === 'referrals' ? say('sources_note') : ''}
      />
    </section>
  );
}

const visitColumn: Column<VisitedRow> = {
  key: 'visits',
  name: say('visits'),
  number: true,
  sortKey: (r) => r.visits,
  cell: (r) => count(r.visits),
};

const conversionColumn: Column<VisitedRow> = {
  key: 'conversion',
  name: say('conversion'),
  number: true,
  sortKey: (r) => (r.visits ? r.pledges / r.visits : 0),
  cell: (r) => (r.visits >= r.pledges && r.visits ? percent(r.pledges, r.visits) : '—'),
};

function columns(
  by: (typeof dimensions)[number],
  rows: readonly VisitedRow[],
  counted: boolean,
): readonly Column<VisitedRow>[] {
  // Shipping, tax, tips and platform add-ons do not count toward the goal.
  const first = by === 'categories' ? 'total' : 'pledged';
  const percents = shares(rows.map((r) => r[first]));
  const shareOf = new Map(rows.map((r, i) => [r.name, percents[i] ?? 0]));
  const amount = (key: 'pledged' | 'total' | 'charged' | 'fees' | 'net'): Column<VisitedRow> => ({
    key,
    name: say(key),
    number: true,
    sortKey: (r) => r[key],
    cell: (r) => (key === first ? <b>{price(r[key])}</b> : money(r[key])),
  });
  const charged = rows.some((r) => r.charged > 0);
  return [
    { key: 'name', name: say(by), sortKey: (r) => r.name, cell: (r) => <b>{rowName(r, by)}</b> },
    ...(counted ? [visitColumn] : []),
    { key: 'pledges', name: say('pledges'), number: true, sortKey: (r) => r.pledges, cell: (r) => count(r.pledges) },
    ...(counted ? [conversionColumn] : []),
    amount(first),
    ...(first === 'total' ? [] : [amount('total')]),
    ...(by === 'days'
      ? []
      : [
          {
            key: 'share',
            name: say('share'),
            number: true,
            cell: (r: VisitedRow) => (
              <span class="row share">
                <span class="mini" aria-hidden="true">
                  <i style={{ width: `${shareOf.get(r.name) ?? 0}%` }} />
                </span>
                <span class="share-n">{percent(shareOf.get(r.name) ?? 0, 100)}</span>
              </span>
            ),
          } satisfies Column<VisitedRow>,
        ]),
    ...(charged
      ? [
          amount('charged'),
          amount('fees'),
          amount('net'),
          {
            key: 'basis',
            name: say('basis'),
            cell: (r: VisitedRow) => (r.basis ? <Badge>{basis(r)}</Badge> : ''),
          },
        ]
      : []),
  ];
}

const basis = (r: Row): string => (r.basis ? say(`basis_${r.basis}`) : '');

const categories = ['rewards', 'support', 'add_ons', 'platform_add_ons', 'shipping', 'tax', 'tip'] as const;
const languages = new Intl.DisplayNames(document.documentElement.lang || 'en', { type: 'language' });

function rowName(r: Row, by: string): string {
  if (r.name === '*') return say('others');
  const category = by === 'categories' ? categories.find((c) => c === r.name) : undefined;
  if (category) return say(category);
  if (by === 'languages' && r.name) return languages.of(r.name) ?? r.name;
  if (by === 'countries') return r.name ? countryName(r.name) : say('no_address');
  if (by === 'days') return weekdayOf(r.name);
  if (by === 'tiers') return r.name || say('no_tier');
  if (by === 'fulfillmentTypes' && (r.name === 'physical' || r.name === 'digital')) return say(r.name);
  return r.name || say('without');
}
