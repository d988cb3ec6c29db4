// The disputes and early fraud warnings of a pledge's payment, with the evidence for an answer.
import { useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { change } from '../changes.ts';
import { hasPermission } from '../session.ts';
import { ReasonDialog } from '../settlement/reasondialog.tsx';
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

interface Props {
  readonly slug: string;
  readonly pledge: Pledge;
  readonly reload: () => Promise<void>;
}

export function Disputes({ slug, pledge, reload }: Props) {
  return (
    <>
      {pledge.disputes.map((d) => (
        <DisputeNotice key={d.disputeId} slug={slug} dispute={d} />
      ))}
      {pledge.fraudWarnings.map((w) => (
        <FraudWarning key={w.warningId} slug={slug} warning={w} reload={reload} />
      ))}
    </>
  );
}

interface WarningProps {
  readonly slug: string;
  readonly warning: Pledge['fraudWarnings'][number];
  readonly reload: () => Promise<void>;
}

/** An early fraud warning. An operator who does not refund the payment leaves it, which ends the task on Home. */
function FraudWarning({ slug, warning: w, reload }: WarningProps) {
  const [asking, setAsking] = useState(false);
  const awaits = w.actionable && !w.acknowledgedAt;
  const leave = async (reason: string): Promise<void> => {
    await change<Schema['WarningLeft']>(`/admin/disputes/${slug}/warning`, {
      warningId: w.warningId,
      reason,
    } satisfies Schema['WarningRequest']);
    await reload();
  };
  return (
    <Notice tone={awaits ? 'warn' : ''}>
      <b>{say('warned')}</b>
      <p class="small">
        {say('warned_at', { time: moment(w.at) })} {awaits ? say('warned_what') : ''}{' '}
        {w.acknowledgedAt ? say('left_at', { time: moment(w.acknowledgedAt) }) : ''}
      </p>
      {awaits ? (
        <div>
          <button type="button" class="btn sm" onClick={() => setAsking(true)}>
            {say('leave')}…
          </button>
        </div>
      ) : null}
      {asking ? (
        <ReasonDialog title={say('leave_title')} submitLabel={say('leave')} task={leave} close={() => setAsking(false)}>
          <p>{say('leave_hint')}</p>
        </ReasonDialog>
      ) : null}
    </Notice>
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
