// Failed payments that can still be recovered, and reminders to their supporters.
import { Mail } from 'lucide-preact';
import { useMemo, useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { change } from '../changes.ts';
import { query, refreshPrefix, useResource } from '../resources.ts';
import { hrefTo } from '../router.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Form } from '../ui/form.tsx';
import { Icon } from '../ui/icon.tsx';
import { ResourceView, UserError } from '../ui/notice.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { toast } from '../ui/toast.tsx';
import { ago, moment, money } from '../words.ts';
import { PaymentLink } from './paymentlink.tsx';
import { reasonText } from './reasons.ts';
import { statusPath } from './status.ts';
import { say } from './words.ts';

type Failure = Schema['Failures']['failures'][number];

/**
 * Reminds the supporter of an order, or all supporters with a failed payment, or counts them in a
 * dry run. Returns the number of emails.
 */
async function remind(slug: string, orderId: string, dryRun: boolean): Promise<number> {
  let reminded = 0;
  for (let cursor = '', more = true; more; more = cursor !== '') {
    const page = await change<Schema['Reminded']>(`${statusPath(slug)}/remind`, {
      ...(orderId ? { orderId } : { cursor }),
      dryRun,
    } satisfies Schema['RemindRequest']);
    reminded += page.reminded;
    cursor = page.next;
  }
  if (!dryRun) refreshPrefix(`${statusPath(slug)}/failures`);
  return reminded;
}

export function Failures({ slug, live }: { slug: string; live: boolean }) {
  const [pages, setPages] = useState<readonly string[]>(['']);
  const cursor = pages.at(-1) ?? '';
  const resource = useResource<Schema['Failures']>(query(`${statusPath(slug)}/failures`, { cursor }), live ? 15 : 120);
  const failures = resource.value?.failures ?? [];
  const columns = useMemo(() => columnsOf(slug), [slug]);
  return (
    <Card
      flush
      title={say('failures')}
      aside={live && failures.length ? <span class="small muted">{say('failures_emailed')}</span> : null}
      footer={
        failures.length ? (
          <>
            <span class="small muted">{say('failures_what')}</span>
            <RemindAll slug={slug} />
          </>
        ) : null
      }
    >
      <ResourceView resource={resource}>
        {({ next }) => (
          <>
            <Table
              name="failures"
              caption={say('failures')}
              empty={say('no_failures')}
              rows={failures}
              id={(f) => f.orderIds.join()}
              filterText={(f) => `${f.email} ${f.orderIds.join(' ')}`}
              columns={columns}
            />
            {pages.length > 1 || next ? (
              <div class="row wrap table-foot">
                {pages.length > 1 ? (
                  <button type="button" class="btn sm" onClick={() => setPages(pages.slice(0, -1))}>
                    {say('back')}
                  </button>
                ) : null}
                {next ? (
                  <button type="button" class="btn sm" onClick={() => setPages([...pages, next])}>
                    {say('next')}
                  </button>
                ) : null}
              </div>
            ) : null}
          </>
        )}
      </ResourceView>
    </Card>
  );
}

/** The button that reminds everyone with a failed payment. It counts them first. */
function RemindAll({ slug }: { slug: string }) {
  const [count, setCount] = useState(0);
  const ask = async (): Promise<void> => {
    const found = await remind(slug, '', true);
    if (found) setCount(found);
    else toast(say('remind_none'));
  };
  const send = async (): Promise<void> => {
    const sent = await remind(slug, '', false);
    setCount(0);
    toast(say('reminded_n', { count: sent }));
  };
  return (
    <div class="push">
      <Button small task={ask}>
        <Icon of={Mail} small />
        {say('remind_all')}…
      </Button>
      {count ? (
        <Dialog title={say('remind_title', { count })} close={() => setCount(0)}>
          <Form dialog task={send} submitLabel={say('remind_go', { count })}>
            <p>{say('remind_what')}</p>
          </Form>
        </Dialog>
      ) : null}
    </div>
  );
}

/** The button that reminds one supporter. Afterwards it shows when the reminder was sent. */
function Remind({ slug, failure: f }: { slug: string; failure: Failure }) {
  if (!f.remindable && !f.remindedAt) return null;
  const send = async (): Promise<void> => {
    const sent = await remind(slug, f.orderIds[0] ?? '', false);
    if (!sent) throw new UserError(say('remind_none'));
    toast(say('reminded_n', { count: sent }));
  };
  const text = f.remindedAt ? say('reminded', { ago: ago(f.remindedAt) }) : say('remind');
  return (
    <Button small label={`${text}: ${f.email}`} disabled={f.remindedAt ? say('remind_once') : false} task={send}>
      {text}
    </Button>
  );
}

const columnsOf = (slug: string): readonly Column<Failure>[] => [
  {
    key: 'email',
    name: say('supporter'),
    sortKey: (f) => f.email,
    cell: (f) => <a href={hrefTo(['supporters', slug, f.orderIds[0] ?? ''])}>{f.email || f.orderIds[0]}</a>,
  },
  { key: 'amount', name: say('total'), number: true, sortKey: (f) => f.amount, cell: (f) => money(f.amount) },
  {
    key: 'why',
    name: say('reason_column'),
    sortKey: (f) => f.declineCode || f.code,
    cell: (f) => (
      <>
        {reasonText(f.declineCode || f.code)}
        {f.attempts > 1 ? <span class="small muted"> {say('attempts', { count: f.attempts })}</span> : null}
        <PaymentLink url={f.paymentUrl} />
      </>
    ),
  },
  {
    key: 'step',
    name: say('next_step'),
    sortKey: (f) => f.recovery.lane,
    cell: (f) => say(`step_${f.recovery.lane}`, { time: f.recovery.retryAt ? moment(f.recovery.retryAt) : '' }),
  },
  {
    key: 'until',
    name: say('until'),
    sortKey: (f) => f.recovery.until,
    cell: (f) => (
      <>
        {moment(f.recovery.until)} <span class="small muted nowrap">{ago(f.recovery.until)}</span>
      </>
    ),
  },
  { key: 'remind', name: say('reminder'), cell: (f) => <Remind slug={slug} failure={f} /> },
];
