// Parts of a campaign's overview: the chart, the rewards and the latest pledges.
import { ChartNoAxesCombined } from 'lucide-preact';
import { useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { hrefTo } from '../router.ts';
import { now } from '../session.ts';
import { Badge } from '../ui/badge.tsx';
import { Card } from '../ui/card.tsx';
import { Copy } from '../ui/copy.tsx';
import { Empty } from '../ui/empty.tsx';
import { Lazy } from '../ui/lazy.tsx';
import { ResourceView } from '../ui/notice.tsx';
import { Segments } from '../ui/segments.tsx';
import { count, dateOf, price } from '../words.ts';
import { pageOf } from './actions.tsx';
import { pricesOf } from './data.ts';
import { PledgeItem, SupportersLink } from './feed.tsx';
import { isLive } from './state.tsx';
import { type Summary, useLatestPledges } from './summary.ts';
import { say } from './words.ts';

/**
 * Returns the sum of each day: all days or, without the money permission, the last 14 days and the
 * sum before them.
 */
export function daySums(
  c: Summary,
  analytics: Schema['Analytics'] | undefined,
): readonly { day: string; sum: number }[] {
  if (analytics) return analytics.progress.map((p) => ({ day: p.day, sum: p.counted }));
  const recent = c.days.map((d) => ({ day: d.day, sum: d.pledgedAmount }));
  const before = c.pledgedAmount - recent.reduce((sum, d) => sum + d.sum, 0);
  return before > 0 && c.startsAt ? [{ day: dateOf(c.startsAt), sum: before }, ...recent] : recent;
}

interface ProgressProps {
  readonly campaign: Summary;
  readonly analytics: Schema['Analytics'] | undefined;
}

export function ProgressCard({ campaign: c, analytics }: ProgressProps) {
  const [kind, setKind] = useState<'total' | 'days'>('total');
  if (!c.pledgeCount)
    return (
      <Card title={say('over_time')}>
        <Empty icon={ChartNoAxesCombined} title={say('first_pledge')} action={<ShareLink campaign={c} />}>
          {say('first_pledge_what')}
        </Empty>
      </Card>
    );
  const end = c.endsAt ? dateOf(Date.parse(c.endsAt) - 1000) : '';
  const today = dateOf(now());
  return (
    <Card
      title={say('over_time')}
      aside={
        <Segments
          name={say('over_time')}
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
          title: say('pledged'),
          days: daySums(c, analytics),
          ...(c.startsAt ? { from: dateOf(c.startsAt) } : {}),
          to: isLive(c) || !end ? today : end,
          until: isLive(c) ? end : '',
          goal: c.goalAmount,
          kind,
        }}
      />
    </Card>
  );
}

/** The URL of the campaign's page, for sharing. */
const ShareLink = ({ campaign }: { campaign: Summary }) => {
  const address = new URL(pageOf(campaign), location.href).href;
  return (
    <div class="row wrap share-link">
      <code class="small">{address}</code>
      <Copy text={address} />
    </div>
  );
};

interface RewardsProps {
  readonly campaign: Summary;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly claims: Schema['Claims'];
}

export function Rewards({ campaign: c, fields, claims }: RewardsProps) {
  const prices = pricesOf(fields);
  const priceOf = ({ id, name }: { id: string; name: string }): string => {
    const cents = prices.get(id) ?? prices.get(name);
    return cents === undefined ? '—' : price(cents);
  };
  const open = c.status !== 'scheduled'; // before, nothing can be claimed
  if (!claims.tiers.length) return null;
  return (
    <Card
      title={say('rewards')}
      flush
      aside={
        <a class="link small" href={hrefTo(['campaigns', c.campaignSlug, 'tiers'])}>
          {say('edit_rewards')}
        </a>
      }
    >
      <div class="tablewrap" tabIndex={0} role="region" aria-label={say('rewards')}>
        <table class="table reward-table">
          <caption class="unseen">{say('rewards')}</caption>
          <thead>
            <tr>
              <th scope="col">{say('reward')}</th>
              <th scope="col" class="end only-wide">
                {say('price')}
              </th>
              {open ? (
                <th scope="col" class="end">
                  {say('claimed')}
                </th>
              ) : null}
              <th scope="col" class="end">
                {say(open ? 'stock_left' : 'stock')}
              </th>
              {open ? (
                <th scope="col" class="end only-wide">
                  {say('reward_sum')}
                </th>
              ) : null}
            </tr>
          </thead>
          <tbody>
            {claims.tiers.map((r) => (
              <tr key={r.id}>
                <th scope="row">
                  {r.name || r.id}
                  <span class="small muted only-narrow">{priceOf(r)}</span>
                </th>
                <td class="end only-wide">{priceOf(r)}</td>
                {open ? <td class={`end ${r.claimed ? '' : 'muted'}`}>{count(r.claimed)}</td> : null}
                <td class="end">
                  {r.left === null ? <span class="small muted">{say('unlimited')}</span> : <Left left={r.left} />}
                </td>
                {open ? <td class={`end only-wide ${r.sum ? '' : 'muted'}`}>{price(r.sum)}</td> : null}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  );
}

const few = 5; // remaining units at which the number is marked

const Left = ({ left }: { left: number }) =>
  left <= few ? <Badge tone="warn">{left > 0 ? count(left) : say('sold_out')}</Badge> : <span>{count(left)}</span>;

export function LatestPledges({ campaign: c }: { campaign: Summary }) {
  const latest = useLatestPledges(c.campaignSlug);
  if (!c.pledgeCount) return null;
  return (
    <Card title={say('latest')} aside={<SupportersLink slug={c.campaignSlug} />}>
      <ResourceView resource={latest}>
        {({ pledges }) => (
          <ul class="feed">
            {pledges.slice(0, 6).map((p) => (
              <PledgeItem key={p.orderId} pledge={p} place={p.name || p.email || ''} />
            ))}
          </ul>
        )}
      </ResourceView>
    </Card>
  );
}
