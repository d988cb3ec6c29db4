// The disputes and early fraud warnings of a pledge's payment, with the evidence for an answer.
import type { Schema } from '../../site/scripts/api.ts';
import { hasPermission } from '../session.ts';
import { Button } from '../ui/button.tsx';
import { download } from '../ui/download.ts';
import { Notice } from '../ui/notice.tsx';
import { longDay, moment, money } from '../words.ts';
import { say } from './disputewords.ts';

type Pledge = Schema['SupporterTimeline']['pledges'][number];
type Dispute = Pledge['disputes'][number];

const reasons = [
  'credit_not_processed',
  'duplicate',
  'fraudulent',
  'general',
  'product_not_received',
  'product_unacceptable',
  'unrecognized',
] as const;

function reasonText(reason: string): string {
  const known = reasons.find((r) => r === reason);
  return known ? say(`reason_${known}`) : reason;
}

const isOpen = (d: Dispute): boolean => ['inquiry', 'chargeback', 'unknown'].includes(d.phase);

export function Disputes({ slug, pledge }: { readonly slug: string; readonly pledge: Pledge }) {
  return (
    <>
      {pledge.disputes.map((d) => (
        <DisputeNotice key={d.disputeId} slug={slug} dispute={d} />
      ))}
      {pledge.fraudWarnings.map((w) => (
        <Notice key={w.at} tone={w.actionable ? 'warn' : ''}>
          <b>{say('warned')}</b>
          <p class="small">
            {say('warned_at', { time: moment(w.at) })} {w.actionable ? say('warned_what') : ''}
          </p>
        </Notice>
      ))}
    </>
  );
}

function DisputeNotice({ slug, dispute: d }: { readonly slug: string; readonly dispute: Dispute }) {
  const evidence = (): Promise<void> =>
    download(`/admin/disputes/${slug}/evidence`, `evidence-${d.disputeId}.zip`, {
      disputeId: d.disputeId,
    } satisfies Schema['EvidenceRequest']);
  return (
    <Notice tone={isOpen(d) || d.phase === 'lost' ? 'warn' : ''}>
      <b>{say(d.phase, { sum: money(d.amount) })}</b>
      <p class="small">
        {say('why', { reason: reasonText(d.reason) })} {say(`${d.phase}_what`, { status: d.status })}
      </p>
      {d.answerBy ? <p class="small">{say('answer_by', { day: longDay(d.answerBy) })}</p> : null}
      {isOpen(d) && hasPermission('supporters') ? (
        <Button small task={evidence}>
          {say('evidence')}
        </Button>
      ) : null}
    </Notice>
  );
}
