// The fulfillment report: the number of parcels, the packing list with its filters, and the
// scanner.
import { Check, Package, Plus, Printer, Upload } from 'lucide-preact';
import { useEffect, useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import type { Summary } from '../campaigns/summary.ts';
import { query, refresh, useResource } from '../resources.ts';
import { hrefTo, route, setFilters } from '../router.ts';
import { hasPermission, now } from '../session.ts';
import { CountryChoice, TierChoice } from '../supporters/filters.tsx';
import { KeyFigures } from '../ui/badge.tsx';
import { Card } from '../ui/card.tsx';
import { Empty } from '../ui/empty.tsx';
import { Icon } from '../ui/icon.tsx';
import { Notice, ResourceView } from '../ui/notice.tsx';
import { hasPages, Pager } from '../ui/pager.tsx';
import { count, moment } from '../words.ts';
import { filtersOf } from './filters.ts';
import { ParcelList } from './parcellist.tsx';
import { say } from './parcelwords.ts';
import { Scan } from './scan.tsx';

export function Parcels({ campaign }: { campaign: Summary }) {
  const slug = campaign.campaignSlug;
  const filters = filtersOf('fulfillment', route.value.filters);
  const [pages, setPages] = useState<readonly number[]>([0]);
  const path = query(`/admin/reports/${slug}/fulfillment`, {
    limit: 50,
    cursor: pages.at(-1) || undefined,
    ...filters,
  });
  const reload = async (): Promise<void> => {
    await Promise.all([refresh(path), refresh('/admin/summary')]);
  };
  const filter = (changed: Readonly<Record<string, string>>): void => {
    setPages([0]);
    setFilters(changed);
  };
  const filtered = Boolean(filters.rewardId || filters.country);
  const resource = useResource<Schema['Report']>(path);
  if (!campaign.parcels && !filtered && !filters.left && isEmpty(resource.value))
    return <NoParcels campaign={campaign} />;
  return (
    <>
      <Figures campaign={campaign} />
      <Held campaign={campaign} />
      <div class="cols c21">
        <Card
          title={say('list')}
          flush
          aside={
            <>
              <a class="btn sm" href={hrefTo(['reports', 'import'], { campaign: slug })}>
                <Icon of={Upload} small />
                {say('import')}
              </a>
              <button type="button" class="btn sm" onClick={() => print()}>
                <Icon of={Printer} small />
                {say('print')}
              </button>
            </>
          }
        >
          <search class="filters">
            <button
              type="button"
              class={`chip ${filters.left ? 'on' : ''}`}
              aria-pressed={Boolean(filters.left)}
              onClick={() => filter({ left: filters.left ? '' : '1' })}
            >
              <Icon of={filters.left ? Check : Plus} small />
              {say('not_sent')}
            </button>
            {hasPermission('content') ? (
              <TierChoice slug={slug} value={filters.rewardId ?? ''} set={(tier) => filter({ tier })} />
            ) : null}
            <CountryChoice value={filters.country ?? ''} set={(country) => filter({ country })} />
          </search>
          <ResourceView resource={resource}>
            {(report) => (
              <>
                <ParcelList
                  key={path}
                  slug={slug}
                  report={report}
                  empty={say(filtered ? 'none_found' : filters.left ? 'none_left' : 'none_here')}
                  reload={reload}
                />
                <Pages report={report} pages={pages} go={setPages} />
              </>
            )}
          </ResourceView>
        </Card>
        <Scan slug={slug} done={reload} />
      </div>
    </>
  );
}

/** Reports whether a campaign's first page has no parcels and is the only page. */
const isEmpty = (report: Schema['Report'] | undefined): boolean =>
  report !== undefined && (report.missingIndex || (!report.rows.length && !report.next));

/** Shown instead of the list and its tools while there are no parcels. It states when they will be listed. */
function NoParcels({ campaign: { chargesAt } }: { campaign: Summary }) {
  const ahead = chargesAt && Date.parse(chargesAt) > now();
  return (
    <section class="card">
      <Empty icon={Package} title={say('none')}>
        {ahead ? say('none_until', { time: moment(chargesAt) }) : say('none_what')}
      </Empty>
    </section>
  );
}

/** The number of parcels in each status, once there are charged pledges. */
function Figures({ campaign: { parcels } }: { campaign: Summary }) {
  if (!parcels) return null;
  const { toPack = 0, packed = 0, sent = 0, tracked = 0 } = parcels;
  return (
    <div class="on-screen">
      <KeyFigures
        figures={[
          [say('to_pack'), count(toPack)],
          [say('packed_figure'), count(packed), packed ? say('packed_note') : ''],
          [say('sent_figure'), count(sent), sent ? say('sent_note', { count: tracked }) : ''],
        ]}
      />
    </div>
  );
}

/** How many parcels the list leaves out because of disputes, and why. */
function Held({ campaign: { parcels } }: { campaign: Summary }) {
  const { held = 0, heldAfterLoss = 0 } = parcels ?? {};
  if (!held && !heldAfterLoss) return null;
  return (
    <Notice tone="warn">
      <p>
        {held ? say('held', { count: held }) : ''} {heldAfterLoss ? say('lost', { count: heldAfterLoss }) : ''}
      </p>
      <p class="small">{say('held_what')}</p>
    </Notice>
  );
}

interface PagesProps {
  readonly report: Schema['Report'];
  readonly pages: readonly number[];
  readonly go: (pages: readonly number[]) => void;
}

/** The buttons for a report's pages. Pages without rows are skipped. */
export function Pages({ report: { rows, next }, pages, go }: PagesProps) {
  useEffect(() => {
    if (!rows.length && next) go([...pages.slice(0, -1), next]);
  }, [!rows.length, next]);
  return hasPages(pages, next) ? (
    <footer class="in">
      <Pager pages={pages} next={next} go={go} />
    </footer>
  ) : null;
}
