// Active and recently ended sessions.
import type { Schema } from '../../site/scripts/api.ts';
import { change } from '../changes.ts';
import { refresh, useResource } from '../resources.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { ResourceView } from '../ui/notice.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { toast } from '../ui/toast.tsx';
import { ago, moment } from '../words.ts';
import { say } from './words.ts';

type Row = Schema['SessionList']['sessions'][number];

const path = '/admin/sessions';

async function revoke(session: Row): Promise<void> {
  await change<Schema['Revoked']>('/admin/sessions/revoke', {
    sessionId: session.id,
  } satisfies Schema['RevokeRequest']);
  await refresh(path);
  toast(say('session_ended', { email: session.email }));
}

const columns: readonly Column<Row>[] = [
  {
    key: 'email',
    name: say('user'),
    sortKey: (s) => s.email,
    cell: (s) => (
      <div class="stack g1">
        <b class="clip">{s.email}</b>
        <span class="small muted">
          {s.client.browser}, {s.client.system}, {say(s.client.device)}
        </span>
      </div>
    ),
  },
  {
    key: 'network',
    name: say('network'),
    sortKey: (s) => s.network,
    cell: (s) => <code class="mono small">{s.network.slice(0, 8)}</code>,
  },
  {
    key: 'since',
    name: say('signed_in'),
    sortKey: (s) => s.createdAt,
    cell: (s) => (
      <div class="stack g1">
        <span class="small">{moment(s.createdAt)}</span>
        <span class="small muted">{ago(s.createdAt)}</span>
      </div>
    ),
  },
  {
    key: 'state',
    name: say('state'),
    number: true,
    sortKey: (s) => Number(s.active),
    cell: (s) =>
      s.current ? (
        <Badge tone="good">{say('this_session')}</Badge>
      ) : s.active ? (
        <Button small label={say('end_session_of', { email: s.email })} task={() => revoke(s)}>
          {say('end_session')}
        </Button>
      ) : (
        <span class="small muted">{say('ended', { time: moment(s.endedAt ?? s.endsAt) })}</span>
      ),
  },
];

export function Sessions() {
  return (
    <ResourceView resource={useResource<Schema['SessionList']>(path, 60)}>
      {({ sessions }) => (
        <Card title={say('sessions')} hint={say('sessions_hint')} flush>
          <Table
            caption={say('sessions')}
            columns={columns}
            rows={sessions}
            id={(s) => s.id}
            filterText={(s) => s.email}
          />
        </Card>
      )}
    </ResourceView>
  );
}
