// How much of its plan the account at the host has used.
import type { Schema } from '../../site/scripts/api.ts';
import { useReading } from '../reading.ts';
import { Badge } from '../ui/badge.tsx';
import { Note, Shown } from '../ui/notice.tsx';
import { Table } from '../ui/table.tsx';
import { count, percent } from '../words.ts';
import { say } from './words.ts';

export function Plan() {
  return (
    <Shown reading={useReading<Schema['PlanUsage']>('/admin/plan-usage')}>
      {(u) => (
        <>
          <p>{say('plan_what', { provider: u.provider, plan: u.plan })}</p>
          {u.missing.length ? <Note>{say('plan_missing', { names: u.missing.join(', ') })}</Note> : null}
          {u.usage.length ? (
            <Table caption={say('plan')} rows={u.usage} id={(x) => x.id} columns={[
              { key: 'name', name: say('name'), by: (x) => x.name, cell: (x) => <a href={x.link} target="_blank" rel="noopener noreferrer">{x.name}</a> },
              { key: 'used', name: say('used'), number: true, by: (x) => x.used, cell: (x) => count(x.used) },
              { key: 'limit', name: say('limit'), number: true, by: (x) => x.limit, cell: (x) => count(x.limit) },
              { key: 'share', name: say('share'), number: true, by: (x) => x.used / x.limit, cell: (x) => percent(x.used, x.limit) },
              { key: 'state', name: say('state'), by: (x) => x.severity, cell: (x) => <Badge tone={x.severity === 'ok' ? 'good' : x.severity === 'warning' ? 'warn' : 'bad'}>{say(`severity_${x.severity}`)}</Badge> },
            ]} />
          ) : null}
        </>
      )}
    </Shown>
  );
}
