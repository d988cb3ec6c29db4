// Health checks and request latencies.
import { CircleAlert, CircleCheck, Info, type LucideIcon, TriangleAlert } from 'lucide-preact';
import type { Schema } from '../../site/scripts/api.ts';
import { query, refresh, useResource } from '../resources.ts';
import { Badge, type Tone } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Icon } from '../ui/icon.tsx';
import { ResourceView } from '../ui/notice.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { count, lang, moment } from '../words.ts';
import { say } from './words.ts';

type Finding = Schema['HealthReport']['findings'][number];
type Route = Schema['PerformanceSummary']['routes'][number];

const tones: Readonly<Record<string, Tone>> = { ok: 'good', notice: 'warn', warning: 'warn', critical: 'bad' };
const icons: Readonly<Record<string, LucideIcon>> = {
  ok: CircleCheck,
  notice: Info,
  warning: TriangleAlert,
  critical: CircleAlert,
};

export function Diagnostics() {
  const path = query('/admin/health', { lang });
  return (
    <>
      <ResourceView resource={useResource<Schema['HealthReport']>(path, 120)}>
        {(h) => (
          <Card
            title={say('health')}
            hint={say('checked', { time: moment(h.at), version: h.version ?? '' })}
            flush
            aside={<Button task={() => refresh(path)}>{say('check_again')}</Button>}
          >
            <Findings findings={h.findings} />
          </Card>
        )}
      </ResourceView>
      <ResourceView resource={useResource<Schema['PerformanceSummary']>('/admin/observability/performance')}>
        {({ routes }) => (
          <Card title={say('performance')} hint={say('performance_hint')} flush>
            <Table
              caption={say('performance')}
              rows={routes}
              id={(r) => r.route}
              filterText={(r) => r.route}
              columns={columns}
              labelled
              exporter="none"
              counted={() => ''}
            />
          </Card>
        )}
      </ResourceView>
    </>
  );
}

/** The problems, and the passed checks in a collapsed section. */
function Findings({ findings }: { findings: readonly Finding[] }) {
  const passed = findings.filter((f) => f.severity === 'ok');
  const problems = findings.filter((f) => f.severity !== 'ok');
  return (
    <>
      {problems.length ? (
        <ul class="rows">
          {problems.map((f) => (
            <Check key={f.id} finding={f} />
          ))}
        </ul>
      ) : null}
      {passed.length ? (
        <details class="more in" open={!problems.length}>
          <summary>{say('passed', { count: passed.length })}</summary>
          <ul class="rows flush">
            {passed.map((f) => (
              <Check key={f.id} finding={f} />
            ))}
          </ul>
        </details>
      ) : null}
    </>
  );
}

function Check({ finding: f }: { finding: Finding }) {
  return (
    <li>
      <span class={f.severity === 'notice' ? 'warn' : (tones[f.severity] ?? '')}>
        <Icon of={icons[f.severity] ?? Info} />
      </span>
      <div class="grow stack g1">
        <p>{f.severity === 'ok' ? f.found : <b>{f.found}</b>}</p>
        {f.remedy ? <p class="small muted">{f.remedy}</p> : null}
      </div>
      {f.severity === 'ok' ? null : <Badge tone={tones[f.severity] ?? ''}>{say(`severity_${f.severity}`)}</Badge>}
    </li>
  );
}

const columns: readonly Column<Route>[] = [
  { key: 'route', name: say('route'), sortKey: (r) => r.route, cell: (r) => <code class="mono small">{r.route}</code> },
  { key: 'count', name: say('requests'), number: true, sortKey: (r) => r.count, cell: (r) => count(r.count) },
  ...(['p50', 'p95', 'p99', 'longest'] as const).map(
    (p): Column<Route> => ({
      key: p,
      name: say(p),
      number: true,
      sortKey: (r) => r[p],
      cell: (r) => <span class="nowrap">{count(Math.min(r[p], r.longest))} ms</span>, // percentiles are rounded up
    }),
  ),
];
