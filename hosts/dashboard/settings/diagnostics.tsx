// Health checks and request latencies.
import type { Schema } from '../../site/scripts/api.ts';
import { query, useResource } from '../resources.ts';
import { Badge, type Tone } from '../ui/badge.tsx';
import { ResourceView } from '../ui/notice.tsx';
import { Table } from '../ui/table.tsx';
import { count, lang, moment } from '../words.ts';
import { say } from './words.ts';

const tones: Readonly<Record<string, Tone>> = { ok: 'good', notice: '', warning: 'warn', critical: 'bad' };

// A passed check has the check's name as its ID.
const checks = [
  'backup',
  'campaigns',
  'certificate',
  'charging',
  'clock',
  'configuration',
  'content',
  'cron',
  'database',
  'disk',
  'domain',
  'films',
  'mail',
  'people',
  'processor',
  'reports',
  'repository',
  'webhooks',
] as const;

function found(f: Schema['HealthReport']['findings'][number]): string {
  const check = checks.find((c) => c === f.id);
  return check ? `${say(`check_${check}`)}: ${f.found}` : f.found;
}

export function Diagnostics() {
  return (
    <>
      <ResourceView resource={useResource<Schema['HealthReport']>(query('/admin/health', { lang }), 120)}>
        {(h) => (
          <>
            <p>{say('checked', { time: moment(h.at), version: h.version ?? '' })}</p>
            <ul class="todo">
              {h.findings.map((f) => (
                <li key={f.id}>
                  <Badge tone={tones[f.severity] ?? ''}>{say(`severity_${f.severity}`)}</Badge>
                  <span>{found(f)}</span>
                  <span class="act" />
                  {f.remedy ? <span class="remedy">{f.remedy}</span> : null}
                </li>
              ))}
            </ul>
          </>
        )}
      </ResourceView>
      <h2>{say('performance')}</h2>
      <ResourceView resource={useResource<Schema['PerformanceSummary']>('/admin/observability/performance')}>
        {({ routes }) => (
          <Table
            caption={say('performance')}
            rows={routes}
            id={(r) => r.route}
            filterText={(r) => r.route}
            columns={[
              { key: 'route', name: say('route'), sortKey: (r) => r.route, cell: (r) => <code>{r.route}</code> },
              { key: 'count', name: say('count'), number: true, sortKey: (r) => r.count, cell: (r) => count(r.count) },
              ...(['p50', 'p95', 'p99', 'longest'] as const).map((p) => ({
                key: p,
                name: say(p),
                number: true,
                sortKey: (r: Schema['PerformanceSummary']['routes'][number]) => r[p],
                cell: (r: Schema['PerformanceSummary']['routes'][number]) => `${count(r[p])} ms`,
              })),
            ]}
          />
        )}
      </ResourceView>
    </>
  );
}
