// The card that shows when charging starts, or that the campaign missed its goal.
import { Check } from 'lucide-preact';
import type { ComponentChildren } from 'preact';
import { hrefTo } from '../router.ts';
import { now } from '../session.ts';
import { Badge } from '../ui/badge.tsx';
import { Gauge } from '../ui/gauge.tsx';
import { Icon } from '../ui/icon.tsx';
import { moment, price } from '../words.ts';
import { isFunded, isOnHold, type Phase, type SettlementStatus } from './status.ts';
import { say } from './words.ts';

interface Props {
  readonly status: SettlementStatus;
  readonly phase: Phase;
  readonly startsAt?: string | undefined;
  readonly children?: ComponentChildren;
}

export function Outlook({ status: st, phase, startsAt, children }: Props) {
  const [title, text] = outlook(st, phase);
  return (
    <section class="card outlook" aria-label={title}>
      <div class="in stack">
        <div class="row between wrap top">
          <div class="stack g1 grow">
            <h2>{title}</h2>
            <p class="soft">{text}</p>
            {phase === 'no_deadline' ? (
              <p>
                <a href={hrefTo(['campaigns', st.campaignSlug, 'settings'])}>{say('set_deadline')}</a>
              </p>
            ) : null}
          </div>
          {st.goal ? <GoalBadge status={st} /> : null}
        </div>
        {st.goal ? <Gauge pledged={st.counted} goal={st.goal} passed={passed(st, startsAt)} thick /> : null}
        {children}
      </div>
    </section>
  );
}

/** Returns the share of a live campaign's time that has passed. */
function passed(st: SettlementStatus, startsAt: string | undefined): number | undefined {
  if (st.state !== 'live' || !startsAt || !st.endsAt) return undefined;
  const [start, end] = [Date.parse(startsAt), Date.parse(st.endsAt)];
  return end > start ? (now() - start) / (end - start) : undefined;
}

function GoalBadge({ status: st }: { status: SettlementStatus }) {
  const sums = { counted: price(st.counted), goal: price(st.goal) };
  return isFunded(st) ? (
    <Badge tone="good">
      <Icon of={Check} />
      {say('goal_reached', sums)}
    </Badge>
  ) : (
    <Badge>{say('goal_open', sums)}</Badge>
  );
}

function outlook(st: SettlementStatus, phase: Phase): readonly [title: string, text: string] {
  const time = st.beginsAt ? moment(st.beginsAt).replace(/ (?=AM|PM)/, '\u00a0') : '';
  const goal = price(st.goal);
  if (phase === 'no_deadline') return [say('no_deadline'), say('no_deadline_text')];
  const starts = isOnHold(st) ? 'starts_held' : isFunded(st) ? 'starts' : 'starts_if';
  if (phase === 'before') return [say(starts, { time }), say('starts_text', { goal })];
  if (phase === 'margin') return [say(starts, { time }), say('margin_text')];
  if (phase === 'ready')
    return [say('ready', { count: st.supporters }), say(isOnHold(st) ? 'ready_hold_text' : 'ready_text')];
  if (phase === 'missed') return [say('missed'), say('missed_text', { counted: price(st.counted), goal })];
  return [
    say('missed'),
    say(st.detachingAt ? 'closed_deleted_text' : 'closed_text', {
      counted: price(st.counted),
      goal,
      time: st.closedAt ? moment(st.closedAt) : '',
    }),
  ];
}
