// Parts of a campaign's overview: the sources of its pledges and its next milestones.
import type { Schema } from '../../site/scripts/api.ts';
import { dayReached, runningTotals } from '../charts/series.ts';
import { hrefTo } from '../router.ts';
import { hasPermission, now } from '../session.ts';
import { Card } from '../ui/card.tsx';
import { dateOf, day, percent, price, timeOfDay } from '../words.ts';
import { stretchGoalsOf } from './data.ts';
import { daySums } from './details.tsx';
import { isLive } from './state.tsx';
import type { Summary } from './summary.ts';
import { say } from './words.ts';

const shownSources = 4;

/** The referrals with the highest pledged amounts. */
export function Sources({ campaign: c, report }: { campaign: Summary; report: Schema['Analytics'] }) {
  const rows = report.referrals.toSorted((a, b) => b.pledged - a.pledged).filter((r) => r.pledged > 0);
  const most = rows[0]?.pledged ?? 0;
  if (!most) return null;
  if (rows.length === 1 && !rows[0]?.name) return <DirectOnly campaign={c} />;
  return (
    <Card
      title={say('sources')}
      aside={
        <a class="link small" href={hrefTo(['analytics'], { campaign: c.campaignSlug, by: 'referrals' })}>
          {say('analytics')}
        </a>
      }
    >
      <ul class="stack g3">
        {rows.slice(0, shownSources).map((r) => (
          <li key={r.name} class="stack g1">
            <div class="row between">
              <span class="clip">{r.name || say('direct')}</span>
              <span class="nowrap">
                <b>{price(r.pledged)}</b> <span class="muted small">{percent(r.pledged, report.total.pledged)}</span>
              </span>
            </div>
            <div class="mini" aria-hidden="true">
              <i style={{ width: `${(r.pledged * 100) / most}%` }} />
            </div>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** Shown instead of the sources while no pledge came through a link. */
const DirectOnly = ({ campaign: c }: { campaign: Summary }) => (
  <Card title={say('sources')}>
    <p class="soft">
      {say('all_direct')}{' '}
      {hasPermission('mails') ? (
        <a href={hrefTo(['marketing'], { campaign: c.campaignSlug })}>{say('tracked_link')}</a>
      ) : null}
    </p>
  </Card>
);

interface Milestone {
  readonly title: string;
  readonly note: string;
  readonly when: string;
  /** At the current pace, the amount is not reached by the deadline. */
  readonly late?: boolean;
}

interface MilestonesProps {
  readonly campaign: Summary;
  readonly fields: Readonly<Record<string, unknown>> | undefined;
  readonly analytics: Schema['Analytics'] | undefined;
}

const shownGoals = 2;
const paceDays = 5; // days over which the pace is measured

/**
 * The next amounts with the days on which they will probably be reached, the deadline, and the
 * start of the charges.
 */
export function Milestones({ campaign: c, fields, analytics }: MilestonesProps) {
  const rows: Milestone[] = [];
  if (c.status === 'scheduled' && c.startsAt)
    rows.push({ title: say('goes_live'), note: '', when: shortMoment(Date.parse(c.startsAt)) });
  if (isLive(c)) rows.push(...amounts(c, fields, analytics));
  if (c.state !== 'ended' && c.endsAt)
    rows.push({
      title: say('campaign_ends'),
      note: '',
      when: shortMoment(Date.parse(c.endsAt) - 1000),
    });
  if (c.chargesAt && Date.parse(c.chargesAt) > now() && c.status !== 'missed')
    rows.push({ title: say('charging_starts'), note: say('if_funded'), when: shortMoment(Date.parse(c.chargesAt)) });
  if (!rows.length) return null;
  return (
    <Card title={say('milestones')} flush>
      <ul class="rows">
        {rows.map((m) => (
          <li key={m.title}>
            <span class="grow">
              <b>{m.title}</b>
              {m.note ? <span class="small muted block">{m.note}</span> : null}
            </span>
            <span class={`small end ${m.late ? 'warn' : 'soft'}`}>{m.when}</span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** Formats a time without year and zone, which are in the page's header: "Dec 8, 11:59 PM". */
const shortMoment = (at: number): string => `${day(dateOf(at))}, ${timeOfDay(at)}`;

function amounts(
  c: Summary,
  fields: Readonly<Record<string, unknown>> | undefined,
  analytics: Schema['Analytics'] | undefined,
): readonly Milestone[] {
  const today = dateOf(now());
  const points = runningTotals(daySums(c, analytics), c.startsAt ? dateOf(c.startsAt) : today, today);
  const end = c.endsAt ? dateOf(Date.parse(c.endsAt) - 1000) : '9';
  const around = (amount: number): Pick<Milestone, 'when' | 'late'> => {
    if (points.length < paceDays) return { when: '' };
    const reached = dayReached(points, amount);
    return reached && reached <= end
      ? { when: say('around', { day: day(reached) }) }
      : { when: say('not_at_this_pace'), late: true };
  };
  const goals = stretchGoalsOf(fields ?? {})
    .filter((g) => g.amount > c.pledgedAmount)
    .slice(0, shownGoals)
    .map((g) => ({ title: say('stretch', { title: g.title }), note: price(g.amount), ...around(g.amount) }));
  const left = c.goalAmount - c.pledgedAmount;
  return left > 0
    ? [{ title: say('goal_reached'), note: say('to_go', { sum: price(left) }), ...around(c.goalAmount) }, ...goals]
    : goals;
}
