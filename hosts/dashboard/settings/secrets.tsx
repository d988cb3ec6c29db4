// Which secrets are set, and nothing else of them.
import type { Schema } from '../../site/scripts/api.ts';
import { useReading } from '../reading.ts';
import { Badge } from '../ui/badge.tsx';
import { Shown } from '../ui/notice.tsx';
import { Table } from '../ui/table.tsx';
import { say } from './words.ts';

export function Secrets() {
  return (
    <Shown reading={useReading<Schema['SecretStatuses']>('/admin/settings/secrets')}>
      {({ secrets }) => (
        <>
          <p>{say('secrets_what')}</p>
          <Table caption={say('secrets')} rows={secrets} id={(s) => s.name} text={(s) => s.name} columns={[
            { key: 'name', name: say('name'), by: (s) => s.name, cell: (s) => <code>{s.name}</code> },
            { key: 'set', name: say('state'), by: (s) => Number(s.configured), cell: (s) => (s.configured ? <Badge tone="good">{say('set')}</Badge> : <Badge>{say('unset')}</Badge>) },
          ]} />
        </>
      )}
    </Shown>
  );
}
