// Refunds that wait for a person: those above the limit, those that came back, and those without an
// answer of the processor.
import { useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { change } from '../changes.ts';
import { query, refresh, useResource } from '../resources.ts';
import { hrefTo } from '../router.ts';
import { hasPermissions, session } from '../session.ts';
import { Card } from '../ui/card.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Form } from '../ui/form.tsx';
import { moment, money } from '../words.ts';
import { say } from './refundwords.ts';

type Refund = Schema['RefundRecord'];
type Act = 'confirm' | 'withdraw' | 'repaid';

export function OpenRefunds({ slug }: { slug: string }) {
  const path = hasPermissions(['money']) ? query(`/admin/refunds/${slug}`, { attention: 'true' }) : '';
  const open = useResource<Schema['Refunds']>(path, 60).value;
  if (!open?.refunds.length) return null;
  return (
    <Card title={say('title')} hint={say('hint')}>
      <ul class="rows flush">
        {open.refunds.map((r) => (
          <OpenRefund key={r.id} slug={slug} refund={r} reload={() => refresh(path)} />
        ))}
      </ul>
    </Card>
  );
}

interface Props {
  readonly slug: string;
  readonly refund: Refund;
  readonly reload: () => Promise<void>;
}

const operatorName = (operator: string): string => (operator === session.value?.email ? say('you') : operator);

function OpenRefund({ slug, refund: r, reload }: Props) {
  const [asking, setAsking] = useState<Act | null>(null);
  const sum = money(r.amount);
  const act = async (): Promise<void> => {
    await change<Refund>(`/admin/refunds/${slug}/${asking}`, { id: r.id } satisfies Schema['RefundRef']);
    setAsking(null);
    await reload();
  };
  return (
    <li class="unclear">
      <div class="grow stack g1">
        <p>
          {r.parts.map((p) => (
            <a key={p.orderId} href={hrefTo(['supporters', slug, p.orderId])}>
              {say('order', { id: p.orderId })}
            </a>
          ))}
        </p>
        <p>{explanation(r)}</p>
        {r.repaidBy ? <p class="small">{say('repaid_stated', { who: operatorName(r.repaidBy) })}</p> : null}
      </div>
      {hasPermissions(['refunds'])
        ? actsFor(r).map((a) => (
            <button key={a} type="button" class="btn sm" onClick={() => setAsking(a)}>
              {say(a)}…
            </button>
          ))
        : null}
      {asking ? (
        <Dialog title={say(`${asking}_title`, { sum })} close={() => setAsking(null)}>
          <Form dialog task={act} submitLabel={say(asking)}>
            <p>{say(`${asking}_hint`)}</p>
          </Form>
        </Dialog>
      ) : null}
    </li>
  );
}

function explanation(r: Refund): string {
  const sum = money(r.amount);
  if (r.status === 'waiting') return say('waiting', { sum, who: operatorName(r.grantedBy), time: moment(r.grantedAt) });
  if (r.status === 'failed') return say('failed', { sum, time: moment(r.settledAt ?? r.grantedAt) });
  return say('unanswered', { sum });
}

/** Returns what an operator can do about a refund. */
function actsFor(r: Refund): readonly Act[] {
  const me = session.value?.email;
  if (r.status === 'waiting') return r.grantedBy === me ? ['withdraw'] : ['confirm', 'withdraw'];
  if (r.status === 'failed') return r.repaidBy === me ? [] : ['repaid'];
  return ['withdraw'];
}
