// Decisions that need two operators: charging a pledge although Stripe has different terms on
// record, and reopening a campaign that was closed by mistake.
import { useState } from 'preact/hooks';
import { APIError, type Schema } from '../../site/scripts/api.ts';
import { change } from '../changes.ts';
import { refresh, useResource } from '../resources.ts';
import { session } from '../session.ts';
import { Button } from '../ui/button.tsx';
import { Copy } from '../ui/copy.tsx';
import { Form, TextField } from '../ui/form.tsx';
import { Notice, ResourceView } from '../ui/notice.tsx';
import { moment, money } from '../words.ts';
import { type SettlementStatus, statusPath } from './status.ts';
import { say } from './words.ts';

const operatorName = (operator: string): string => (operator === session.value?.email ? say('you') : operator);

/** Pledges whose terms differ. They are read on request, because each read lists the customers at Stripe. */
export function DifferingTerms({ slug }: { slug: string }) {
  const [asked, setAsked] = useState(false);
  return (
    <section>
      <h2>{say('terms')}</h2>
      <p>{say('terms_what')}</p>
      {asked ? (
        <TermsList slug={slug} />
      ) : (
        <Button quiet task={async () => setAsked(true)}>
          {say('terms_check')}
        </Button>
      )}
    </section>
  );
}

function TermsList({ slug }: { slug: string }) {
  const path = `/admin/terms/${slug}`;
  const resource = useResource<Schema['Disagreements']>(path);
  if (resource.error instanceof APIError && resource.error.status === 403)
    return <p class="small">{say('resolve_needs')}</p>;
  return (
    <ResourceView resource={resource}>
      {({ pledges }) =>
        pledges.length ? (
          pledges.map((d) => <DifferingPledge key={d.orderId} path={path} pledge={d} />)
        ) : (
          <Notice tone="good">{say('terms_none')}</Notice>
        )
      }
    </ResourceView>
  );
}

function DifferingPledge({ path, pledge }: { path: string; pledge: Schema['Disagreement'] }) {
  const [reason, setReason] = useState('');
  const decide = async (): Promise<void> => {
    await change<Schema['TermsAccepted']>(path, { orderId: pledge.orderId, reason } satisfies Schema['TermsRequest']);
    await refresh(path);
  };
  return (
    <article class="card unclear">
      <p class="small">
        {pledge.orderId} <Copy text={pledge.orderId} />
      </p>
      <p>
        {say('terms_differ', {
          ours: money(pledge.amount),
          theirs: pledge.recorded.cancelled ? say('terms_cancelled') : money(pledge.recorded.amount),
        })}
      </p>
      {pledge.confirmedBy ? (
        <Notice tone="good">
          {say('terms_accepted', {
            who: operatorName(pledge.statedBy ?? ''),
            other: operatorName(pledge.confirmedBy),
            reason: pledge.reason ?? '',
          })}
        </Notice>
      ) : null}
      {pledge.statedBy && !pledge.confirmedBy ? (
        <Notice tone="warn">
          {say('terms_stated', { who: operatorName(pledge.statedBy), reason: pledge.reason ?? '' })}
        </Notice>
      ) : null}
      {pledge.confirmedBy ? null : (
        <Form task={decide} submitLabel={say('terms_charge', { amount: money(pledge.amount) })} quiet>
          {(errorOf: (field: string) => string) => (
            <TextField
              label={say('reason')}
              help={say('reason_help')}
              value={reason}
              set={setReason}
              required
              max={500}
              error={errorOf('reason')}
            />
          )}
        </Form>
      )}
    </article>
  );
}

/** Reopens a closed campaign while none of its cards has been deleted. */
export function Reopen({ status }: { status: SettlementStatus }) {
  const [reason, setReason] = useState('');
  const reopen = async (): Promise<void> => {
    await change<Schema['Reopened']>(`/admin/reopen/${status.campaignSlug}`, {
      reason,
    } satisfies Schema['ReopenRequest']);
    await refresh(statusPath(status.campaignSlug));
  };
  if (!status.closedAt || status.detachingAt) return null;
  return (
    <section>
      <h2>{say('reopen')}</h2>
      <p>{say('reopen_what', { until: moment(new Date(Date.parse(status.closedAt) + day).toISOString()) })}</p>
      {status.reopening ? (
        <Notice tone="warn">
          {say('reopen_stated', {
            who: operatorName(status.reopening.statedBy),
            time: moment(status.reopening.statedAt),
            reason: status.reopening.reason,
          })}
        </Notice>
      ) : null}
      <Form task={reopen} submitLabel={say('reopen_go')} quiet>
        {(errorOf: (field: string) => string) => (
          <TextField
            label={say('reason')}
            help={say('reason_help')}
            value={reason}
            set={setReason}
            required
            max={500}
            error={errorOf('reason')}
          />
        )}
      </Form>
    </section>
  );
}

const day = 24 * 60 * 60 * 1000; // milliseconds; cards are deleted one day after the campaign was closed
