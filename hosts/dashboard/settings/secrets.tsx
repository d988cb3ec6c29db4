// Shows which secrets are set, never their values.
import type { Schema } from '../../site/scripts/api.ts';
import { useResource } from '../resources.ts';
import { Badge } from '../ui/badge.tsx';
import { ResourceView } from '../ui/notice.tsx';
import { Table } from '../ui/table.tsx';
import { say } from './words.ts';

export function Secrets() {
  return (
    <ResourceView resource={useResource<Schema['SecretStatuses']>('/admin/settings/secrets')}>
      {({ secrets }) => (
        <>
          <p>{say('secrets_what')}</p>
          <Table
            caption={say('secrets')}
            rows={secrets}
            id={(s) => s.name}
            filterText={(s) => s.name}
            columns={[
              { key: 'name', name: say('name'), sortKey: (s) => s.name, cell: (s) => <code>{s.name}</code> },
              {
                key: 'set',
                name: say('state'),
                sortKey: (s) => Number(s.configured),
                cell: (s) => (s.configured ? <Badge tone="good">{say('set')}</Badge> : <Badge>{say('unset')}</Badge>),
              },
            ]}
          />
        </>
      )}
    </ResourceView>
  );
}
