// Charges with an unknown result. Two operators state the result, and Stripe's list of payments
// must confirm it.
import { useState } from 'preact/hooks';
import { APIError, type Schema } from '../../site/scripts/api.ts';
import { change } from '../changes.ts';
import { refresh, refreshPrefix, useResource } from '../resources.ts';
import { hrefTo } from '../router.ts';
import { session } from '../session.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Copy } from '../ui/copy.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Form, Select, TextField } from '../ui/form.tsx';
import { Notice, ResourceView } from '../ui/notice.tsx';
import { toast } from '../ui/toast.tsx';
import { moment, money } from '../words.ts';
import { say } from './decisionwords.ts';
import { PaymentLink } from './paymentlink.tsx';
import { reasonText } from './reasons.ts';
import { statusPath } from './status.ts';

type Charge = Schema['Charge'];
type Resolution = Charge['resolutions'][number];

interface Props {
  readonly slug: string;
  readonly live: boolean;
  /**
   * The number of unclear charges according to the campaign's summary, for operators who may not
   * read them.
   */
  readonly decisions: number;
}

export function Charges({ slug, live, decisions }: Props) {
  const resource = useResource<Schema['Attention']>(`/admin/resolve/${slug}`, live ? 10 : 60);
  if (resource.error instanceof APIError && resource.error.status === 403)
    return decisions ? (
      <Notice tone="warn">
        <b>{say('decisions', { count: decisions })}</b>
        <p>
          {say('resolve_needs')} <a href={hrefTo(['settings', 'users'])}>{say('users')}</a>
        </p>
      </Notice>
    ) : null;
  return (
    <ResourceView resource={resource}>
      {({ charges }) =>
        charges.length ? (
          <section class="card urgent" aria-labelledby="unclear">
            <header>
              <h2 id="unclear">{say('decisions', { count: charges.length })}</h2>
            </header>
            <div class="in stack">
              <p class="soft">{say('decisions_what')}</p>
              <ul class="rows flush">
                {charges.map((c) => (
                  <UnclearCharge key={c.group} slug={slug} charge={c} />
                ))}
              </ul>
            </div>
          </section>
        ) : null
      }
    </ResourceView>
  );
}

/** A statement that an operator can make about a charge. */
type Statement = Pick<Resolution, 'paymentIntentId' | 'acceptAmount'>;

function UnclearCharge({ slug, charge }: { slug: string; charge: Charge }) {
  const [asking, setAsking] = useState(false);
  const path = `/admin/resolve/${slug}`;
  const submit = async ({ paymentIntentId, acceptAmount }: Statement): Promise<void> => {
    const body: Schema['Statement'] = paymentIntentId
      ? { group: charge.group, paymentIntentId, acceptAmount: acceptAmount ?? false }
      : { group: charge.group, nothingCharged: true };
    const { confirmed } = await change<Schema['Resolved']>(path, body);
    setAsking(false);
    toast(say(confirmed ? 'said_both' : 'said_first'));
    await Promise.all([refresh(path), refresh(statusPath(slug))]);
    refreshPrefix('/admin/summary');
  };
  const pending = charge.resolutions.filter((r) => r.generation === charge.attempt && !r.confirmedAt);
  const other = pending.find((r) => r.statedBy !== session.value?.email);
  return (
    <li class="unclear">
      <div class="grow stack g1">
        <p class="row wrap">
          <b>{money(charge.amount)}</b>
          <Badge>{reasonText(charge.reason ?? '')}</Badge>
          {charge.attempt > 1 ? <span class="small muted">{say('attempt', { n: charge.attempt })}</span> : null}
        </p>
        <p class="small muted row wrap">
          {charge.orderIds.map((id) => (
            <span key={id} class="row">
              <a href={hrefTo(['supporters', slug, id])}>{say('order', { id })}</a>
              <Copy text={id} />
            </span>
          ))}
          <PaymentLink url={charge.paymentUrl} />
        </p>
        {charge.reason === 'amount_differs' ? (
          <p class="small">{say('received', { received: money(charge.receivedAmount ?? 0) })}</p>
        ) : null}
        {charge.differences.map((d) => (
          <p key={d.at} class="small">
            {say('answer_differs', { time: moment(d.at), payment: d.paymentIntentId ?? '—', field: d.field })}
          </p>
        ))}
        {pending.map((r) => (
          <p key={r.statedBy + r.statedAt} class="small">
            {statementText(r)}
          </p>
        ))}
        {pending.length ? null : <p class="small muted">{say('not_checked')}</p>}
      </div>
      {other ? (
        <Button small task={() => submit(other)}>
          {say('confirm_statement')}
        </Button>
      ) : null}
      <button type="button" class="btn sm" onClick={() => setAsking(true)}>
        {say(other ? 'disagree' : 'decide')}…
      </button>
      {asking ? <DecisionDialog charge={charge} submit={submit} close={() => setAsking(false)} /> : null}
    </li>
  );
}

function statementText(r: Resolution): string {
  return say(r.acceptAmount ? 'said_amount' : r.paymentIntentId ? 'said_payment' : 'said_nothing', {
    who: r.statedBy === session.value?.email ? say('you') : r.statedBy,
    time: moment(r.statedAt),
    payment: r.paymentIntentId ?? '',
  });
}

interface DecisionProps {
  readonly charge: Charge;
  readonly submit: (statement: Statement) => Promise<void>;
  readonly close: () => void;
}

function DecisionDialog({ charge, submit, close }: DecisionProps) {
  const [made, setMade] = useState('');
  const [payment, setPayment] = useState('');
  const charged = made === 'payment' || made === 'amount';
  const state = (): Promise<void> =>
    submit(charged ? { paymentIntentId: payment.trim(), acceptAmount: made === 'amount' } : {});
  return (
    <Dialog title={say('was_charged', { amount: money(charge.amount) })} close={close}>
      <Form dialog task={state} submitLabel={say('submit')} disabled={!made}>
        {(errorOf: (field: string) => string) => (
          <>
            <p>{say('decide_what')}</p>
            <Select
              label={say('result')}
              value={made}
              set={setMade}
              choices={[
                ['', say('choose')],
                ['payment', say('was_made')],
                ...(charge.reason === 'amount_differs' ? [['amount', say('was_made_amount')] as const] : []),
                ['none', say('was_not')],
              ]}
            />
            {charged ? (
              <TextField
                label={say('payment')}
                hint={say('payment_help')}
                value={payment}
                set={setPayment}
                required
                max={255}
                error={errorOf('paymentIntentId')}
              />
            ) : null}
          </>
        )}
      </Form>
    </Dialog>
  );
}
