// Actions on the selected pledges: resend the links, add a note, export.
import { Download } from 'lucide-preact';
import { useRef, useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { change } from '../changes.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Form } from '../ui/form.tsx';
import { Icon } from '../ui/icon.tsx';
import { toast } from '../ui/toast.tsx';
import { AddNote } from './actions.tsx';
import { say } from './words.ts';

type Row = Schema['SupportersFound']['supporters'][number];

interface Props {
  readonly rows: readonly Row[];
  readonly exportRows: () => void;
}

export function BulkActions({ rows, exportRows }: Props) {
  const [open, setOpen] = useState<'' | 'links' | 'note'>('');
  const count = rows.length;
  const close = (): void => setOpen('');
  return (
    <>
      <button type="button" class="btn sm" onClick={() => setOpen('links')}>
        {say('resend_links', { count: onePerAddress(rows).length })}…
      </button>
      <button type="button" class="btn sm" onClick={() => setOpen('note')}>
        {say('add_notes', { count })}…
      </button>
      <button type="button" class="btn sm icon" aria-label={say('export_rows', { count })} onClick={exportRows}>
        <Icon of={Download} small />
      </button>
      {open === 'links' ? <ResendLinks rows={onePerAddress(rows)} close={close} /> : null}
      {open === 'note' ? <AddNote pledges={rows} added={async () => undefined} close={close} /> : null}
    </>
  );
}

/**
 * Returns one pledge per address, because one email contains the links to all pledges of its
 * address.
 */
const onePerAddress = (rows: readonly Row[]): readonly Row[] => [...new Map(rows.map((r) => [r.email, r])).values()];

/**
 * Asks for confirmation before supporters are emailed. After an error, a retry leaves out those who
 * were already emailed.
 */
function ResendLinks({ rows, close }: { rows: readonly Row[]; close: () => void }) {
  const sent = useRef(new Set<string>());
  const count = rows.length;
  const send = async (): Promise<void> => {
    for (const { campaignSlug, orderId } of rows) {
      if (sent.current.has(orderId)) continue;
      await change('/admin/supporters/links', { campaignSlug, orderId } satisfies Schema['LinksAgainRequest']);
      sent.current.add(orderId);
    }
    close();
    toast(say('links_sent', { count }));
  };
  return (
    <Dialog title={say('resend_title', { count })} close={close}>
      <Form dialog task={send} submitLabel={say('resend_links', { count })}>
        <p>{say('resend_hint')}</p>
      </Form>
    </Dialog>
  );
}
