// The usage of the hosting plan's limits.
import type { Schema } from '../../site/scripts/api.ts';
import { useResource } from '../resources.ts';
import { Badge } from '../ui/badge.tsx';
import { Card } from '../ui/card.tsx';
import { Notice, ResourceView } from '../ui/notice.tsx';
import { count, percent } from '../words.ts';
import { say } from './words.ts';

type Usage = Schema['PlanUsage']['usage'][number];

export function Plan() {
  return (
    <ResourceView resource={useResource<Schema['PlanUsage']>('/admin/plan-usage')}>
      {(u) => (
        <Card
          title={say('plan')}
          hint={say('plan_hint', { provider: u.provider, plan: u.plan })}
          flush={u.usage.length > 0}
        >
          {u.usage.length ? (
            <ul class="rows">
              {u.usage.map((x) => (
                <UsageRow key={x.id} usage={x} />
              ))}
            </ul>
          ) : u.missing.length ? (
            <Notice>
              <p>{say('plan_missing')}</p>
              <ul class="stack g1">
                {u.missing.map((names) => (
                  <li key={names}>
                    {names.split(' or ').map((name, i) => (
                      <span key={name}>
                        {i ? say('or') : ''}
                        <code class="mono small">{name}</code>
                      </span>
                    ))}
                  </li>
                ))}
              </ul>
            </Notice>
          ) : (
            <p class="soft">{say('plan_none')}</p>
          )}
        </Card>
      )}
    </ResourceView>
  );
}

function UsageRow({ usage: x }: { usage: Usage }) {
  const full = x.severity !== 'ok';
  return (
    <li>
      <div class="grow stack g2">
        <div class="row between">
          <a href={x.link} target="_blank" rel="noopener noreferrer">
            {x.name}
          </a>
          <span class="small muted">{say('used_of', { used: count(x.used), limit: count(x.limit) })}</span>
        </div>
        <div class={`mini ${full ? 'full' : ''}`} aria-hidden="true">
          <i style={{ width: `${Math.min(100, (x.used / x.limit) * 100)}%` }} />
        </div>
      </div>
      <Badge tone={x.severity === 'ok' ? 'good' : x.severity === 'warning' ? 'warn' : 'bad'}>
        {percent(x.used, x.limit)}
      </Badge>
    </li>
  );
}
