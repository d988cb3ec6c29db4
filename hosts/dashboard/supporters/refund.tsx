// The refunds of a charged pledge, and the dialog that makes another one.
import { useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { change, newChangeID } from '../changes.ts';
import { formatCents, parseCents } from '../fields/parse.ts';
import { hasPermissions } from '../session.ts';
import { Badge, type Tone } from '../ui/badge.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Checkbox, Form, LabelledField } from '../ui/form.tsx';
import { ErrorMessage } from '../ui/notice.tsx';
import { Segments } from '../ui/segments.tsx';
import { toast } from '../ui/toast.tsx';
import { usePosted } from '../useposted.ts';
import { moment, money } from '../words.ts';
import { type Grounds, RefundGrounds } from './refundreason.tsx';
import { say } from './refundwords.ts';

type Pledge = Schema['SupporterTimeline']['pledges'][number];
type Request = Schema['RefundRequest'];
type Choice = Request['choice'];

interface Props {
  readonly slug: string;
  readonly pledge: Pledge;
  readonly reload: () => Promise<void>;
}

export function Refunds({ slug, pledge, reload }: Props) {
  const [open, setOpen] = useState(false);
  const mayRefund = pledge.canRefund && hasPermissions(['refunds', 'money']);
  return (
    <>
      {pledge.refunds?.length ? (
        <ul class="stack g1 small" aria-label={say('refunds')}>
          {pledge.refunds.map((r) => (
            <li key={r.id} class="row between top">
              <span>
                {say('refund_on', { time: moment(r.at) })}{' '}
                <Badge tone={tones[r.status]}>{say(`status_${r.status}`)}</Badge>
              </span>
              <span class="nowrap">{money(-r.amount)}</span>
            </li>
          ))}
        </ul>
      ) : null}
      {mayRefund ? (
        <div>
          <button type="button" class="btn sm" onClick={() => setOpen(true)}>
            {say('refund')}…
          </button>
        </div>
      ) : null}
      {open ? <RefundDialog slug={slug} pledge={pledge} reload={reload} close={() => setOpen(false)} /> : null}
    </>
  );
}

const tones: Readonly<Record<NonNullable<Pledge['refunds']>[number]['status'], Tone>> = {
  pending: 'info',
  succeeded: 'good',
  failed: 'bad',
  repaid: 'good',
  ended: '',
};

const reasons = ['requested', 'undelivered', 'damaged', 'mistake', 'other'] as const;

type Kind = 'all' | 'amount' | 'units';

/** What the operator has entered. */
interface Draft {
  readonly kind: Kind;
  readonly amount: string;
  readonly units: Readonly<Record<number, number>>;
  readonly shipping: boolean;
  readonly tip: boolean;
}

/** Returns the choice to quote, or null while nothing is chosen. */
function choiceOf(draft: Draft): Choice | null {
  const tip = draft.tip;
  if (draft.kind === 'all') return { all: true, tip };
  if (draft.kind === 'amount') {
    const amount = parseCents(draft.amount);
    return typeof amount === 'number' && amount > 0 ? { amount, tip } : null;
  }
  const units = Object.entries(draft.units).flatMap(([line, quantity]) =>
    quantity > 0 ? [{ line: Number(line), quantity }] : [],
  );
  return units.length ? { units, shipping: draft.shipping, tip } : null;
}

function RefundDialog({ slug, pledge, reload, close }: Props & { readonly close: () => void }) {
  const [draft, setDraft] = useState<Draft>({ kind: 'all', amount: '', units: {}, shipping: false, tip: true });
  const [grounds, setGrounds] = useState<Grounds>({ reason: 'requested', message: '' });
  const [id] = useState(newChangeID);
  const set = (part: Partial<Draft>): void => setDraft({ ...draft, ...part });
  const choice = choiceOf(draft);
  const request = choice && ({ orderId: pledge.orderId, choice, reason: grounds.reason } satisfies Request);
  const quote = usePosted<Schema['RefundQuote']>(`/admin/refunds/${slug}/quote`, request, 300);
  const known = quote.error || quote.busy ? undefined : quote.value;
  const refund = async (): Promise<void> => {
    const made = await change<Schema['RefundRecord']>(`/admin/refunds/${slug}`, {
      ...request,
      id,
      message: grounds.message,
    });
    close();
    await reload();
    toast(say(made.status === 'waiting' ? 'waits' : made.status === 'succeeded' ? 'done' : 'sent'));
  };
  return (
    <Dialog title={say('title')} close={close}>
      <Form
        dialog
        task={refund}
        disabled={!known}
        submitLabel={known ? say('submit', { sum: money(known.amount) }) : say('refund')}
      >
        {(errorOf: (field: string) => string) => (
          <>
            <Segments
              name={say('what')}
              value={draft.kind}
              set={(kind) => set({ kind })}
              choices={[
                ['all', say('all')],
                ['units', say('units')],
                ['amount', say('amount')],
              ]}
            />
            {draft.kind === 'amount' ? (
              <LabelledField label={say('amount')} error={errorOf('amount')}>
                {(a) => (
                  <input
                    {...a}
                    class="input w-m"
                    inputMode="decimal"
                    autocomplete="off"
                    value={draft.amount}
                    onInput={(e) => set({ amount: e.currentTarget.value })}
                    onBlur={() => set({ amount: formatCents(parseCents(draft.amount)) })}
                  />
                )}
              </LabelledField>
            ) : null}
            {draft.kind === 'units' ? <Units pledge={pledge} draft={draft} set={set} /> : null}
            {pledge.totals?.tipAmount ? (
              <Checkbox label={say('with_tip')} on={draft.tip} set={(tip) => set({ tip })} />
            ) : null}
            <RefundGrounds value={grounds} set={setGrounds} reasons={reasons} errorOf={errorOf} />
            <div role="status" class="stack g1">
              {quote.error ? <ErrorMessage error={quote.error} focus={false} /> : null}
              {known ? <Parts quote={known} /> : null}
            </div>
          </>
        )}
      </Form>
    </Dialog>
  );
}

/** The items of a pledge, with the number of units to refund. */
function Units({ pledge, draft, set }: { pledge: Pledge; draft: Draft; set: (part: Partial<Draft>) => void }) {
  const lines = pledge.items.flatMap((item, line) =>
    item.kind === 'shipping' || item.kind === 'tip' ? [] : [{ item, line }],
  );
  return (
    <fieldset class="stack g2">
      <legend class="label">{say('units')}</legend>
      {lines.map(({ item, line }) => (
        <label key={line} class="row between">
          <span>{item.variantName ? `${item.name}, ${item.variantName}` : item.name}</span>
          <select
            class="select"
            value={draft.units[line] ?? 0}
            onChange={(e) => set({ units: { ...draft.units, [line]: Number(e.currentTarget.value) } })}
          >
            {Array.from({ length: item.quantity + 1 }, (_, n) => (
              <option key={n} value={n}>
                {say('of_units', { n, quantity: item.quantity })}
              </option>
            ))}
          </select>
        </label>
      ))}
      {pledge.totals?.shipping ? (
        <Checkbox label={say('with_shipping')} on={draft.shipping} set={(shipping) => set({ shipping })} />
      ) : null}
    </fieldset>
  );
}

/** What a refund takes, by component, and what remains. */
function Parts({ quote }: { quote: Schema['RefundQuote'] }) {
  const { pledges = 0, addOns = 0, shipping = 0, tax = 0, tips = 0 } = quote.parts;
  const rows = [
    [say('part_items'), pledges + addOns],
    [say('part_shipping'), shipping],
    [say('part_tax'), tax],
    [say('part_tip'), tips],
  ] as const;
  return (
    <>
      <ul class="stack g1 small">
        {rows
          .filter(([, cents]) => cents)
          .map(([name, cents]) => (
            <li key={name} class="row between soft">
              <span>{name}</span>
              <span>{money(cents)}</span>
            </li>
          ))}
        <li class="row between total">
          <b>{say('part_total')}</b>
          <b>{money(quote.amount)}</b>
        </li>
      </ul>
      <p class="small muted">{say('fee_kept')}</p>
      {quote.second ? <p class="small">{say('second')}</p> : null}
    </>
  );
}
