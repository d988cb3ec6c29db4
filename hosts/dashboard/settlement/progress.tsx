// The progress of a settlement run.
import { ShieldCheck } from 'lucide-preact';
import type { Schema } from '../../site/scripts/api.ts';
import { now } from '../session.ts';
import { Icon } from '../ui/icon.tsx';
import { ago, count, moment, money } from '../words.ts';
import { minutesLeft } from './status.ts';
import { say } from './words.ts';

export function Progress({ job, working }: { job: Schema['Job']; working: boolean }) {
  const done = Math.min(job.processed, job.total);
  const left = minutesLeft(job, now());
  return (
    <>
      <section class="card" aria-label={say('progress')}>
        <div class="in stack">
          <div class="row between wrap">
            <p>
              <span class="big-figure">{count(done)}</span>{' '}
              <span class="muted">{say('of_pledges', { count: job.total })}</span>
            </p>
            <p class="end-desk">
              <b>{left ? say('time_left', { count: left }) : say(working ? 'charging' : 'next_batch')}</b>
              <br />
              <span class="small muted">
                {say('started', { time: moment(job.startedAt), ago: ago(job.lastBatchAt) })}
              </span>
            </p>
          </div>
          <div
            class="gauge thick good"
            role="progressbar"
            aria-valuenow={done}
            aria-valuemin={0}
            aria-valuemax={Math.max(job.total, 1)}
            aria-label={say('progress')}
            style={{ '--v': `${(100 * done) / Math.max(job.total, 1)}%` }}
          >
            <i />
          </div>
          <p class="legend" role="status">
            <span>
              <i class="charged" />
              {say('job_charged', { count: job.totalCharged, amount: money(job.amountCharged) })}
            </span>
            {job.totalFailed ? (
              <span>
                <i class="declined" />
                {say('job_failed', { count: job.totalFailed })}
              </span>
            ) : null}
            {job.totalNeedsAttention ? (
              <span>
                <i class="unclear" />
                {say('job_attention', { count: job.totalNeedsAttention })}
              </span>
            ) : null}
            {job.totalDropped ? <span>{say('job_dropped', { count: job.totalDropped })}</span> : null}
            <span>
              <i class="waiting" />
              {say('job_waiting', { count: job.total - done })}
            </span>
          </p>
        </div>
      </section>
      <p class="small muted row top">
        <Icon of={ShieldCheck} small />
        <span>{say('charged_once')}</span>
      </p>
    </>
  );
}
