// Active and recently ended sessions.
import type { Schema } from '../../site/scripts/api.ts';
import { change } from '../changes.ts';
import { refresh, useResource } from '../resources.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { ResourceView } from '../ui/notice.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { ago, moment } from '../words.ts';
import { say } from './words.ts';

type Row = Schema['SessionList']['sessions'][number];

const path = '/admin/sessions';

async function revoke(sessionId: string): Promise<void> {
  await change<Schema['Revoked']>('/admin/sessions/revoke', { sessionId } satisfies Schema['RevokeRequest']);
  await refresh(path);
}

const columns: readonly Column<Row>[] = [
  { key: 'email', name: say('email'), sortKey: (s) => s.email, cell: (s) => s.email },
  {
    key: 'client',
    name: say('client'),
    sortKey: (s) => s.client.browser,
    cell: (s) => `${s.client.browser}, ${s.client.system}, ${say(s.client.device)}`,
  },
  {
    key: 'network',
    name: say('network'),
    sortKey: (s) => s.network,
    cell: (s) => <code>{s.network.slice(0, 8)}</code>,
  },
  {
    key: 'since',
    name: say('signed_in'),
    sortKey: (s) => s.createdAt,
    cell: (s) => (
      <>
        {moment(s.createdAt)} <span class="small">{ago(s.createdAt)}</span>
      </>
    ),
  },
  {
    key: 'state',
    name: say('state'),
    sortKey: (s) => Number(s.active),
    cell: (s) =>
      s.current ? (
        <Badge tone="good">{say('this')}</Badge>
      ) : s.active ? (
        <Button quiet task={() => revoke(s.id)}>
          {say('end')}
        </Button>
      ) : (
        say('ended', { time: moment(s.endedAt ?? s.endsAt) })
      ),
  },
];

export function Sessions() {
  return (
    <ResourceView resource={useResource<Schema['SessionList']>(path, 60)}>
      {({ sessions }) => (
        <>
          <p>{say('sessions_what')}</p>
          <Table
            caption={say('sessions')}
            columns={columns}
            rows={sessions}
            id={(s) => s.id}
            filterText={(s) => s.email}
          />
        </>
      )}
    </ResourceView>
  );
}
