// A broadcast's progress, with buttons to pause, resume and stop it.
import type { Schema } from '../../site/scripts/api.ts';
import { change } from '../changes.ts';
import { query, refresh, useResource } from '../resources.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Notice, ResourceView } from '../ui/notice.tsx';
import { count } from '../words.ts';
import { say } from './words.ts';

type View = Schema['BroadcastView'];

export function BroadcastProgress({ id }: { id: string }) {
  const path = query('/admin/broadcast', { id });
  const { value } = useResource<View>(path);
  const over = value !== undefined && ['done', 'stopped'].includes(value.phase);
  const resource = useResource<View>(path, over ? 0 : 3);
  const turn = async (to: Schema['TurnRequest']['to']): Promise<void> => {
    await change<View>('/admin/broadcast/turn', { id, to } satisfies Schema['TurnRequest']);
    await refresh(path);
  };
  return (
    <ResourceView resource={resource}>
      {(b) => (
        <Notice tone={b.phase === 'done' ? 'good' : b.phase === 'sending' ? '' : 'warn'}>
          <div class="row">
            <strong>{b.subject}</strong>
            <Badge>{say(`phase_${b.phase}`)}</Badge>
          </div>
          <p role="status">
            {[
              say('recipients', { count: b.recipientCount }),
              ...Object.entries(b.states ?? {}).map(
                ([state, n]) => `${say(`state_${state as 'accepted'}`)}: ${count(n)}`,
              ),
            ].join(' · ')}
          </p>
          {b.reason ? <p>{b.reason}</p> : null}
          <div class="row">
            {b.phase === 'sending' ? (
              <Button quiet task={() => turn('paused')}>
                {say('pause')}
              </Button>
            ) : null}
            {b.phase === 'paused' ? (
              <Button quiet task={() => turn('sending')}>
                {say('go_on')}
              </Button>
            ) : null}
            {b.phase === 'sending' || b.phase === 'paused' ? (
              <Button quiet task={() => turn('stopped')}>
                {say('stop')}
              </Button>
            ) : null}
          </div>
        </Notice>
      )}
    </ResourceView>
  );
}
