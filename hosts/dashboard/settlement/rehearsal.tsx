// A settlement rehearsal on a copy of the data: the expected charges, the cards that would fail
// and inconsistencies.
import type { Schema } from '../../site/scripts/api.ts';
import { change } from '../changes.ts';
import { refresh, useResource } from '../resources.ts';
import { hrefTo } from '../router.ts';
import { Badge, KeyFigures } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Notice, ResourceView } from '../ui/notice.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { ago, count, moment, money, percent } from '../words.ts';
import { say } from './rehearsalwords.ts';

type Rehearsal = Schema['Rehearsal'];
type Forecast = Schema['Forecast'];
type Finding = Forecast['findings'][number];

export function Rehearse({ slug }: { slug: string }) {
  const path = `/admin/settle-rehearsal/${slug}`;
  const running = useResource<Rehearsal>(path).value?.status === 'running';
  const resource = useResource<Rehearsal>(path, running ? 2 : 0);
  const start = async (): Promise<void> => {
    await change<Rehearsal>(path, {});
    await refresh(path);
  };
  return (
    <section aria-labelledby="rehearsal">
      <h2 id="rehearsal">{say('title')}</h2>
      <p>{say('what')}</p>
      <ResourceView resource={resource}>
        {(r) =>
          r.status === 'unavailable' ? (
            <Notice>{say('unavailable')}</Notice>
          ) : (
            <>
              <p>
                <Button quiet disabled={running} task={start}>
                  {say(r.status === 'none' ? 'start' : 'again')}
                </Button>
              </p>
              {running ? <Running rehearsal={r} /> : null}
              {r.status === 'failed' ? <Notice tone="bad">{say('failed', { why: r.error ?? '' })}</Notice> : null}
              {r.forecast ? <Result slug={slug} forecast={r.forecast} ended={r.endedAt ?? ''} /> : null}
            </>
          )
        }
      </ResourceView>
    </section>
  );
}

function Running({ rehearsal }: { rehearsal: Rehearsal }) {
  const words = rehearsal.cards ? say('reading', { read: rehearsal.read, count: rehearsal.cards }) : say('copying');
  return (
    <div role="status">
      <p class="small">{words}</p>
      <progress {...(rehearsal.cards ? { value: rehearsal.read, max: rehearsal.cards } : {})} aria-label={words} />
    </div>
  );
}

const nanoseconds = 60_000_000_000; // per minute

function Result({ slug, forecast, ended }: { slug: string; forecast: Forecast; ended: string }) {
  return (
    <>
      <p class="small">{say('as_of', { ago: ago(ended), time: moment(forecast.at) })}</p>
      <Verdict forecast={forecast} />
      <KeyFigures
        figures={[
          [say('charged'), count(forecast.charged), say('of_supporters', { count: forecast.supporters })],
          [say('refused'), count(forecast.failed), say('passed_over', { count: forecast.passedOver })],
          [
            say('collected'),
            money(forecast.funds.collected),
            say('available', { sum: money(forecast.funds.available) }),
          ],
          [
            say('counted'),
            money(forecast.countedCollected),
            say('of_goal', { share: percent(forecast.countedCollected, forecast.goal), goal: money(forecast.goal) }),
          ],
          [
            say('mails'),
            count(forecast.mails),
            say('lasts', { count: Math.max(1, Math.ceil(forecast.atLeast / nanoseconds)) }),
          ],
        ]}
      />
      {forecast.findings.length ? (
        <>
          <h3>{say('findings')}</h3>
          <ul>
            {sums(forecast.findings).map(([kind, n, sum]) => (
              <li key={kind}>{say('sum', { what: say(kind), n, sum: money(sum) })}</li>
            ))}
          </ul>
          <Table
            name="rehearsal"
            caption={say('findings')}
            rows={forecast.findings}
            id={(f) => `${f.kind} ${f.orderIds?.join() ?? ''} ${f.message}`}
            columns={columns(slug)}
            filterText={(f) => `${say(f.kind)} ${f.email ?? ''} ${f.orderIds?.join(' ') ?? ''}`}
          />
        </>
      ) : (
        <Notice tone="good">{say('no_findings')}</Notice>
      )}
    </>
  );
}

function Verdict({ forecast }: { forecast: Forecast }) {
  if (!forecast.funded)
    return <Notice>{say('not_funded', { counted: money(forecast.counted), goal: money(forecast.goal) })}</Notice>;
  if (forecast.countedCollected < forecast.goal)
    return <Notice tone="bad">{say('short', { sum: money(forecast.goal - forecast.countedCollected) })}</Notice>;
  return <Notice tone="good">{say('stays', { sum: money(forecast.mayFail) })}</Notice>;
}

/** Returns the number and the total amount of findings of each kind. */
function sums(findings: readonly Finding[]): readonly (readonly [Finding['kind'], number, number])[] {
  const by = new Map<Finding['kind'], readonly [number, number]>();
  for (const f of findings) {
    const [n, sum] = by.get(f.kind) ?? [0, 0];
    by.set(f.kind, [n + 1, sum + f.amount]);
  }
  return [...by].map(([kind, [n, sum]]) => [kind, n, sum]);
}

const columns = (slug: string): readonly Column<Finding>[] => [
  {
    key: 'what',
    name: say('what_column'),
    sortKey: (f) => f.kind,
    cell: (f) => (
      <>
        <Badge tone={f.kind === 'card_unread' ? 'warn' : 'bad'}>{say(f.kind)}</Badge>{' '}
        <span class="small">{f.message}</span>
      </>
    ),
  },
  {
    key: 'who',
    name: say('who'),
    sortKey: (f) => f.email ?? '',
    cell: (f) =>
      f.orderIds?.[0] ? <a href={hrefTo(['supporters', slug, f.orderIds[0]])}>{f.email ?? f.orderIds[0]}</a> : '—',
  },
  { key: 'amount', name: say('amount'), number: true, sortKey: (f) => f.amount, cell: (f) => money(f.amount) },
];
