// Cards that will fail after the deadline, and failed payments.
import { CreditCard, Mail } from 'lucide-preact';
import { useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { getWithSession } from '../../site/scripts/operator.ts';
import { change } from '../changes.ts';
import { query, refresh } from '../resources.ts';
import { hrefTo } from '../router.ts';
import { hasPermission, isSuperAdmin } from '../session.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Dialog, DialogBody } from '../ui/dialog.tsx';
import { Form } from '../ui/form.tsx';
import { Icon } from '../ui/icon.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { toast } from '../ui/toast.tsx';
import { ago, count, longDay, moment, money } from '../words.ts';
import { Cancel } from './cancel.tsx';
import { say } from './cardwords.ts';
import type { Summary } from './summary.ts';

type Health = Schema['PledgeHealth'];
type Finding = Health['findings'][number];

const pageSize = 50; // pledges

/**
 * Reads every card from the payment processor and stores the result, which becomes part of the
 * summary.
 */
async function checkCards(slug: string): Promise<void> {
  for (let cursor = '', more = true; more; more = cursor !== '') {
    const page = await change<Schema['CardsChecked']>(`/admin/pledge-health/${slug}/check`, {
      cursor,
      limit: pageSize,
    } satisfies Schema['CardCheckRequest']);
    cursor = page.next;
  }
  await refresh('/admin/summary');
}

export function CardsAtRisk({ campaign: c }: { campaign: Summary }) {
  const [open, setOpen] = useState<'' | 'ask' | 'list'>('');
  const check = c.cardCheck;
  return (
    <Card
      title={say('cards')}
      aside={check?.atRiskCharges ? <Badge tone="warn">{count(check.atRiskCharges)}</Badge> : null}
    >
      <div class="stack g3">
        <div class="stack g3" role="status">
          {check ? (
            <p class="soft">
              {check.atRiskCharges
                ? say('at_risk', {
                    count: check.atRiskCharges,
                    day: longDay(c.chargesAt ?? check.checkedAt),
                    sum: money(check.atRiskAmount),
                  })
                : say('all_fine', { total: check.charges })}
            </p>
          ) : (
            <p class="soft">{say('not_checked')}</p>
          )}
        </div>
        <div class="row wrap">
          {check?.askable && hasPermission('mails') ? (
            <button type="button" class="btn primary" onClick={() => setOpen('ask')}>
              <Icon of={Mail} />
              {say('ask', { count: check.askable })}
            </button>
          ) : null}
          <Button task={() => checkCards(c.campaignSlug)}>{say(check ? 'check_again' : 'check')}</Button>
          {check?.atRiskCharges ? (
            <button type="button" class="btn plain" onClick={() => setOpen('list')}>
              {say('see_who')}
            </button>
          ) : null}
        </div>
        {check ? (
          <p class="tiny muted">
            {say('checked', { time: ago(check.checkedAt) })} {say('once')}
          </p>
        ) : null}
      </div>
      {open === 'ask' ? <AskDialog campaign={c} close={() => setOpen('')} /> : null}
      {open === 'list' ? <ListDialog campaign={c} close={() => setOpen('')} /> : null}
    </Card>
  );
}

/** Asks for confirmation before the supporters of these cards are emailed. */
function AskDialog({ campaign: { campaignSlug: slug, cardCheck }, close }: { campaign: Summary; close: () => void }) {
  const supporters = cardCheck?.askable ?? 0;
  const ask = async (): Promise<void> => {
    let asked = 0;
    for (let cursor = '', more = true; more; more = cursor !== '') {
      const page = await change<Schema['CardsAsked']>(`/admin/pledge-health/${slug}/ask`, {
        dryRun: false,
        cursor,
        limit: pageSize,
      } satisfies Schema['AskForCards']);
      asked += page.asked;
      cursor = page.next;
    }
    await checkCards(slug);
    close();
    toast(say('asked', { count: asked }));
  };
  return (
    <Dialog title={say('ask_title', { count: supporters })} close={close}>
      <Form dialog task={ask} submitLabel={say('ask', { count: supporters })} actions={<Cancel close={close} />}>
        <p>{say('ask_what')}</p>
      </Form>
    </Dialog>
  );
}

function ListDialog({ campaign: { campaignSlug: slug }, close }: { campaign: Summary; close: () => void }) {
  const [found, setFound] = useState<readonly Finding[]>();
  const load = async (): Promise<void> => {
    const all: Finding[] = [];
    for (let cursor = '', more = true; more; more = cursor !== '') {
      const page = await getWithSession<Health>(query(`/admin/pledge-health/${slug}`, { limit: pageSize, cursor }));
      all.push(...page.findings);
      cursor = page.next;
    }
    setFound(all);
  };
  return (
    <Dialog title={say('cards')} close={close} wide>
      {found ? (
        <Table name="cards" caption={say('cards')} columns={columns} rows={found} id={(f) => f.orderIds.join()} />
      ) : (
        <DialogBody>
          <p>{say('list_what')}</p>
          <Button kind="primary" task={load}>
            {say('list_load')}
          </Button>
        </DialogBody>
      )}
    </Dialog>
  );
}

const columns: readonly Column<Finding>[] = [
  { key: 'email', name: say('supporter'), sortKey: (f) => f.email, cell: (f) => f.email },
  { key: 'amount', name: say('amount'), number: true, sortKey: (f) => f.amount, cell: (f) => money(f.amount) },
  {
    key: 'why',
    name: say('problem'),
    cell: (f) =>
      f.troubles.map((t) => (
        <Badge key={t} tone="warn">
          {say(`trouble_${t}`)}
        </Badge>
      )),
  },
  { key: 'asked', name: say('emailed'), sortKey: (f) => Number(f.asked), cell: (f) => say(f.asked ? 'yes' : 'no') },
];

/** Payments that failed and can still be recovered, with the last day. */
export function FailedPayments({ campaign: c }: { campaign: Summary }) {
  const failed = c.repairable;
  if (!failed?.pledges) return null;
  return (
    <Card title={say('failed')} aside={<Badge tone="warn">{count(failed.pledges)}</Badge>}>
      <div class="stack g3">
        <p class="soft">{say('failed_what', { count: failed.pledges, sum: money(failed.amount) })}</p>
        {failed.until ? <p class="small muted">{say('failed_until', { time: moment(failed.until) })}</p> : null}
        {isSuperAdmin() ? (
          <div class="row">
            <a class="btn" href={hrefTo(['campaigns', c.campaignSlug, 'settlement'])}>
              <Icon of={CreditCard} />
              {say('see_failed')}
            </a>
          </div>
        ) : null}
      </div>
    </Card>
  );
}
