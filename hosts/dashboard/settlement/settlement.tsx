// The settlement screen: what happens to the pledges at the deadline, the progress of the charges,
// and the open tasks after them.
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { CampaignCrumb } from '../campaigns/crumb.tsx';
import { reversalFigures } from '../campaigns/reversals.ts';
import type { Summary } from '../campaigns/summary.ts';
import { refreshPrefix, useResource } from '../resources.ts';
import { now } from '../session.ts';
import { Badge, KeyFigures, type Tone } from '../ui/badge.tsx';
import { ResourceView } from '../ui/notice.tsx';
import { Page } from '../ui/page.tsx';
import { count, deadline, moment, money, percent, price } from '../words.ts';
import { Charges } from './charges.tsx';
import { DifferingTerms, Reopen } from './decisions.tsx';
import { Failures } from './failures.tsx';
import { Holds, Pause, Stop } from './holds.tsx';
import { Outlook } from './outlook.tsx';
import { Payouts } from './payouts.tsx';
import { Progress } from './progress.tsx';
import { Reconciliation } from './reconciliation.tsx';
import { RefundAll } from './refundall.tsx';
import { OpenRefunds } from './refunds.tsx';
import { type RehearsalControl, Rehearse, useRehearsal } from './rehearsal.tsx';
import { Start } from './start.tsx';
import {
  holdSince,
  isOnHold,
  isRunning,
  isUpcoming,
  type Phase,
  phaseOf,
  type SettlementStatus,
  statusPath,
} from './status.ts';
import { say } from './words.ts';

const fast = 3; // seconds between reads while charges are made
const slow = 30;

export default function Settlement({ campaign }: { campaign: Summary }) {
  const path = statusPath(campaign.campaignSlug);
  const current = useResource<SettlementStatus>(path).value;
  const running = current !== undefined && isRunning(current);
  const resource = useResource<SettlementStatus>(path, running ? fast : slow);
  const st = resource.value;
  const view = st ? { status: st, phase: phaseOf(st, now()), campaign } : undefined;
  const upcoming = view !== undefined && isUpcoming(view.phase);
  const rehearsal = useRehearsal(upcoming ? campaign.campaignSlug : '');
  useEffect(() => refreshPrefix('/admin/summary'), [running]); // the summary contains the failed payments and the decisions
  const [tone, text] = view ? badge(view) : (['', ''] as const);
  return (
    <Page
      title={say('title')}
      crumb={<CampaignCrumb campaign={campaign} />}
      badges={view ? <Badge tone={tone}>{text}</Badge> : null}
      actions={view && mayPause(view) ? <Pause status={view.status} /> : null}
      lede={view ? <span role="status">{summary(view)}</span> : null}
    >
      <ResourceView resource={resource}>
        {() => (view ? upcoming ? <Upcoming {...view} rehearsal={rehearsal} /> : <Body {...view} /> : null)}
      </ResourceView>
    </Page>
  );
}

interface View {
  readonly status: SettlementStatus;
  readonly phase: Phase;
  readonly campaign: Summary;
}

/** Reports whether charges are upcoming or in progress, so that they can be paused. */
const mayPause = ({ status: st, phase }: View): boolean =>
  isUpcoming(phase) || phase === 'running' || (phase === 'after' && !st.completedAt);

function badge({ status: st, phase, campaign }: View): readonly [Tone, string] {
  if (phase === 'missed' || phase === 'closed') return ['', say('badge_missed')];
  if (isOnHold(st)) return ['bad', say('badge_hold')];
  if (phase === 'running') return ['info', say('badge_running')];
  if (phase !== 'after') return ['', say('badge_waiting')];
  const decisions = campaign.settlement?.needsAttention;
  if (decisions) return ['warn', say('badge_decisions', { count: decisions })];
  if (!st.completedAt) return ['info', say('badge_unfinished')];
  const failed = campaign.repairable?.pledges;
  return failed ? ['warn', say('badge_failed', { count: failed })] : ['good', say('badge_done')];
}

/** Returns one or two sentences on the phase, which are announced when they change. */
function summary({ status: st, phase, campaign }: View): string {
  const ends = st.endsAt ? deadline(st.endsAt) : '';
  if (phase === 'missed' || phase === 'closed') return say('lede_missed');
  if (phase === 'no_deadline') return say('lede_no_deadline');
  if (isOnHold(st)) {
    const since = holdSince(st);
    return since ? say('lede_hold', { time: moment(since) }) : say('lede_blocked');
  }
  if (phase === 'running') return say('lede_running');
  if (phase === 'before') return say('lede_before', { time: ends });
  if (phase !== 'after') return say('lede_ended', { time: ends });
  if (!st.completedAt) return say('lede_unfinished');
  const done = say('lede_done', { time: moment(st.job?.endedAt ?? st.completedAt) });
  const until = campaign.repairable?.until;
  return until ? `${done} ${say('lede_fixable', { time: moment(until) })}` : done;
}

/** The screen before the first charge: when charging starts, and the forecast of a rehearsal. */
function Upcoming({ status: st, phase, campaign, rehearsal }: View & { rehearsal: RehearsalControl }) {
  const forecast = rehearsal.resource.value?.forecast;
  return (
    <>
      <Holds status={st} />
      <Outlook status={st} phase={phase} startsAt={campaign.startsAt}>
        {phase === 'ready' ? <Start status={st} /> : null}
      </Outlook>
      <KeyFigures figures={forecast ? expected(forecast) : pledged(st)} />
      <Rehearse rehearsal={rehearsal} slug={st.campaignSlug} />
      {st.state === 'upcoming' ? null : <DifferingTerms slug={st.campaignSlug} folded />}
      <Stop stopped={Boolean(st.stopped)} />
    </>
  );
}

/** The screen during and after the charges, and for a campaign that missed its goal. */
function Body({ status: st, phase, campaign }: View) {
  const slug = st.campaignSlug;
  if (phase === 'no_deadline') return <Outlook status={st} phase={phase} />;
  if (phase === 'missed' || phase === 'closed')
    return (
      <>
        {st.unclosed ? <Holds status={st} /> : null}
        <Outlook status={st} phase={phase} />
        <Reopen status={st} />
        <KeyFigures figures={pledged(st).slice(0, -1)} />
      </>
    );
  const live = phase === 'running';
  return (
    <>
      <Holds status={st} />
      <Charges slug={slug} live={live} decisions={campaign.settlement?.needsAttention ?? 0} />
      {live && st.job ? <Progress job={st.job} working={st.working} /> : null}
      <KeyFigures figures={charged(st, campaign)} />
      {!live && !st.completedAt ? <Start status={st} again /> : null}
      <OpenRefunds slug={slug} />
      <Failures slug={slug} live={live} />
      <Reconciliation slug={slug} status={st} />
      <Payouts slug={slug} />
      {st.completedAt ? null : <DifferingTerms slug={slug} />}
      <RefundAll slug={slug} />
      <Stop stopped={Boolean(st.stopped)} />
    </>
  );
}

type Figure = readonly [name: string, value: ComponentChildren, note?: ComponentChildren];

/** Returns the sums before the first charge, under the names of the dashboard's glossary. */
const pledged = ({ funds, counted, goal, supporters }: SettlementStatus): readonly Figure[] => [
  [say('supporters'), count(supporters), say('supporters_note')],
  [say('pledged'), price(counted), say('pledged_note', { goal: price(goal) })],
  [say('total'), money(funds.pledged), say('total_note')],
  [
    say('collectable'),
    money(funds.collectable),
    say(funds.collectable === funds.pledged ? 'collectable_all' : 'collectable_note'),
  ],
];

/** Returns the sums of the charges. */
const charged = ({ funds }: SettlementStatus, { repairable, ledger }: Summary): readonly Figure[] => [
  [
    say('collected'),
    money(funds.collected),
    say('of_total', { share: percent(funds.collected, funds.pledged), sum: money(funds.pledged) }),
  ],
  ...(ledger ? reversalFigures(ledger) : [[say('net'), money(funds.available), say('net_note')] as const]),
  [
    say('outstanding'),
    money(repairable?.amount ?? 0),
    repairable ? say('outstanding_note', { count: repairable.pledges }) : say('outstanding_none'),
  ],
  [say('uncollectable'), money(funds.pledged - funds.collectable), say('uncollectable_note')],
];

const nanosecondsPerMinute = 60_000_000_000;

/** Returns the expected figures of a rehearsal. */
function expected(forecast: Schema['Forecast']): readonly Figure[] {
  const minutes = Math.max(1, Math.ceil(forecast.atLeast / nanosecondsPerMinute));
  return [
    [say('will_charge'), count(forecast.charged), say('of_supporters', { count: forecast.supporters })],
    [say('will_collect'), money(forecast.funds.collected), say('after_fees', { sum: money(forecast.funds.available) })],
    [
      say('will_fail'),
      count(forecast.failed),
      forecast.passedOver ? say('passed_over', { count: forecast.passedOver }) : say('will_fail_note'),
    ],
    [say('takes'), say('minutes', { count: minutes }), say('emails', { count: forecast.mails })],
  ];
}
