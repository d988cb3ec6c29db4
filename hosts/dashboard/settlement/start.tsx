// Previews a settlement's charges and starts it.
import { useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { change } from '../changes.ts';
import { refresh, refreshPrefix } from '../resources.ts';
import { Button } from '../ui/button.tsx';
import { Copy } from '../ui/copy.tsx';
import { Dialog, DialogBody } from '../ui/dialog.tsx';
import { Form } from '../ui/form.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { count, money } from '../words.ts';
import { reasonText } from './reasons.ts';
import { type SettlementStatus, statusPath } from './status.ts';
import { say } from './words.ts';

type Preview = Extract<Schema['SettleReport'], { supporterCount: number }>;

const previewLimit = 100; // supporters listed in a preview

/**
 * The buttons that preview and start the charges or, with `again`, those of the remaining pledges.
 */
export function Start({ status, again }: { status: SettlementStatus; again?: boolean }) {
  const [preview, setPreview] = useState<Preview | null>(null);
  const [open, setOpen] = useState<'' | 'preview' | 'confirm'>('');
  const close = (): void => setOpen('');
  const slug = status.campaignSlug;
  const show = async (dialog: 'preview' | 'confirm'): Promise<void> => {
    setPreview(await change<Preview>(`/admin/settle/${slug}`, { dryRun: true } satisfies Schema['SettleRequest']));
    setOpen(dialog);
  };
  const start = async (): Promise<void> => {
    await change(`/admin/settle-dispatch/${slug}`, {});
    close();
    await refresh(statusPath(slug));
    refreshPrefix('/admin/summary');
    refreshPrefix(statusPath(slug));
  };
  return (
    <>
      <div class="row wrap top">
        <Button kind="primary" disabled={status.mayStart ? false : say('held_back')} task={() => show('confirm')}>
          {again ? say('charge_rest') : say('charge_now', { count: status.supporters })}
        </Button>
        <Button task={() => show('preview')}>{say('preview_charges')}</Button>
      </div>
      {open === 'preview' && preview ? <PreviewDialog preview={preview} close={close} /> : null}
      {open === 'confirm' && preview ? <Confirm preview={preview} start={start} close={close} /> : null}
    </>
  );
}

function Confirm({ preview, start, close }: { preview: Preview; start: () => Promise<void>; close: () => void }) {
  const { supporterCount, totalAmount, skippedNoCustomer } = preview;
  if (!supporterCount)
    return (
      <Dialog title={say('start_none')} close={close}>
        <Form dialog task={async () => close()} submitLabel={say('close')} kind="">
          <p>{say('start_none_what')}</p>
        </Form>
      </Dialog>
    );
  return (
    <Dialog title={say('start_title', { count: supporterCount, amount: money(totalAmount) })} close={close}>
      <Form dialog task={start} submitLabel={say('start_go', { count: supporterCount, amount: money(totalAmount) })}>
        <p>{say('start_what')}</p>
        {skippedNoCustomer ? <p>{say('start_no_card', { count: skippedNoCustomer })}</p> : null}
        <p class="soft">{say('start_final')}</p>
      </Form>
    </Dialog>
  );
}

function PreviewDialog({ preview, close }: { preview: Preview; close: () => void }) {
  return (
    <Dialog wide title={say('preview')} close={close}>
      <DialogBody>
        <p class="soft">
          {preview.supporterCount
            ? say('preview_sum', { count: preview.supporterCount, amount: money(preview.totalAmount) })
            : say('start_none_what')}
        </p>
        {preview.supporters.length ? (
          <div>
            <Table
              name="preview"
              caption={say('preview')}
              rows={preview.supporters.slice(0, previewLimit)}
              id={(s) => s.orderIds.join()}
              filterText={(s) => s.email}
              columns={columns}
            />
          </div>
        ) : null}
        {preview.supporters.length > previewLimit ? (
          <p class="small muted">{say('first', { shown: previewLimit, count: preview.supporters.length })}</p>
        ) : null}
        {preview.skipped.length ? (
          <div>
            <h3>{say('skipped')}</h3>
            <Table
              name="skipped"
              caption={say('skipped')}
              rows={preview.skipped.slice(0, previewLimit)}
              id={(d) => d.orderIds.join()}
              columns={skippedColumns}
            />
          </div>
        ) : null}
      </DialogBody>
    </Dialog>
  );
}

const columns: readonly Column<Preview['supporters'][number]>[] = [
  { key: 'email', name: say('supporter'), sortKey: (s) => s.email, cell: (s) => s.email },
  {
    key: 'pledges',
    name: say('pledges'),
    number: true,
    sortKey: (s) => s.pledgeCount,
    cell: (s) => count(s.pledgeCount),
  },
  {
    key: 'amount',
    name: say('total'),
    number: true,
    sortKey: (s) => s.totalAmount,
    cell: (s) => money(s.totalAmount),
  },
];

const skippedColumns: readonly Column<Preview['skipped'][number]>[] = [
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
  { key: 'why', name: say('reason_column'), sortKey: (d) => d.reason ?? '', cell: (d) => reasonText(d.reason ?? '') },
  { key: 'amount', name: say('total'), number: true, sortKey: (d) => d.amount, cell: (d) => money(d.amount) },
];
