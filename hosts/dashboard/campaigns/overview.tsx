// A campaign's overview: its amount against the goal, its progress, its cards and its milestones.
// The overview of a draft is its launch page.
import { CreditCard, PencilLine } from 'lucide-preact';
import { hrefTo } from '../router.ts';
import { hasPermission, isSuperAdmin, now } from '../session.ts';
import { KeyFigures } from '../ui/badge.tsx';
import { Gauge } from '../ui/gauge.tsx';
import { Icon } from '../ui/icon.tsx';
import { Lazy } from '../ui/lazy.tsx';
import { Notice } from '../ui/notice.tsx';
import { Page } from '../ui/page.tsx';
import { count, longDay, moment, money, percent, price } from '../words.ts';
import { CampaignMenu, PageLink } from './actions.tsx';
import { FailedPayments } from './cards.tsx';
import { useAnalytics, useClaims, useFields } from './data.ts';
import { LatestPledges, ProgressCard, Rewards } from './details.tsx';
import { Milestones, Sources } from './outlook.tsx';
import { Address } from './pageaddress.tsx';
import { Picture } from './progress.tsx';
import { reversalFigures } from './reversals.ts';
import { isLive, StateBadge } from './state.tsx';
import type { Summary } from './summary.ts';
import { deadlineWords, lastDay, passedShare, timeUntil } from './time.ts';
import { say } from './words.ts';

export function Overview({ campaign }: { campaign: Summary }) {
  if (campaign.status === 'draft')
    return <Lazy name="launch" load={() => import('./launch.tsx')} props={{ campaign }} />;
  if (campaign.status === 'scheduled')
    return <Lazy name="upcoming" load={() => import('./upcoming.tsx')} props={{ campaign }} />;
  return <PublicOverview campaign={campaign} />;
}

function PublicOverview({ campaign: c }: { campaign: Summary }) {
  const analytics = useAnalytics(c);
  const claims = useClaims(c);
  const fields = useFields(c);
  return (
    <Page
      title={c.campaignTitle}
      picture={<Picture campaign={c} />}
      badges={<StateBadge campaign={c} />}
      lede={<Address campaign={c} />}
      actions={<Actions campaign={c} />}
    >
      <Outcome campaign={c} />
      <GoalCard campaign={c} />
      <KeyFigures figures={figures(c, analytics?.total.total)} />
      <div class="cols c21">
        <div class="stack g6">
          <ProgressCard campaign={c} analytics={analytics} />
          <LatestPledges campaign={c} />
        </div>
        <div class="stack g6">
          {hasPermission('money') ? <FailedPayments campaign={c} /> : null}
          {isLive(c) && c.pledgeCount > 0 && hasPermission('supporters') && hasPermission('money') ? (
            <Lazy
              key={c.campaignSlug}
              name="cards"
              load={async () => ({ default: (await import('./cards.tsx')).CardsAtRisk })}
              props={{ campaign: c }}
            />
          ) : null}
          {analytics ? <Sources campaign={c} report={analytics} /> : null}
          <Milestones campaign={c} fields={fields} analytics={analytics} />
        </div>
      </div>
      {fields && claims ? <Rewards campaign={c} fields={fields} claims={claims} /> : null}
    </Page>
  );
}

/** The primary action for the campaign's state, and the less common ones. */
const Actions = ({ campaign: c }: { campaign: Summary }) => (
  <>
    <PageLink campaign={c} />
    <Primary campaign={c} />
    <CampaignMenu campaign={c} button />
  </>
);

function Primary({ campaign: c }: { campaign: Summary }) {
  if (isLive(c) && hasPermission('content'))
    return (
      <a class="btn primary" href={hrefTo(['campaigns', c.campaignSlug, 'diary'])}>
        <Icon of={PencilLine} />
        {say('post_update')}
      </a>
    );
  if (c.status === 'charging' && isSuperAdmin())
    return (
      <a class="btn primary" href={hrefTo(['campaigns', c.campaignSlug, 'settlement'])}>
        <Icon of={CreditCard} />
        {say(c.settlement?.needsAttention ? 'resolve' : c.settlement ? 'see_charging' : 'charge')}
      </a>
    );
  return null;
}

/** A notice about the result after the deadline. */
function Outcome({ campaign: c }: { campaign: Summary }) {
  if (c.status === 'missed')
    return (
      <Notice>
        <p>{say('missed_what')}</p>
      </Notice>
    );
  if (c.status === 'charging' && !c.settlement && c.chargesAt)
    return (
      <Notice>
        <p>{say('charging_from', { time: moment(c.chargesAt) })}</p>
      </Notice>
    );
  return null;
}

const dayLength = 86_400_000; // milliseconds

function GoalCard({ campaign: c }: { campaign: Summary }) {
  const passed = passedShare(c, now());
  const left = c.goalAmount - c.pledgedAmount;
  const ahead = c.pledgedAmount >= c.goalAmount * (passed ?? 0);
  return (
    <section class="card" aria-label={say('pledged_toward')}>
      <div class="in stack">
        <div class="row between wrap goal-line">
          <div>
            <p class="fig-l">{say('pledged_toward')}</p>
            <p>
              <span class="goal-sum">{price(c.pledgedAmount)}</span>{' '}
              <span class="goal-of muted">{say('of_goal', { goal: price(c.goalAmount) })}</span>
            </p>
          </div>
          <p class="end-desk">
            <b class="goal-left">
              {left > 0 ? say('to_go', { sum: price(left) }) : say('beyond', { sum: price(-left) })}
            </b>
            {isLive(c) && left > 0 && c.endsAt ? (
              <span class="small muted block">
                {say('a_day', {
                  sum: price(
                    Math.ceil(left / Math.max(1, Math.ceil((Date.parse(c.endsAt) - now()) / dayLength)) / 100) * 100,
                  ),
                  day: longDay(Date.parse(c.endsAt) - 1000),
                })}
              </span>
            ) : null}
          </p>
        </div>
        <Gauge thick pledged={c.pledgedAmount} goal={c.goalAmount} passed={passed} />
        <div class="row between wrap small muted">
          <span>{say('funded_share', { share: percent(c.pledgedAmount, c.goalAmount) })}</span>
          {passed === undefined || !c.startsAt || !c.endsAt ? null : (
            <span class="row">
              {left > 0 ? (
                <>
                  <b class={ahead ? 'good' : 'warn'}>{say(ahead ? 'ahead' : 'behind')}</b>
                  <span aria-hidden="true">·</span>
                </>
              ) : null}
              {say('day_of', {
                day: Math.floor((now() - Date.parse(c.startsAt)) / dayLength) + 1,
                days: Math.round((Date.parse(c.endsAt) - Date.parse(c.startsAt)) / dayLength),
              })}
            </span>
          )}
        </div>
      </div>
    </section>
  );
}

/** The four key figures, and those of refunds and disputes. `total` is the sum of all pledges with tax, shipping and tips, in cents. */
function figures(c: Summary, total: number | undefined): Parameters<typeof KeyFigures>[0]['figures'] {
  const today = c.days.at(-1);
  const week = c.days.slice(-7);
  const weekPledges = week.reduce((n, d) => n + d.pledgeCount, 0);
  const weekSum = week.reduce((n, d) => n + d.pledgedAmount, 0);
  return [
    [
      say('supporters'),
      count(c.supporterCount),
      isLive(c)
        ? say('pledges_today', { count: today?.pledgeCount ?? 0 })
        : say('pledges_of', { count: c.pledgeCount }),
    ],
    [
      say('average'),
      c.pledgeCount ? money(Math.round(c.pledgedAmount / c.pledgeCount)) : '—',
      weekPledges && isLive(c) ? say('last_week', { sum: money(Math.round(weekSum / weekPledges)) }) : undefined,
    ],
    timeFigure(c),
    ...moneyFigure(c, total),
  ];
}

function timeFigure(c: Summary): readonly [string, string, string] {
  if (!c.endsAt) return [say('ends'), '—', say('no_deadline')];
  if (c.state === 'live') return [say('left'), timeUntil(c.endsAt, now()), deadlineWords(c)];
  return [say('ended'), lastDay(c.endsAt), ''];
}

function moneyFigure(c: Summary, total: number | undefined): readonly (readonly [string, string, string?])[] {
  if (c.status === 'missed') return [[say('collected'), price(0), say('nobody_charged')]];
  if (c.collectedAmount !== undefined)
    return [
      [say('collected'), money(c.collectedAmount), say('with_all')],
      ...(c.ledger ? reversalFigures(c.ledger) : []),
    ];
  if (total === undefined) return [];
  const about = price(Math.round(total / 100) * 100);
  return c.pledgedAmount >= c.goalAmount
    ? [[say('to_collect'), about, say('with_all')]]
    : [[say('to_collect_if'), about, say('if_funded')]];
}
