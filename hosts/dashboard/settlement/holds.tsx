// What keeps a campaign's supporters from being charged, and what to do about it.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Refused, type Schema } from '../../site/scripts/api.ts';
import { change } from '../changing.ts';
import { stale } from '../reading.ts';
import { Form, Text } from '../ui/form.tsx';
import { Button } from '../ui/button.tsx';
import { Note } from '../ui/notice.tsx';
import { money, moment } from '../words.ts';
import { reasonOf } from './reasons.ts';
import type { Standing } from './settlement.tsx';
import { say } from './words.ts';

export function Holds({ of }: { of: Standing }) {
  return (
    <>
      {of.stopped ? <Stopped stop={of.stopped} /> : null}
      {of.off ? <Hold title={say('off')}><p>{of.off}</p></Hold> : null}
      {of.unclosed ? <Hold title={say('unclosed')}><p>{say('unclosed_since', { time: moment(of.unclosed.since), reason: of.unclosed.reason })}</p></Hold> : null}
      {of.held ? <Held slug={of.campaignSlug} held={of.held} /> : null}
      {of.broken.length ? <Broken of={of} /> : null}
      {of.accepted ? <p class="small">{say('accepted', { reason: of.accepted.reason, time: moment(of.accepted.at) })}</p> : null}
    </>
  );
}

function Hold({ title, children }: { title: string; children: ComponentChildren }) {
  return <Note tone="bad"><strong>{title}</strong>{children}</Note>;
}

const settled = (): void => {
  stale('/admin/settlement/');
  stale('/admin/health');
};

function Stopped({ stop }: { stop: Schema['Stop'] }) {
  const [anyway, setAnyway] = useState('');
  const [refused, setRefused] = useState(false);
  const resume = async (): Promise<void> => {
    try {
      await change('/admin/settle-resume', anyway ? { anyway } : {});
    } catch (error) {
      if (error instanceof Refused && error.status === 409) setRefused(true);
      throw error;
    }
    settled();
  };
  return (
    <Hold title={say('stopped')}>
      <p>{say('stopped_since', { time: moment(stop.since), reason: stop.reason })}{stop.restored ? ` ${say('restored')}` : ''}</p>
      <Form task={resume} send={say('resume')} quiet>
        {refused ? <Text label={say('anyway')} help={say('anyway_help')} value={anyway} set={setAnyway} max={500} /> : null}
      </Form>
    </Hold>
  );
}

function Held({ slug, held }: { slug: string; held: Schema['Held'] }) {
  const release = async (): Promise<void> => {
    await change(`/admin/settle-release/${slug}`, {});
    settled();
  };
  return (
    <Hold title={say('held')}>
      <p>{why(held)}</p>
      <Button quiet task={release}>{say('release')}</Button>
    </Hold>
  );
}

function why(held: Schema['Held']): string {
  const time = moment(held.since);
  const [code = ''] = Object.entries(held.codes).sort(([, a], [, b]) => b - a)[0] ?? [];
  if (held.unanswered) return say('held_silent', { time, count: held.unanswered, next: held.probeAt ? moment(held.probeAt) : '' });
  if (held.barred) return say('held_barred', { time, code });
  if (held.refused) return say('held_refused', { time, code });
  return say('held_failures', { time, failed: held.failed, of: held.of, why: reasonOf(code) });
}

function Broken({ of }: { of: Standing }) {
  const [reason, setReason] = useState('');
  const accept = async (): Promise<void> => {
    await change('/admin/settle-accept', { campaignSlug: of.campaignSlug, reason } satisfies Schema['AcceptRequest']);
    settled();
  };
  return (
    <Hold title={say('broken')}>
      <p>{say('broken_now', { time: of.endsAt ? moment(of.endsAt) : '—', goal: money(of.goal) })}</p>
      <ul>{of.broken.map((p) => <li key={p.endsAt + String(p.goal)}>{say('broken_promised', { count: p.pledges, time: moment(p.endsAt), goal: money(p.goal) })}</li>)}</ul>
      <p>{say('broken_what')}</p>
      <Form task={accept} send={say('accept')} quiet>
        {(wrong: (field: string) => string) => <Text label={say('reason')} help={say('reason_help')} value={reason} set={setReason} required max={500} wrong={wrong('reason')} />}
      </Form>
    </Hold>
  );
}

/** Stops the charging of every campaign. */
export function Stop() {
  const [reason, setReason] = useState('');
  const stop = async (): Promise<void> => {
    await change('/admin/settle-stop', { reason } satisfies Schema['StopRequest']);
    settled();
  };
  return (
    <details class="stop">
      <summary>{say('stop_all')}</summary>
      <p>{say('stop_what')}</p>
      <Form task={stop} send={say('stop')} quiet>
        {(wrong: (field: string) => string) => <Text label={say('reason')} help={say('reason_help')} value={reason} set={setReason} required max={500} wrong={wrong('reason')} />}
      </Form>
    </details>
  );
}
