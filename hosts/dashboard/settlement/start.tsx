// To see what a settlement would charge, and to start it.
import { useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { change } from '../changing.ts';
import { refresh, stale } from '../reading.ts';
import { Figures } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Copy } from '../ui/copy.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Form } from '../ui/form.tsx';
import { Table } from '../ui/table.tsx';
import { count, money } from '../words.ts';
import { Stop } from './holds.tsx';
import { reasonOf } from './reasons.ts';
import { standingOf, type Standing } from './settlement.tsx';
import { say } from './words.ts';

type Preview = Extract<Schema['SettleReport'], { supporterCount: number }>;

const shown = 100; // supporters of a preview

export function Start({ of }: { of: Standing }) {
  const [preview, setPreview] = useState<Preview | null>(null);
  const [asking, setAsking] = useState(false);
  const slug = of.campaignSlug;
  const look = async (): Promise<Preview> => {
    const report = await change<Preview>(`/admin/settle/${slug}`, { dryRun: true } satisfies Schema['SettleRequest']);
    setPreview(report);
    return report;
  };
  const start = async (): Promise<void> => {
    await change(`/admin/settle-dispatch/${slug}`, {});
    setAsking(false);
    setPreview(null);
    await refresh(standingOf(slug));
    stale('/admin/summary');
  };
  return (
    <section aria-label={say('start')}>
      <div class="row">
        <Button quiet task={look}>{say('look')}</Button>
        <Button disabled={of.working} task={async () => { await look(); setAsking(true); }}>{of.begun ? say('again') : say('start')}…</Button>
      </div>
      {preview ? <Looked at={preview} /> : null}
      <Stop />
      {asking && preview ? (
        <Dialog title={preview.supporterCount ? say('start_title', { count: preview.supporterCount, amount: money(preview.totalAmount) }) : say('start_none')} close={() => setAsking(false)}>
          <p>{say('start_what')}</p>
          <Form task={start} send={preview.supporterCount ? say('start_go', { amount: money(preview.totalAmount) }) : say('start_check')} />
        </Dialog>
      ) : null}
    </section>
  );
}

function Looked({ at }: { at: Preview }) {
  return (
    <>
      <h2>{say('preview')}</h2>
      <Figures of={[[say('supporters'), count(at.supporterCount)], [say('pledges'), count(at.pledgeCount)], [say('total'), money(at.totalAmount)], [say('no_card'), count(at.skippedNoCustomer)]]} />
      {at.supporters.length ? (
        <Table name="preview" caption={say('preview')} rows={at.supporters.slice(0, shown)} id={(s) => s.orderIds.join()} text={(s) => s.email} columns={[
          { key: 'email', name: say('supporter'), by: (s) => s.email, cell: (s) => s.email },
          { key: 'pledges', name: say('pledges'), number: true, by: (s) => s.pledgeCount, cell: (s) => s.pledgeCount },
          { key: 'amount', name: say('amount'), number: true, by: (s) => s.totalAmount, cell: (s) => money(s.totalAmount) },
        ]} />
      ) : null}
      {at.supporters.length > shown ? <p class="small">{say('first', { shown, count: at.supporters.length })}</p> : null}
      {at.skipped.length ? (
        <>
          <h3>{say('skipped')}</h3>
          <Table name="skipped" caption={say('skipped')} rows={at.skipped.slice(0, shown)} id={(d) => d.orderIds.join()} columns={[
            { key: 'who', name: say('supporter'), by: (d) => d.email ?? '', cell: (d) => d.email ?? <>{d.orderIds[0]} <Copy text={d.orderIds.join(' ')} /></> },
            { key: 'why', name: say('why'), by: (d) => d.reason ?? '', cell: (d) => reasonOf(d.reason ?? '') },
            { key: 'amount', name: say('amount'), number: true, by: (d) => d.amount, cell: (d) => money(d.amount) },
          ]} />
        </>
      ) : null}
    </>
  );
}
