// Decisions that take two operators: to charge a pledge although the processor has other terms
// for it, and to reopen a campaign that was closed by mistake.
import { useState } from 'preact/hooks';
import { Refused, type Schema } from '../../site/scripts/api.ts';
import { change } from '../changing.ts';
import { refresh, useReading } from '../reading.ts';
import { session } from '../session.ts';
import { Button } from '../ui/button.tsx';
import { Copy } from '../ui/copy.tsx';
import { Form, Text } from '../ui/form.tsx';
import { Note, Shown } from '../ui/notice.tsx';
import { money, moment } from '../words.ts';
import { standingOf, type Standing } from './settlement.tsx';
import { say } from './words.ts';

const nameOf = (operator: string): string => (operator === session.value?.email ? say('you') : operator);

/** The pledges with other terms. They are read on request: each time the processor's customers are listed. */
export function Terms({ slug }: { slug: string }) {
  const [asked, setAsked] = useState(false);
  return (
    <section>
      <h2>{say('terms')}</h2>
      <p>{say('terms_what')}</p>
      {asked ? <Listed slug={slug} /> : <Button quiet task={async () => setAsked(true)}>{say('terms_check')}</Button>}
    </section>
  );
}

function Listed({ slug }: { slug: string }) {
  const path = `/admin/terms/${slug}`;
  const reading = useReading<Schema['Disagreements']>(path);
  if (reading.error instanceof Refused && reading.error.status === 403) return <p class="small">{say('resolve_needs')}</p>;
  return (
    <Shown reading={reading}>
      {({ pledges }) => pledges.length ? <>{pledges.map((d) => <Differing key={d.orderId} path={path} of={d} />)}</> : <Note tone="good">{say('terms_none')}</Note>}
    </Shown>
  );
}

function Differing({ path, of }: { path: string; of: Schema['Disagreement'] }) {
  const [reason, setReason] = useState('');
  const decide = async (): Promise<void> => {
    await change<Schema['TermsAccepted']>(path, { orderId: of.orderId, reason } satisfies Schema['TermsRequest']);
    await refresh(path);
  };
  return (
    <article class="card unclear">
      <p class="small">{of.orderId} <Copy text={of.orderId} /></p>
      <p>{say('terms_differ', { ours: money(of.amount), theirs: of.recorded.cancelled ? say('terms_cancelled') : money(of.recorded.amount) })}</p>
      {of.confirmedBy ? <Note tone="good">{say('terms_accepted', { who: nameOf(of.statedBy ?? ''), other: nameOf(of.confirmedBy), reason: of.reason ?? '' })}</Note> : null}
      {of.statedBy && !of.confirmedBy ? <Note tone="warn">{say('terms_stated', { who: nameOf(of.statedBy), reason: of.reason ?? '' })}</Note> : null}
      {of.confirmedBy ? null : (
        <Form task={decide} send={say('terms_charge', { amount: money(of.amount) })} quiet>
          {(wrong: (field: string) => string) => <Text label={say('reason')} help={say('reason_help')} value={reason} set={setReason} required max={500} wrong={wrong('reason')} />}
        </Form>
      )}
    </article>
  );
}

/** Reopens a closed campaign, as long as no card of it was deleted. */
export function Reopen({ of }: { of: Standing }) {
  const [reason, setReason] = useState('');
  const reopen = async (): Promise<void> => {
    await change<Schema['Reopened']>(`/admin/reopen/${of.campaignSlug}`, { reason } satisfies Schema['ReopenRequest']);
    await refresh(standingOf(of.campaignSlug));
  };
  if (!of.closedAt || of.detachingAt) return null;
  return (
    <section>
      <h2>{say('reopen')}</h2>
      <p>{say('reopen_what', { until: moment(new Date(Date.parse(of.closedAt) + day).toISOString()) })}</p>
      {of.reopening ? <Note tone="warn">{say('reopen_stated', { who: nameOf(of.reopening.statedBy), time: moment(of.reopening.statedAt), reason: of.reopening.reason })}</Note> : null}
      <Form task={reopen} send={say('reopen_go')} quiet>
        {(wrong: (field: string) => string) => <Text label={say('reason')} help={say('reason_help')} value={reason} set={setReason} required max={500} wrong={wrong('reason')} />}
      </Form>
    </section>
  );
}

const day = 24 * 60 * 60 * 1000; // milliseconds, between the closing and the deletion of cards
