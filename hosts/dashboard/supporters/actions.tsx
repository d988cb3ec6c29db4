// Support actions: resend the pledge link, add a note, change the address, update parcels.
import { useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { day } from '../../site/scripts/words.ts';
import { change, newChangeID } from '../changes.ts';
import { ParcelStatus, type ParcelUpdate, updateParcels } from '../reports/marks.tsx';
import { hasPermission } from '../session.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Checkbox, Form, TextField } from '../ui/form.tsx';
import { UserError } from '../ui/notice.tsx';
import { toast } from '../ui/toast.tsx';
import { countryName } from '../words.ts';
import { say } from './words.ts';

type Pledge = Schema['SupporterTimeline']['pledges'][number];
type PostalAddress = Schema['Address'];
type Parcel = Pledge['parcels'][number];

interface ActionProps {
  readonly slug: string;
  readonly pledge: Pledge;
  readonly reload: () => Promise<void>;
}

export function ResendLink({ slug, order }: { slug: string; order: string }) {
  const send = async (): Promise<void> => {
    await change('/admin/supporters/links', {
      campaignSlug: slug,
      orderId: order,
    } satisfies Schema['LinksAgainRequest']);
    toast(say('link_sent'));
  };
  return (
    <Button small task={send}>
      {say('link_again')}
    </Button>
  );
}

type PledgeID = Pick<Schema['NoteRequest'], 'campaignSlug' | 'orderId'>;

interface NoteProps {
  readonly pledges: readonly PledgeID[];
  readonly added: () => Promise<void>;
  readonly close: () => void;
}

/**
 * Adds the same note to several pledges. After an error, a retry adds it only where it is missing.
 */
export function AddNote({ pledges, added, close }: NoteProps) {
  const [text, setText] = useState('');
  const [id] = useState(newChangeID);
  const count = pledges.length;
  const one = count === 1;
  const add = async (): Promise<void> => {
    for (const [n, { campaignSlug, orderId }] of pledges.entries())
      await change('/admin/supporters/note', {
        campaignSlug,
        orderId,
        text,
        changeId: `${id}-${n}`,
      } satisfies Schema['NoteRequest']);
    await added();
    close();
    toast(one ? say('note_added') : say('notes_added', { count }));
  };
  return (
    <Dialog title={one ? say('note_title') : say('notes_title', { count })} close={close}>
      <Form dialog task={add} submitLabel={one ? say('add_note') : say('add_notes', { count })}>
        {(errorOf: (field: string) => string) => (
          <TextField
            label={say('new_note')}
            hint={say('new_note_hint')}
            value={text}
            set={setText}
            max={1000}
            required
            long
            error={errorOf('text')}
          />
        )}
      </Form>
    </Dialog>
  );
}

/** Cancels a pledge on behalf of its supporter, after a confirmation. */
export function CancelPledge({ pledge, reload }: { pledge: Pledge; reload: () => Promise<void> }) {
  const [open, setOpen] = useState(false);
  const cancel = async (): Promise<void> => {
    await change<Schema['GivenUp']>('/admin/pledges/cancel', {
      orderId: pledge.orderId,
    } satisfies Schema['GiveUpRequest']);
    setOpen(false);
    await reload();
    toast(say('pledge_canceled'));
  };
  return (
    <div>
      <button type="button" class="btn sm danger-quiet" onClick={() => setOpen(true)}>
        {say('cancel_pledge')}
      </button>
      {open ? (
        <Dialog title={say('cancel_title')} close={() => setOpen(false)}>
          <Form dialog kind="danger" task={cancel} submitLabel={say('cancel_pledge')}>
            <p>{say('cancel_hint')}</p>
          </Form>
        </Dialog>
      ) : null}
    </div>
  );
}

export function ChangeAddress({ slug, pledge, now, reload }: ActionProps & { readonly now: PostalAddress }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="btn sm" onClick={() => setOpen(true)}>
        {say('change_address')}
      </button>
      {open ? (
        <Dialog title={say('change_title')} close={() => setOpen(false)}>
          <AddressForm
            slug={slug}
            pledge={pledge}
            now={now}
            reload={async () => {
              setOpen(false);
              await reload();
              toast(say('address_changed'));
            }}
          />
        </Dialog>
      ) : null}
    </>
  );
}

const parts = [
  ['name', 'to_name', true],
  ['line1', 'line1', true],
  ['line2', 'line2', false],
  ['city', 'city', true],
  ['state', 'state', false],
  ['postalCode', 'postal', false],
  ['phone', 'phone', false],
] as const;

function AddressForm({ slug, pledge, now, reload }: ActionProps & { readonly now: PostalAddress }) {
  const [to, setTo] = useState<PostalAddress>(now);
  const [reason, setReason] = useState('');
  const [id] = useState(newChangeID);
  const save = async (): Promise<void> => {
    await change<Schema['Readdressed']>('/admin/supporters/address', {
      campaignSlug: slug,
      orderId: pledge.orderId,
      shippingAddress: to,
      reason,
      changeId: id,
      expectedRevision: pledge.revision,
    } satisfies Schema['Readdressing']);
    await reload();
  };
  return (
    <Form dialog task={save} submitLabel={say('change_address')}>
      {(errorOf: (field: string) => string) => (
        <>
          <p>{say('change_hint', { country: countryName(now.country ?? '') })}</p>
          {parts.map(([field, label, required]) => (
            <TextField
              key={field}
              label={say(label)}
              value={to[field] ?? ''}
              set={(value) => setTo({ ...to, [field]: value })}
              max={120}
              required={required}
              error={errorOf(`shippingAddress.${field}`)}
            />
          ))}
          <TextField
            label={say('reason')}
            hint={say('reason_hint')}
            value={reason}
            set={setReason}
            max={250}
            required
            error={errorOf('reason')}
          />
        </>
      )}
    </Form>
  );
}

export function Parcels({ slug, pledge, reload }: ActionProps) {
  return (
    <ul class="stack">
      {pledge.parcels.map((p) => (
        <li key={p.fulfiller} class="stack g2">
          <ParcelRow slug={slug} pledge={pledge} parcel={p} reload={reload} />
        </li>
      ))}
    </ul>
  );
}

function ParcelRow({ slug, pledge, parcel, reload }: ActionProps & { readonly parcel: Parcel }) {
  const [sending, setSending] = useState(false);
  const updateParcel = async (
    changes: Partial<ParcelUpdate> & Pick<ParcelUpdate, 'status'>,
    notify = false,
  ): Promise<void> => {
    const [result] = await updateParcels(
      slug,
      [{ orderId: pledge.orderId, fulfiller: parcel.fulfiller, ...changes }],
      notify,
    );
    if (result?.problem) throw new UserError(result.problem.error);
    setSending(false);
    await reload();
    toast(say('parcel_updated'));
  };
  return (
    <>
      <div class="row wrap small">
        <b>{say(parcel.fulfiller === 'platform' ? 'platform_parcel' : 'parcel')}</b>{' '}
        <ParcelStatus status={parcel.status} />
        <span class="muted">
          {[parcel.sentOn ? say('sent_on', { day: day(parcel.sentOn) }) : '', parcel.carrier]
            .filter(Boolean)
            .join(', ')}
        </span>
        <TrackingNumber parcel={parcel} />
      </div>
      {hasPermission('fulfilment') ? (
        <div class="row wrap">
          {parcel.status === 'to_pack' && !pledge.heldReason ? (
            <Button small task={() => updateParcel({ status: 'packed' })}>
              {say('pack')}
            </Button>
          ) : null}
          {parcel.status === 'sent' ? null : (
            <button type="button" class="btn sm" onClick={() => setSending(true)}>
              {say('send')}
            </button>
          )}
          {parcel.status === 'to_pack' ? null : (
            <Button small kind="plain" task={() => updateParcel({ status: 'to_pack' })}>
              {say('reopen')}
            </Button>
          )}
        </div>
      ) : null}
      {sending ? (
        <Dialog title={say('send_title')} close={() => setSending(false)}>
          <Sending
            send={(carrier, trackingNumber, notify) =>
              updateParcel(
                { status: 'sent', ...(carrier ? { carrier } : {}), ...(trackingNumber ? { trackingNumber } : {}) },
                notify,
              )
            }
          />
        </Dialog>
      ) : null}
    </>
  );
}

function Sending({ send }: { send: (carrier: string, number: string, notify: boolean) => Promise<void> }) {
  const [carrier, setCarrier] = useState('');
  const [number, setNumber] = useState('');
  const [notify, setNotify] = useState(false);
  return (
    <Form dialog task={() => send(carrier, number, notify)} submitLabel={say('send')}>
      <TextField label={say('carrier')} note={say('optional')} value={carrier} set={setCarrier} max={60} />
      <TextField label={say('tracking')} note={say('optional')} value={number} set={setNumber} max={60} />
      <Checkbox label={say('notify')} on={notify} set={setNotify} />
    </Form>
  );
}

function TrackingNumber({ parcel: { trackingNumber, trackingUrl } }: { parcel: Parcel }) {
  if (!trackingNumber) return null;
  return trackingUrl ? (
    <a href={trackingUrl} target="_blank" rel="noopener noreferrer">
      {say('follow', { number: trackingNumber })}
    </a>
  ) : (
    <span>{say('number', { number: trackingNumber })}</span>
  );
}
