// Charges of which nobody knows what became of them: two operators say it, and the
// processor's list has to bear them out.
import { useState } from 'preact/hooks';
import { Refused, type Schema } from '../../site/scripts/api.ts';
import { change } from '../changing.ts';
import { refresh, useReading } from '../reading.ts';
import { session } from '../session.ts';
import { Badge } from '../ui/badge.tsx';
import { Copy } from '../ui/copy.tsx';
import { Choice, Form, Text } from '../ui/form.tsx';
import { Note, Shown } from '../ui/notice.tsx';
import { money, moment } from '../words.ts';
import { reasonOf } from './reasons.ts';
import { standingOf } from './settlement.tsx';
import { say } from './words.ts';

type Charge = Schema['Charge'];

export function Charges({ slug, live }: { slug: string; live: boolean }) {
  const reading = useReading<Schema['Attention']>(`/admin/resolve/${slug}`, live ? 10 : 60);
  if (reading.error instanceof Refused && reading.error.status === 403) return <p class="small">{say('resolve_needs')}</p>;
  return (
    <Shown reading={reading}>
      {({ charges }) => charges.length ? (
        <section>
          <h2>{say('attention', { count: charges.length })}</h2>
          <p>{say('attention_what')}</p>
          {charges.map((c) => <Unclear key={c.group} slug={slug} charge={c} />)}
        </section>
      ) : null}
    </Shown>
  );
}

function Unclear({ slug, charge }: { slug: string; charge: Charge }) {
  const [made, setMade] = useState('');
  const [payment, setPayment] = useState('');
  const [first, setFirst] = useState(false);
  const path = `/admin/resolve/${slug}`;
  const state = async (): Promise<void> => {
    const body: Schema['Statement'] = made === 'none' ? { group: charge.group, nothingCharged: true } : { group: charge.group, paymentIntentId: payment.trim(), acceptAmount: made === 'amount' };
    const { confirmed } = await change<Schema['Resolved']>(path, body);
    setFirst(!confirmed);
    await Promise.all([refresh(path), refresh(standingOf(slug))]);
  };
  const said = charge.resolutions.filter((r) => r.generation === charge.attempt && !r.confirmedAt);
  return (
    <article class="card unclear">
      <div class="row"><strong>{money(charge.amount)}</strong><Badge tone="bad">{reasonOf(charge.reason ?? '')}</Badge><span class="small">{say('attempt', { n: charge.attempt })}</span></div>
      {charge.reason === 'amount_differs' ? <p>{say('received', { received: money(charge.receivedAmount ?? 0) })}</p> : null}
      {charge.differences.map((d) => <p key={d.at} class="small">{say('answer_differs', { time: moment(d.at), payment: d.paymentIntentId ?? '—', field: d.field })}</p>)}
      <p class="small">{charge.orderIds.map((id) => <span key={id}>{id} <Copy text={id} /> </span>)}</p>
      {said.map((r) => (
        <Note key={r.statedBy + r.statedAt} tone="warn">
          {say(r.acceptAmount ? 'said_amount' : r.paymentIntentId ? 'said_payment' : 'said_nothing', { who: r.statedBy === session.value?.email ? say('you') : r.statedBy, time: moment(r.statedAt), payment: r.paymentIntentId ?? '' })}
        </Note>
      ))}
      {first ? <Note tone="good">{say('said_first')}</Note> : null}
      <Form task={state} send={say('state')} quiet disabled={!made}>
        {(wrong: (field: string) => string) => (
          <>
            <Choice label={say('became')} value={made} set={setMade} choices={[['', say('choose')], ['payment', say('was_made')], ...(charge.reason === 'amount_differs' ? [['amount', say('was_made_amount')] as const] : []), ['none', say('was_not')]]} />
            {made === 'payment' || made === 'amount' ? <Text label={say('payment')} help={say('payment_help')} value={payment} set={setPayment} required max={255} wrong={wrong('paymentIntentId')} /> : null}
          </>
        )}
      </Form>
    </article>
  );
}
