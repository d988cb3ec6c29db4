// A message that is being sent, with buttons to pause, resume and stop it.
import { Pause, Play } from 'lucide-preact';
import { useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { change } from '../changes.ts';
import { query, refreshPrefix, useResource } from '../resources.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Form } from '../ui/form.tsx';
import { Icon } from '../ui/icon.tsx';
import { moment } from '../words.ts';
import { deliveryOf, type Message } from './message.ts';
import { say } from './words.ts';

type View = Schema['BroadcastView'];

export function Sending({ message: m }: { message: Message }) {
  const [stopping, setStopping] = useState(false);
  const reason = useResource<View>(m.phase === 'paused' ? query('/admin/broadcast', { id: m.id }) : '').value?.reason;
  const turn = async (to: Schema['TurnRequest']['to']): Promise<void> => {
    await change<View>('/admin/broadcast/turn', { id: m.id, to } satisfies Schema['TurnRequest']);
    refreshPrefix('/admin/broadcast');
  };
  const { pending, notSent } = deliveryOf(m);
  const sent = m.phase === 'drafting' ? 0 : m.recipientCount - pending;
  return (
    <section class="card" aria-label={m.subject}>
      <div class="in stack g3">
        <div class="row between wrap">
          <div class="stack g1">
            <b>{m.subject}</b>
            <p class="small muted">
              <Badge tone={m.phase === 'paused' ? 'warn' : 'info'}>{say(`phase_${m.phase}`)}</Badge> {moment(m.sentAt)}
            </p>
          </div>
          <div class="row wrap">
            {m.phase === 'sending' ? (
              <Button small task={() => turn('paused')}>
                <Icon of={Pause} small />
                {say('pause')}
              </Button>
            ) : null}
            {m.phase === 'paused' ? (
              <Button small task={() => turn('sending')}>
                <Icon of={Play} small />
                {say('resume')}
              </Button>
            ) : null}
            {m.phase === 'sending' || m.phase === 'paused' ? (
              <button type="button" class="btn sm danger-quiet" onClick={() => setStopping(true)}>
                {say('stop')}…
              </button>
            ) : null}
          </div>
        </div>
        <div
          class="gauge thick"
          role="progressbar"
          aria-label={say('progress')}
          aria-valuenow={sent}
          aria-valuemin={0}
          aria-valuemax={Math.max(m.recipientCount, 1)}
          style={{ '--v': `${(100 * sent) / Math.max(m.recipientCount, 1)}%` }}
        >
          <i />
        </div>
        <p class="small soft" role="status">
          {say('sent_of', { sent, count: m.recipientCount })} {notSent ? say('not_sent', { count: notSent }) : ''}{' '}
          {reason ?? ''}
        </p>
      </div>
      {stopping ? (
        <Dialog title={say('stop_title')} close={() => setStopping(false)}>
          <Form
            dialog
            kind="danger"
            submitLabel={say('stop')}
            task={async () => {
              await turn('stopped');
              setStopping(false);
            }}
          >
            <p>{say('stop_what', { count: m.recipientCount - sent })}</p>
          </Form>
        </Dialog>
      ) : null}
    </section>
  );
}
