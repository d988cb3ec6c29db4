// Decisions that need two operators: charging a pledge although Stripe has different terms on
// record, and reopening a campaign that was closed by mistake.
import { useState } from 'preact/hooks';
import { APIError, type Schema } from '../../site/scripts/api.ts';
import { change } from '../changes.ts';
import { refresh, useResource } from '../resources.ts';
import { hrefTo } from '../router.ts';
import { session } from '../session.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Notice, ResourceView } from '../ui/notice.tsx';
import { moment, money } from '../words.ts';
import { say } from './decisionwords.ts';
import { ReasonDialog } from './reasondialog.tsx';
import { type SettlementStatus, statusPath } from './status.ts';

const operatorName = (operator: string): string => (operator === session.value?.email ? say('you') : operator);

/**
 * Pledges whose terms differ. They are read on request, because each read lists the customers at
 * Stripe.
 */
export function DifferingTerms({ slug, folded }: { slug: string; folded?: boolean }) {
  const [asked, setAsked] = useState(false);
  const content = (
    <div class="stack">
      <div class="row between wrap">
        <p class="soft prose">{say('terms_what')}</p>
        {asked ? null : (
          <Button small task={async () => setAsked(true)}>
            {say('terms_check')}
          </Button>
        )}
      </div>
      {asked ? <TermsList slug={slug} /> : null}
    </div>
  );
  return folded ? (
    <details class="more card stop">
      <summary>{say('terms')}</summary>
      {content}
    </details>
  ) : (
    <Card title={say('terms')}>{content}</Card>
  );
}

function TermsList({ slug }: { slug: string }) {
  const path = `/admin/terms/${slug}`;
  const resource = useResource<Schema['Disagreements']>(path);
  if (resource.error instanceof APIError && resource.error.status === 403)
    return <p class="small muted">{say('resolve_needs')}</p>;
  return (
    <ResourceView resource={resource}>
      {({ pledges }) =>
        pledges.length ? (
          <ul class="rows flush">
            {pledges.map((d) => (
              <DifferingPledge key={d.orderId} slug={slug} path={path} pledge={d} />
            ))}
          </ul>
        ) : (
          <div role="status">
            <Notice tone="good">{say('terms_none')}</Notice>
          </div>
        )
      }
    </ResourceView>
  );
}

function DifferingPledge({ slug, path, pledge }: { slug: string; path: string; pledge: Schema['Disagreement'] }) {
  const [asking, setAsking] = useState(false);
  const decide = async (reason: string): Promise<void> => {
    await change<Schema['TermsAccepted']>(path, { orderId: pledge.orderId, reason } satisfies Schema['TermsRequest']);
    await refresh(path);
  };
  const amount = money(pledge.amount);
  return (
    <li class="unclear">
      <div class="grow stack g1">
        <p>
          <a href={hrefTo(['supporters', slug, pledge.orderId])}>{say('order', { id: pledge.orderId })}</a>
        </p>
        <p>
          {say('terms_differ', {
            ours: amount,
            theirs: pledge.recorded.cancelled ? say('terms_canceled') : money(pledge.recorded.amount),
          })}
        </p>
        {pledge.confirmedBy ? (
          <p class="small">
            {say('terms_accepted', {
              who: operatorName(pledge.statedBy ?? ''),
              other: operatorName(pledge.confirmedBy),
              reason: pledge.reason ?? '',
            })}
          </p>
        ) : null}
        {pledge.statedBy && !pledge.confirmedBy ? (
          <p class="small">
            {say('terms_stated', { who: operatorName(pledge.statedBy), reason: pledge.reason ?? '' })}
          </p>
        ) : null}
      </div>
      {pledge.confirmedBy ? null : (
        <button type="button" class="btn sm" onClick={() => setAsking(true)}>
          {say('terms_charge', { amount })}…
        </button>
      )}
      {asking ? (
        <ReasonDialog
          title={say('terms_title', { amount })}
          submitLabel={say('terms_charge', { amount })}
          task={decide}
          close={() => setAsking(false)}
        >
          <p>{say('two_people')}</p>
        </ReasonDialog>
      ) : null}
    </li>
  );
}

/** Reopens a closed campaign while none of its cards has been deleted. */
export function Reopen({ status }: { status: SettlementStatus }) {
  const [asking, setAsking] = useState(false);
  const reopen = async (reason: string): Promise<void> => {
    await change<Schema['Reopened']>(`/admin/reopen/${status.campaignSlug}`, {
      reason,
    } satisfies Schema['ReopenRequest']);
    await refresh(statusPath(status.campaignSlug));
  };
  if (!status.closedAt || status.detachingAt) return null;
  return (
    <Card title={say('reopen')}>
      <div class="stack">
        <div class="row between wrap">
          <p class="soft prose">
            {say('reopen_what', { until: moment(new Date(Date.parse(status.closedAt) + day).toISOString()) })}
          </p>
          <button type="button" class="btn sm" onClick={() => setAsking(true)}>
            {say('reopen_go')}…
          </button>
        </div>
        {status.reopening ? (
          <Notice>
            {say('reopen_stated', {
              who: operatorName(status.reopening.statedBy),
              time: moment(status.reopening.statedAt),
              reason: status.reopening.reason,
            })}
          </Notice>
        ) : null}
      </div>
      {asking ? (
        <ReasonDialog
          title={say('reopen_title')}
          submitLabel={say('reopen_go')}
          task={reopen}
          close={() => setAsking(false)}
        >
          <p>{say('two_people')}</p>
        </ReasonDialog>
      ) : null}
    </Card>
  );
}

const day = 24 * 60 * 60 * 1000; // milliseconds; cards are deleted one day after the campaign was closed
