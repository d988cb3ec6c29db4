// The usage of the hosting plan's limits.
import type { Schema } from '../../site/scripts/api.ts';
import { useResource } from '../resources.ts';
import { Badge } from '../ui/badge.tsx';
import { Notice, ResourceView } from '../ui/notice.tsx';
import { Table } from '../ui/table.tsx';
import { count, percent } from '../words.ts';
import { say } from './words.ts';

export function Plan() {
  return (
    <ResourceView resource={useResource<Schema['PlanUsage']>('/admin/plan-usage')}>
      {(u) => (
        <>
          <p>{say('plan_what', { provider: u.provider, plan: u.plan })}</p>
          {u.missing.length ? <Notice>{say('plan_missing', { names: u.missing.join(', ') })}</Notice> : null}
          {u.usage.length ? (
            <Table
              caption={say('plan')}
              rows={u.usage}
              id={(x) => x.id}
              columns={[
                {
                  key: 'name',
                  name: say('name'),
                  sortKey: (x) => x.name,
                  cell: (x) => (
                    <a href={x.link} target="_blank" rel="noopener noreferrer">
                      {x.name}
                    </a>
                  ),
                },
                { key: 'used', name: say('used'), number: true, sortKey: (x) => x.used, cell: (x) => count(x.used) },
                {
                  key: 'limit',
                  name: say('limit'),
                  number: true,
                  sortKey: (x) => x.limit,
                  cell: (x) => count(x.limit),
                },
                {
                  key: 'share',
                  name: say('share'),
                  number: true,
                  sortKey: (x) => x.used / x.limit,
                  cell: (x) => percent(x.used, x.limit),
                },
                {
                  key: 'state',
                  name: say('state'),
                  sortKey: (x) => x.severity,
                  cell: (x) => (
                    <Badge tone={x.severity === 'ok' ? 'good' : x.severity === 'warning' ? 'warn' : 'bad'}>
                      {say(`severity_${x.severity}`)}
                    </Badge>
                  ),
                },
              ]}
            />
          ) : null}
        </>
      )}
    </ResourceView>
  );
}
