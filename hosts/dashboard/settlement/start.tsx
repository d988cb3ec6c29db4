// Previews a settlement's charges and starts it.
import { useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { change } from '../changes.ts';
import { refresh, refreshPrefix } from '../resources.ts';
import { KeyFigures } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Copy } from '../ui/copy.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Form } from '../ui/form.tsx';
import { Table } from '../ui/table.tsx';
import { count, money } from '../words.ts';
import { Stop } from './holds.tsx';
import { reasonText } from './reasons.ts';
import { type SettlementStatus, statusPath } from './status.ts';
import { say } from './words.ts';

type Preview = Extract<Schema['SettleReport'], { supporterCount: number }>;

const previewLimit = 100; // supporters listed in a preview

export function Start({ status }: { status: SettlementStatus }) {
  const [preview, setPreview] = useState<Preview | null>(null);
  const [asking, setAsking] = useState(false);
  const slug = status.campaignSlug;
  const loadPreview = async (): Promise<Preview> => {
    const report = await change<Preview>(`/admin/settle/${slug}`, { dryRun: true } satisfies Schema['SettleRequest']);
    setPreview(report);
    return report;
  };
  const start = async (): Promise<void> => {
    await change(`/admin/settle-dispatch/${slug}`, {});
    setAsking(false);
    setPreview(null);
    await refresh(statusPath(slug));
    refreshPrefix('/admin/summary');
  };
  return (
    <section aria-label={say('start')}>
      <div class="row">
        <Button quiet task={loadPreview}>
          {say('look')}
        </Button>
        <Button
          disabled={status.working}
          task={async () => {
            await loadPreview();
            setAsking(true);
          }}
        >
          {status.begun ? say('again') : say('start')}…
        </Button>
      </div>
      {preview ? <PreviewTables preview={preview} /> : null}
      <Stop />
      {asking && preview ? (
        <Dialog
          title={
            preview.supporterCount
              ? say('start_title', { count: preview.supporterCount, amount: money(preview.totalAmount) })
              : say('start_none')
          }
          close={() => setAsking(false)}
        >
          <p>{say('start_what')}</p>
          <Form
            task={start}
            submitLabel={
              preview.supporterCount ? say('start_go', { amount: money(preview.totalAmount) }) : say('start_check')
            }
          />
        </Dialog>
      ) : null}
    </section>
  );
}

function PreviewTables({ preview }: { preview: Preview }) {
  return (
    <>
      <h2>{say('preview')}</h2>
      <KeyFigures
        figures={[
          [say('supporters'), count(preview.supporterCount)],
          [say('pledges'), count(preview.pledgeCount)],
          [say('total'), money(preview.totalAmount)],
          [say('no_card'), count(preview.skippedNoCustomer)],
        ]}
      />
      {preview.supporters.length ? (
        <Table
          name="preview"
          caption={say('preview')}
          rows={preview.supporters.slice(0, previewLimit)}
          id={(s) => s.orderIds.join()}
          filterText={(s) => s.email}
          columns={[
            { key: 'email', name: say('supporter'), sortKey: (s) => s.email, cell: (s) => s.email },
            {
              key: 'pledges',
              name: say('pledges'),
              number: true,
              sortKey: (s) => s.pledgeCount,
              cell: (s) => s.pledgeCount,
            },
            {
              key: 'amount',
              name: say('amount'),
              number: true,
              sortKey: (s) => s.totalAmount,
              cell: (s) => money(s.totalAmount),
            },
          ]}
        />
      ) : null}
      {preview.supporters.length > previewLimit ? (
        <p class="small">{say('first', { shown: previewLimit, count: preview.supporters.length })}</p>
      ) : null}
      {preview.skipped.length ? (
        <>
          <h3>{say('skipped')}</h3>
          <Table
            name="skipped"
            caption={say('skipped')}
            rows={preview.skipped.slice(0, previewLimit)}
            id={(d) => d.orderIds.join()}
            columns={[
              {
                key: 'who',
                name: say('supporter'),
                sortKey: (d) => d.email ?? '',
                cell: (d) =>
                  d.email ?? (
                    <>
                      {d.orderIds[0]} <Copy text={d.orderIds.join(' ')} />
                    </>
                  ),
              },
              { key: 'why', name: say('why'), sortKey: (d) => d.reason ?? '', cell: (d) => reasonText(d.reason ?? '') },
              {
                key: 'amount',
                name: say('amount'),
                number: true,
                sortKey: (d) => d.amount,
                cell: (d) => money(d.amount),
              },
            ]}
          />
        </>
      ) : null}
    </>
  );
}
