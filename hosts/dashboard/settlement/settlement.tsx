// The settlement screen: status, holds, progress, failed charges and reconciliation.
import type { Schema } from '../../site/scripts/api.ts';
import type { Summary } from '../campaigns/summary.ts';
import { useResource } from '../resources.ts';
import { now } from '../session.ts';
import { KeyFigures } from '../ui/badge.tsx';
import { ResourceView } from '../ui/notice.tsx';
import { ago, moment, money, percent } from '../words.ts';
import { Charges } from './charges.tsx';
import { DifferingTerms, Reopen } from './decisions.tsx';
import { Failures } from './failures.tsx';
import { Holds } from './holds.tsx';
import { Reconciliation } from './reconciliation.tsx';
import { Rehearse } from './rehearsal.tsx';
import { Start } from './start.tsx';
import { type SettlementStatus, statusPath } from './status.ts';
import { say } from './words.ts';

export default function Settlement({ campaign }: { campaign: Summary }) {
  const path = statusPath(campaign.campaignSlug);
  const current = useResource<SettlementStatus>(path);
  const busy = current.value?.working || current.value?.job?.status === 'running';
  const resource = useResource<SettlementStatus>(path, busy ? 3 : 30);
  return (
    <ResourceView resource={resource}>
      {(st) => (
        <>
          <p class="lead" role="status">
            {headline(st)}
          </p>
          <Holds status={st} />
          <Reopen status={st} />
          {st.job ? <Progress job={st.job} working={st.working} /> : null}
          <Funds status={st} />
          {st.beginsAt && !st.begun && !st.closedAt ? <Rehearse slug={st.campaignSlug} /> : null}
          {st.state === 'ended' && !st.closedAt ? <Start status={st} /> : null}
          {st.begun ? (
            <>
              <Charges slug={st.campaignSlug} live={busy ?? false} />
              <Failures slug={st.campaignSlug} live={busy ?? false} />
            </>
          ) : null}
          {st.state === 'upcoming' || st.completedAt || st.closedAt ? null : <DifferingTerms slug={st.campaignSlug} />}
          <Reconciliation slug={st.campaignSlug} />
        </>
      )}
    </ResourceView>
  );
}

const funded = (st: SettlementStatus): boolean => st.counted >= st.goal;

/** Returns a one-sentence summary of the status. */
function headline(st: SettlementStatus): string {
  const sums = { counted: money(st.counted), goal: money(st.goal) };
  if (st.closedAt) return say(st.detachingAt ? 'closed_deleted' : 'closed', { ...sums, time: moment(st.closedAt) });
  if (!st.beginsAt) return say('no_deadline');
  if (st.state !== 'ended') return say(funded(st) ? 'live_funded' : 'live', { ...sums, time: moment(st.beginsAt) });
  if (st.working) return say('working');
  if (st.begun)
    return st.completedAt
      ? say('complete', { time: moment(st.completedAt), collected: money(st.funds.collected) })
      : say('under_way');
  if (!funded(st)) return say('missed', sums);
  return now() < Date.parse(st.beginsAt)
    ? say('margin', { time: moment(st.beginsAt) })
    : say('ready', { count: st.supporters, ...sums });
}

function Funds({ status: { funds, counted, goal } }: { status: SettlementStatus }) {
  return (
    <KeyFigures
      figures={[
        [say('counted'), money(counted), say('of_goal', { share: percent(counted, goal), goal: money(goal) })],
        [say('pledged'), money(funds.pledged), say('pledged_more')],
        [say('collectable'), money(funds.collectable), say('collectable_more')],
        [
          say('collected'),
          money(funds.collected),
          say('of_collectable', { share: percent(funds.collected, funds.collectable) }),
        ],
        [say('available'), money(funds.available), say('available_more')],
      ]}
    />
  );
}

function Progress({ job, working }: { job: Schema['Job']; working: boolean }) {
  const over = job.status !== 'running';
  return (
    <section aria-label={say('run')}>
      <div class="row progress-head">
        <strong>
          {over
            ? say(job.status === 'done' ? 'run_done' : 'run_attention')
            : working
              ? say('run_on')
              : say('run_waits')}
        </strong>
        <span class="small">
          {over && job.endedAt ? moment(job.endedAt) : say('last_batch', { ago: ago(job.lastBatchAt) })}
        </span>
      </div>
      <progress
        value={Math.min(job.processed, job.total)}
        max={Math.max(job.total, 1)}
        aria-label={say('looked_at', { done: job.processed, count: job.total })}
      />
      <p class="small">
        {[
          say('looked_at', { done: Math.min(job.processed, job.total), count: job.total }),
          say('job_charged', { count: job.totalCharged, amount: money(job.amountCharged) }),
          job.totalFailed ? say('job_failed', { count: job.totalFailed }) : '',
          job.totalDropped ? say('job_dropped', { count: job.totalDropped }) : '',
          job.totalNeedsAttention ? say('job_attention', { count: job.totalNeedsAttention }) : '',
        ]
          .filter(Boolean)
          .join(' · ')}
      </p>
    </section>
  );
}
