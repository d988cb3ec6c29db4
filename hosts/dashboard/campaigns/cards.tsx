// Finds pledges whose charge would fail after the deadline and asks their supporters for another
// card. It runs only on request, because it reads each card from Stripe.
import { useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { getWithSession } from '../../site/scripts/operator.ts';
import { change } from '../changes.ts';
import { query } from '../resources.ts';
import { hasPermission } from '../session.ts';
import { Badge, KeyFigures } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { count, money } from '../words.ts';
import type { Summary } from './summary.ts';
import { say } from './words.ts';

type Health = Schema['PledgeHealth'];
type Finding = Health['findings'][number];

interface CardReport {
  readonly charges: number;
  readonly amount: number;
  readonly atRisk: number;
  readonly findings: readonly Finding[];
  readonly whole: boolean;
}

const emptyReport: CardReport = { charges: 0, amount: 0, atRisk: 0, findings: [], whole: false };

export default function Cards({ campaign }: { campaign: Summary }) {
  const [seen, setSeen] = useState<CardReport>(emptyReport);
  const checkCards = async (): Promise<void> => {
    let all = emptyReport;
    for (let next = ''; !all.whole; ) {
      const page = await getWithSession<Health>(
        query(`/admin/pledge-health/${campaign.campaignSlug}`, { limit: 50, cursor: next }),
      );
      next = page.next;
      all = {
        charges: all.charges + page.charges,
        amount: all.amount + page.amount,
        atRisk: all.atRisk + page.atRiskAmount,
        findings: [...all.findings, ...page.findings],
        whole: !next,
      };
      setSeen(all);
    }
  };
  return (
    <section>
      <h2>{say('cards')}</h2>
      <p>{say('cards_what')}</p>
      <Button quiet task={checkCards}>
        {say('cards_look')}
      </Button>
      {seen.charges ? (
        <>
          <div role="status">
            <KeyFigures
              figures={[
                [say('charges'), count(seen.charges), seen.whole ? '' : '…'],
                [say('at_risk'), money(seen.atRisk), say('of_sum', { sum: money(seen.amount) })],
                [say('findings'), count(seen.findings.length)],
              ]}
            />
          </div>
          {seen.whole && !seen.findings.length ? <Notice tone="good">{say('cards_fine')}</Notice> : null}
          {seen.findings.length ? (
            <Table
              name="cards"
              caption={say('findings')}
              columns={columns}
              rows={seen.findings}
              id={(f) => f.orderIds.join()}
              filterText={(f) => f.email}
            />
          ) : null}
          {seen.findings.length && seen.whole && hasPermission('mails') ? (
            <AskForCards slug={campaign.campaignSlug} />
          ) : null}
        </>
      ) : null}
    </section>
  );
}

const columns: readonly Column<Finding>[] = [
  { key: 'email', name: say('supporter'), sortKey: (f) => f.email, cell: (f) => f.email },
  { key: 'amount', name: say('amount'), number: true, sortKey: (f) => f.amount, cell: (f) => money(f.amount) },
  {
    key: 'why',
    name: say('why'),
    cell: (f) =>
      f.troubles.map((t) => (
        <Badge key={t} tone="warn">
          {say(`trouble_${t}`)}
        </Badge>
      )),
  },
  { key: 'asked', name: say('asked'), sortKey: (f) => Number(f.asked), cell: (f) => (f.asked ? say('yes') : '—') },
];

function AskForCards({ slug }: { slug: string }) {
  const [would, setWould] = useState<number | null>(null);
  const [done, setDone] = useState<number | null>(null);
  const ask = async (dryRun: boolean): Promise<number> => {
    let asked = 0;
    for (let next = '', more = true; more; more = next !== '') {
      const page = await change<Schema['CardsAsked']>(`/admin/pledge-health/${slug}/ask`, {
        dryRun,
        cursor: next,
        limit: 50,
      } satisfies Schema['AskForCards']);
      asked += page.asked;
      next = page.next;
    }
    return asked;
  };
  if (done !== null) return <Notice tone="good">{say('asked_done', { count: done })}</Notice>;
  if (would === null)
    return (
      <Button quiet task={async () => setWould(await ask(true))}>
        {say('ask_count')}
      </Button>
    );
  if (!would) return <p>{say('ask_none')}</p>;
  return <Button task={async () => setDone(await ask(false))}>{say('ask', { count: would })}</Button>;
}
