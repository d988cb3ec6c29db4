// What a campaign brings, divided in the ways that help to decide.
import { useEffect, useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { OfCampaign } from '../campaigns/choose.tsx';
import { filter, place } from '../place.ts';
import { query, useReading } from '../reading.ts';
import { Badge, Figures } from '../ui/badge.tsx';
import { Chart } from '../ui/chart.tsx';
import { Choice } from '../ui/form.tsx';
import { Note, Shown } from '../ui/notice.tsx';
import { Table, type Column } from '../ui/table.tsx';
import { count, money, percent } from '../words.ts';
import type { Summary } from '../campaigns/summary.ts';
import { added } from './added.ts';
import { isVisited, visited, type Visited, type Visits } from './visited.ts';
import { say } from './words.ts';

type Report = Schema['Analytics'];
type Row = Report['total'];

const divisions = ['categories', 'days', 'referrals', 'utmSources', 'utmMediums', 'utmCampaigns', 'utmContents', 'fulfillmentTypes', 'languages'] as const;

export default function Analytics() {
  return (
    <>
      <h1>{say('title')}</h1>
      <OfCampaign>{(of) => <Of key={of.campaignSlug} campaign={of} />}</OfCampaign>
    </>
  );
}

/** Reads a campaign part by part, and adds them up. */
function Of({ campaign }: { campaign: Summary }) {
  const [parts, setParts] = useState<ReadonlyMap<number, Report>>(new Map());
  const [cursor, setCursor] = useState(0);
  const reading = useReading<Report>(query(`/admin/analytics/${campaign.campaignSlug}`, { limit: 5000, cursor: cursor || undefined }));
  useEffect(() => {
    if (!reading.value) return;
    setParts(new Map(parts).set(cursor, reading.value));
    if (reading.value.next) setCursor(reading.value.next);
  }, [reading.value]);
  const visits = useReading<Visits>(`/admin/analytics/${campaign.campaignSlug}/visits`);
  return <Shown reading={reading}>{(part) => <Whole of={added([...parts.values()]) ?? part} visits={visits.value} campaign={campaign} more={part.next !== 0} />}</Shown>;
}

function Whole({ of, visits, campaign, more }: { of: Report; visits: Visits | undefined; campaign: Summary; more: boolean }) {
  const by = divisions.find((d) => d === place.value.filters['by']) ?? 'categories';
  const counted = visits && isVisited(by) ? visits[by] : undefined;
  return (
    <>
      {of.missingIndex ? <Note>{say('none')}</Note> : null}
      {more ? <p role="status" class="small">{say('reading', { count: of.total.pledges })}</p> : null}
      <Figures of={[
        [say('pledged'), money(of.total.pledged), say('pledges', { count: of.total.pledges })], [say('charged'), money(of.total.charged)],
        [say('fees'), money(of.total.fees), basis(of.total)], [say('net'), money(of.total.net)],
        ...(visits ? [[say('visits'), count(visits.total), visits.total && visits.total >= of.total.pledges ? say('rate', { share: percent(of.total.pledges, visits.total) }) : ''] as const] : []),
        [say('standing'), count(of.active + of.charged), say('lost', { failed: count(of.paymentFailed), dropped: count(of.dropped), cancelled: count(of.cancelled) })],
      ]} />
      <Chart title={say('progress')} days={of.progress.map((p) => ({ day: p.day, sum: p.counted }))} goal={campaign.goalAmount} />
      <Choice label={say('by')} value={by} set={(b) => filter({ by: b, sort: '', down: '' })} choices={divisions.map((d) => [d, say(d)])} />
      <Table caption={say(by)} columns={columns(by, of.total.pledged, counted !== undefined)} rows={visited(of[by], counted ?? [])} id={(r) => r.name} text={(r) => named(r, by)} empty={say('none')} />
    </>
  );
}

function columns(by: (typeof divisions)[number], whole: number, counted: boolean): readonly Column<Visited>[] {
  const sum = (key: 'pledged' | 'charged' | 'fees' | 'net'): Column<Visited> => ({ key, name: say(key), number: true, by: (r) => r[key], cell: (r) => money(r[key]) });
  return [
    { key: 'name', name: say(by), by: (r) => r.name, cell: (r) => named(r, by) },
    ...(counted ? [{ key: 'visits', name: say('visits'), number: true, by: (r: Visited) => r.visits, cell: (r: Visited) => count(r.visits) }] : []),
    { key: 'pledges', name: say('count'), number: true, by: (r) => r.pledges, cell: (r) => count(r.pledges) },
    sum('pledged'), { key: 'share', name: say('share'), number: true, cell: (r) => percent(r.pledged, whole) }, sum('charged'), sum('fees'), sum('net'),
    { key: 'basis', name: say('basis'), cell: (r) => (r.basis ? <Badge>{basis(r)}</Badge> : '') },
  ];
}

const basis = (r: Row): string => (r.basis ? say(`basis_${r.basis}`) : '');

const categories = ['rewards', 'support', 'add_ons', 'platform_add_ons', 'shipping', 'tax', 'tip'] as const;

function named(r: Row, by: string): string {
  if (r.name === '*') return say('others');
  const category = by === 'categories' ? categories.find((c) => c === r.name) : undefined;
  return category ? say(category) : r.name || say('without');
}
