// Charges with an unknown result. Two operators state the result, and Stripe's list of payments
// must confirm it.
import { useState } from 'preact/hooks';
import { APIError, type Schema } from '../../site/scripts/api.ts';
import { change } from '../changes.ts';
import { refresh, useResource } from '../resources.ts';
import { session } from '../session.ts';
import { Badge } from '../ui/badge.tsx';
import { Copy } from '../ui/copy.tsx';
import { Form, Select, TextField } from '../ui/form.tsx';
import { Notice, ResourceView } from '../ui/notice.tsx';
import { moment, money } from '../words.ts';
import { reasonText } from './reasons.ts';
import { statusPath } from './status.ts';
import { say } from './words.ts';

type Charge = Schema['Charge'];

export function Charges({ slug, live }: { slug: string; live: boolean }) {
  const resource = useResource<Schema['Attention']>(`/admin/resolve/${slug}`, live ? 10 : 60);
  if (resource.error instanceof APIError && resource.error.status === 403)
    return <p class="small">{say('resolve_needs')}</p>;
  return (
    <ResourceView resource={resource}>
      {({ charges }) =>
        charges.length ? (
          <section>
            <h2>{say('attention', { count: charges.length })}</h2>
            <p>{say('attention_what')}</p>
            {charges.map((c) => (
              <UnclearCharge key={c.group} slug={slug} charge={c} />
            ))}
          </section>
        ) : null
      }
    </ResourceView>
  );
}

function UnclearCharge({ slug, charge }: { slug: string; charge: Charge }) {
  const [made, setMade] = useState('');
  const [payment, setPayment] = useState('');
  const [first, setFirst] = useState(false);
  const path = `/admin/resolve/${slug}`;
  const submit = async (): Promise<void> => {
    const body: Schema['Statement'] =
      made === 'none'
        ? { group: charge.group, nothingCharged: true }
        : { group: charge.group, paymentIntentId: payment.trim(), acceptAmount: made === 'amount' };
    const { confirmed } = await change<Schema['Resolved']>(path, body);
    setFirst(!confirmed);
    await Promise.all([refresh(path), refresh(statusPath(slug))]);
  };
  const statements = charge.resolutions.filter((r) => r.generation === charge.attempt && !r.confirmedAt);
  return (
    <article class="card unclear">
      <div class="row">
        <strong>{money(charge.amount)}</strong>
        <Badge tone="bad">{reasonText(charge.reason ?? '')}</Badge>
        <span class="small">{say('attempt', { n: charge.attempt })}</span>
      </div>
      {charge.reason === 'amount_differs' ? (
        <p>{say('received', { received: money(charge.receivedAmount ?? 0) })}</p>
      ) : null}
      {charge.differences.map((d) => (
        <p key={d.at} class="small">
          {say('answer_differs', { time: moment(d.at), payment: d.paymentIntentId ?? '—', field: d.field })}
        </p>
      ))}
      <p class="small">
        {charge.orderIds.map((id) => (
          <span key={id}>
            {id} <Copy text={id} />{' '}
          </span>
        ))}
      </p>
      {statements.map((r) => (
        <Notice key={r.statedBy + r.statedAt} tone="warn">
          {say(r.acceptAmount ? 'said_amount' : r.paymentIntentId ? 'said_payment' : 'said_nothing', {
            who: r.statedBy === session.value?.email ? say('you') : r.statedBy,
            time: moment(r.statedAt),
            payment: r.paymentIntentId ?? '',
          })}
        </Notice>
      ))}
      {first ? <Notice tone="good">{say('said_first')}</Notice> : null}
      <Form task={submit} submitLabel={say('state')} quiet disabled={!made}>
        {(errorOf: (field: string) => string) => (
          <>
            <Select
              label={say('became')}
              value={made}
              set={setMade}
              choices={[
                ['', say('choose')],
                ['payment', say('was_made')],
                ...(charge.reason === 'amount_differs' ? [['amount', say('was_made_amount')] as const] : []),
                ['none', say('was_not')],
              ]}
            />
            {made === 'payment' || made === 'amount' ? (
              <TextField
                label={say('payment')}
                help={say('payment_help')}
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
    </article>
  );
}
