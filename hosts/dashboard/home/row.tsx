// A campaign on the home screen: picture, state, trend, amount, time left and today's pledges.
import { categoryName } from '../campaigns/category.ts';
import { Picture, PledgedRow } from '../campaigns/progress.tsx';
import { isLive, StateBadge } from '../campaigns/state.tsx';
import type { Summary } from '../campaigns/summary.ts';
import { lastDay, timeUntil } from '../campaigns/time.ts';
import { Spark } from '../charts/spark.tsx';
import { hrefTo } from '../router.ts';
import { now } from '../session.ts';
import { count, price } from '../words.ts';
import { say } from './words.ts';

export function CampaignRow({ campaign: c }: { campaign: Summary }) {
  const [when, whenNote] = timeCell(c);
  const [figure, figureNote, none] = lastCell(c);
  let total = c.pledgedAmount - c.days.reduce((sum, d) => sum + d.pledgedAmount, 0);
  const totals = c.days.map((d) => {
    total += d.pledgedAmount;
    return total;
  });
  return (
    <li>
      <a class="crow" href={hrefTo(['campaigns', c.campaignSlug])}>
        <Picture campaign={c} />
        <span class="n">
          <b class="clip">{c.campaignTitle}</b>
          <span class="row small muted">
            <StateBadge campaign={c} />
            <span class="clip">{categoryName(c.category)}</span>
          </span>
        </span>
        <span class="sp">{c.pledgeCount ? <Spark values={totals} /> : null}</span>
        <span class="g">
          <PledgedRow campaign={c} />
        </span>
        <span class="d">
          <b>{when}</b> <span class="small muted">{whenNote}</span>
        </span>
        <span class={`d end2 ${none ? 'muted' : ''}`}>
          <b>{figure}</b> <span class="small muted">{figureNote}</span>
        </span>
      </a>
    </li>
  );
}

/** The remaining time, the time until the launch, or the day the campaign ended. */
function timeCell(c: Summary): readonly [string, string] {
  if (c.status === 'draft' || c.status === 'scheduled')
    return c.startsAt && Date.parse(c.startsAt) > now()
      ? [timeUntil(c.startsAt, now()), say('to_launch')]
      : [say('no_date'), say('to_launch')];
  if (!c.endsAt) return ['', ''];
  return c.state === 'live' ? [timeUntil(c.endsAt, now()), say('left')] : [say('ended'), lastDay(c.endsAt)];
}

/**
 * Today's pledges, the reminder sign-ups of a campaign that is not open yet, or the collected
 * amount; and whether it is zero.
 */
function lastCell(c: Summary): readonly [figure: string, note: string, none?: boolean] {
  const today = c.days.at(-1);
  if (isLive(c) && today)
    return [price(today.pledgedAmount), say('today', { count: today.pledgeCount }), !today.pledgeCount];
  if (c.status === 'scheduled')
    return [count(c.reminderCount), say('reminders', { count: c.reminderCount }), !c.reminderCount];
  if (c.collectedAmount !== undefined && c.status !== 'missed') return [price(c.collectedAmount), say('collected')];
  return ['', ''];
}
