// Sent messages with their texts and delivery results.
import { Megaphone } from 'lucide-preact';
import { useState } from 'preact/hooks';
import { getWithSession } from '../../site/scripts/operator.ts';
import { query, useResource } from '../resources.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Dialog, DialogBody, DialogFooter } from '../ui/dialog.tsx';
import { Empty } from '../ui/empty.tsx';
import { ResourceView } from '../ui/notice.tsx';
import { count, list, moment, percent } from '../words.ts';
import { everyone, type Reach, valuesOf } from './audience.ts';
import { useReach } from './audience.tsx';
import { deliveryOf, isUnfinished, type Message, type News, sentPath } from './message.ts';
import { Sending } from './sending.tsx';
import { say } from './words.ts';

interface Props {
  readonly slug: string;
  readonly category: Message['category'];
  readonly use: (message: Message) => void;
}

const whileSending = 3; // seconds between reads

export function SentBroadcasts({ slug, category, use }: Props) {
  const [older, setOlder] = useState<readonly News[]>([]);
  const path = sentPath(slug);
  const busy =
    useResource<News>(path).value?.sent.some((m) => m.phase === 'drafting' || m.phase === 'sending') ?? false;
  const resource = useResource<News>(path, busy ? whileSending : 60);
  const named = [resource.value, ...older].some((p) => p?.sent.some((m) => m.segment?.rewards?.length));
  const rewardNames = useReach(slug, named ? everyone : null).value?.rewardNames;
  return (
    <ResourceView resource={resource}>
      {(first) => {
        const pages = [first, ...older];
        const all = pages.flatMap((p) => p.sent).filter((m) => m.category === category);
        const next = pages.at(-1)?.next ?? 0;
        const more = async (): Promise<void> =>
          setOlder([
            ...older,
            await getWithSession<News>(query('/admin/broadcast/sent', { campaignSlug: slug, cursor: next })),
          ]);
        const finished = all.filter((m) => !isUnfinished(m));
        return (
          <>
            {all.filter(isUnfinished).map((m) => (
              <Sending key={m.id} message={m} />
            ))}
            {finished.length ? (
              <Card
                flush
                title={say('sent')}
                footer={
                  next ? (
                    <Button small task={more}>
                      {say('more_sent')}
                    </Button>
                  ) : null
                }
              >
                <SentTable messages={finished} rewardNames={rewardNames} use={use} />
              </Card>
            ) : null}
            {all.length ? null : (
              <Empty icon={Megaphone} title={say('none_sent')}>
                {say('none_sent_what')}
              </Empty>
            )}
            {!finished.length && next ? <Button task={more}>{say('more_sent')}</Button> : null}
          </>
        );
      }}
    </ResourceView>
  );
}

type RewardNames = Reach['rewardNames'] | undefined;

interface TableProps {
  readonly messages: readonly Message[];
  readonly rewardNames: RewardNames;
  readonly use: (message: Message) => void;
}

/** The audience of a sent message, or "" for all supporters. */
const audienceOf = ({ segment }: Message, rewardNames: RewardNames): string =>
  segment ? list(valuesOf(segment, rewardNames).map((v) => v.name)) : '';

function SentTable({ messages, rewardNames, use }: TableProps) {
  const [open, setOpen] = useState<Message | null>(null);
  return (
    <>
      <div class="tablewrap" tabIndex={0} role="region" aria-label={say('sent')}>
        <table class="table cards">
          <thead>
            <tr>
              <th scope="col">{say('subject')}</th>
              <th scope="col" class="end">
                {say('sent_to')}
              </th>
              <th scope="col" class="end">
                {say('delivered')}
              </th>
              <th scope="col" class="end">
                {say('bounced')}
              </th>
              <th scope="col" class="end">
                {say('complained')}
              </th>
              <th scope="col" class="end">
                {say('without')}
              </th>
              <th scope="col" class="end">
                <span class="unseen">{say('action')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {messages.map((m) => (
              <Row
                key={m.n}
                message={m}
                audience={audienceOf(m, rewardNames)}
                open={() => setOpen(m)}
                use={() => use(m)}
              />
            ))}
          </tbody>
        </table>
      </div>
      {open ? (
        <MessageDialog
          message={open}
          audience={audienceOf(open, rewardNames)}
          use={() => use(open)}
          close={() => setOpen(null)}
        />
      ) : null}
    </>
  );
}

interface RowProps {
  readonly message: Message;
  readonly audience: string;
  readonly open: () => void;
  readonly use: () => void;
}

function Row({ message: m, audience, open, use }: RowProps) {
  const d = deliveryOf(m);
  return (
    <tr>
      <th scope="row">
        <button type="button" class="link" onClick={open}>
          {m.subject}
        </button>{' '}
        {m.phase === 'stopped' ? <Badge>{say('phase_stopped')}</Badge> : null}
        <br />
        <span class="small muted">{[moment(m.sentAt), audience].filter(Boolean).join(' · ')}</span>
      </th>
      <td class="end">
        <b>{count(m.recipientCount)}</b>
      </td>
      <td class="end hide">
        <b>{percent(d.delivered, m.recipientCount)}</b>
      </td>
      <td class="end hide">{count(d.bounced)}</td>
      <td class="end hide">{count(d.complained)}</td>
      <td class="end hide">{count(d.notSent)}</td>
      <td class="end">
        <button type="button" class="btn sm" aria-label={say('use_named', { subject: m.subject })} onClick={use}>
          {say('use')}
        </button>
      </td>
    </tr>
  );
}

/** A sent message as it was written, with the results that narrow screens leave out of the table. */
function MessageDialog({ message: m, audience, use, close }: Omit<RowProps, 'open'> & { readonly close: () => void }) {
  const d = deliveryOf(m);
  return (
    <Dialog title={m.subject} close={close}>
      <DialogBody>
        <p class="small muted">
          {[
            moment(m.sentAt),
            audience,
            say('recipients', { count: m.recipientCount }),
            say('delivered_count', { count: d.delivered }),
            say('bounced_count', { count: d.bounced }),
            say('complained_count', { count: d.complained }),
            d.notSent ? say('not_sent', { count: d.notSent }) : '',
          ]
            .filter(Boolean)
            .join(' · ')}
        </p>
        <div class="written">{m.body}</div>
        {m.ctaLabel ? (
          <p>
            <b>{m.ctaLabel}</b> <span class="mono muted">{m.ctaUrl}</span>
          </p>
        ) : null}
      </DialogBody>
      <DialogFooter>
        <button type="button" class="btn" onClick={use}>
          {say('use')}
        </button>
      </DialogFooter>
    </Dialog>
  );
}
