// What is done for a supporter: their link again, a note, another address, their parcels.
import { useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { day } from '../../site/scripts/words.ts';
import { change, identity } from '../changing.ts';
import { mark, ParcelStatus, type Mark } from '../reports/marks.tsx';
import { may } from '../session.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Check, Form, Text } from '../ui/form.tsx';
import { Note, Said } from '../ui/notice.tsx';
import { say } from './words.ts';

type Pledge = Schema['SupporterTimeline']['pledges'][number];
type Where = Schema['Address'];
type Parcel = Pledge['parcels'][number];

interface Of {
  readonly slug: string;
  readonly pledge: Pledge;
  readonly again: () => Promise<void>;
}

export function LinkAgain({ slug, order }: { slug: string; order: string }) {
  const [sent, setSent] = useState(false);
  const send = async (): Promise<void> => {
    await change('/admin/supporters/links', { campaignSlug: slug, orderId: order } satisfies Schema['LinksAgainRequest']);
    setSent(true);
  };
  return (
    <>
      <Button quiet task={send}>{say('link_again')}</Button>
      <div role="status">{sent ? <Note tone="good">{say('link_sent')}</Note> : null}</div>
    </>
  );
}

export function NewNote({ slug, order, again }: { slug: string; order: string; again: () => Promise<void> }) {
  const [text, setText] = useState('');
  const [id, setId] = useState(identity); // of this note, however often it's sent
  const add = async (): Promise<void> => {
    await change('/admin/supporters/note', { campaignSlug: slug, orderId: order, text, changeId: id } satisfies Schema['NoteRequest']);
    setText('');
    setId(identity());
    await again();
  };
  return (
    <Form task={add} send={say('add_note')} quiet>
      {(wrong: (field: string) => string) => <Text label={say('new_note')} help={say('new_note_help')} value={text} set={setText} max={1000} required long wrong={wrong('text')} />}
    </Form>
  );
}

export function Address({ slug, pledge, now, again }: Of & { readonly now: Where }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="quiet small-button" onClick={() => setOpen(true)}>{say('change_address')}</button>
      {open ? (
        <Dialog title={say('change_title', { order: pledge.orderId })} close={() => setOpen(false)}>
          <Moving slug={slug} pledge={pledge} now={now} again={async () => {
            setOpen(false);
            await again();
          }} />
        </Dialog>
      ) : null}
    </>
  );
}

const parts = [['name', 'to_name', true], ['line1', 'line1', true], ['line2', 'line2', false], ['city', 'city', true], ['state', 'state', false], ['postalCode', 'postal', false]] as const;

function Moving({ slug, pledge, now, again }: Of & { readonly now: Where }) {
  const [to, setTo] = useState<Where>(now);
  const [reason, setReason] = useState('');
  const [id] = useState(identity);
  const save = async (): Promise<void> => {
    await change<Schema['Readdressed']>('/admin/supporters/address', {
      campaignSlug: slug, orderId: pledge.orderId, shippingAddress: to, reason, changeId: id, expectedRevision: pledge.revision,
    } satisfies Schema['Readdressing']);
    await again();
  };
  return (
    <Form task={save} send={say('save_address')}>
      {(wrong: (field: string) => string) => (
        <>
          <p>{say('change_what', { country: now.country ?? '' })}</p>
          {parts.map(([field, label, required]) => (
            <Text key={field} label={say(label)} value={to[field] ?? ''} set={(value) => setTo({ ...to, [field]: value })} max={120} required={required} wrong={wrong(`shippingAddress.${field}`)} />
          ))}
          <Text label={say('reason')} help={say('reason_help')} value={reason} set={setReason} max={250} required wrong={wrong('reason')} />
        </>
      )}
    </Form>
  );
}

export function Parcels({ slug, pledge, again }: Of) {
  return <ul class="parcels">{pledge.parcels.map((p) => <li key={p.fulfiller}><One slug={slug} pledge={pledge} parcel={p} again={again} /></li>)}</ul>;
}

function One({ slug, pledge, parcel, again }: Of & { readonly parcel: Parcel }) {
  const [sending, setSending] = useState(false);
  const make = async (made: Partial<Mark> & Pick<Mark, 'status'>, notify = false): Promise<void> => {
    const [result] = await mark(slug, [{ orderId: pledge.orderId, fulfiller: parcel.fulfiller, ...made }], notify);
    if (result?.problem) throw new Said(result.problem.error);
    setSending(false);
    await again();
  };
  return (
    <>
      <p>{say(parcel.fulfiller === 'platform' ? 'platform_parcel' : 'parcel')} <ParcelStatus of={parcel.status} /> {parcel.sentOn ? say('sent_on', { day: day(parcel.sentOn) }) : ''} {parcel.carrier ?? ''} <Number of={parcel} /></p>
      {may('fulfilment') ? (
        <div class="row">
          {parcel.status === 'to_pack' ? <Button quiet task={() => make({ status: 'packed' })}>{say('pack')}</Button> : null}
          {parcel.status === 'sent' ? null : <button type="button" class="quiet" onClick={() => setSending(true)}>{say('send')}</button>}
          {parcel.status === 'to_pack' ? null : <Button quiet task={() => make({ status: 'to_pack' })}>{say('reopen')}</Button>}
        </div>
      ) : null}
      {sending ? (
        <Dialog title={say('send_title', { order: pledge.orderId })} close={() => setSending(false)}>
          <Sending send={(carrier, trackingNumber, notify) => make({ status: 'sent', ...(carrier ? { carrier } : {}), ...(trackingNumber ? { trackingNumber } : {}) }, notify)} />
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
    <Form task={() => send(carrier, number, notify)} send={say('send')}>
      <Text label={say('carrier')} help={say('optional')} value={carrier} set={setCarrier} max={60} />
      <Text label={say('tracking')} help={say('optional')} value={number} set={setNumber} max={60} />
      <Check label={say('notify')} on={notify} set={setNotify} />
    </Form>
  );
}

function Number({ of: { trackingNumber, trackingUrl } }: { of: Parcel }) {
  if (!trackingNumber) return null;
  return trackingUrl ? <a href={trackingUrl} target="_blank" rel="noopener noreferrer">{say('follow', { number: trackingNumber })}</a> : <span>{say('number', { number: trackingNumber })}</span>;
}
