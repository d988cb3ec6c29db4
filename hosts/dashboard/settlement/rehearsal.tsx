// A settlement rehearsal on a copy of the data: the expected charges, the cards that would fail
// and inconsistencies.
import { History } from 'lucide-preact';
import { useMemo } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { change } from '../changes.ts';
import { type Resource, refresh, useResource } from '../resources.ts';
import { hrefTo } from '../router.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Icon } from '../ui/icon.tsx';
import { Notice, ResourceView } from '../ui/notice.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { ago, money, price } from '../words.ts';
import { reasonText } from './reasons.ts';
import { say } from './rehearsalwords.ts';

type Rehearsal = Schema['Rehearsal'];
type Forecast = Schema['Forecast'];
type Finding = Forecast['findings'][number];

export interface RehearsalControl {
  readonly resource: Resource<Rehearsal>;
  readonly start: () => Promise<void>;
}

/**
 * Reads a campaign's last rehearsal, every two seconds while it is running. An empty slug reads
 * nothing.
 */
export function useRehearsal(slug: string): RehearsalControl {
  const path = slug ? `/admin/settle-rehearsal/${slug}` : '';
  const running = useResource<Rehearsal>(path).value?.status === 'running';
  const resource = useResource<Rehearsal>(path, running ? 2 : 0);
  const start = async (): Promise<void> => {
    await change<Rehearsal>(path, {});
    await refresh(path);
  };
  return { resource, start };
}

/** The button that starts a rehearsal, if this server supports it. */
function RehearseButton({ rehearsal: { resource, start } }: { rehearsal: RehearsalControl }) {
  const status = resource.value?.status;
  if (!status || status === 'unavailable') return null;
  return (
    <Button task={start} disabled={status === 'running'}>
      <Icon of={History} />
      {say(status === 'none' ? 'start' : 'again')}
    </Button>
  );
}

export function Rehearse({ rehearsal, slug }: { rehearsal: RehearsalControl; slug: string }) {
  const { resource } = rehearsal;
  const r = resource.value;
  return (
    <Card
      flush
      title={say('title')}
      aside={<RehearseButton rehearsal={rehearsal} />}
      {...(r?.forecast ? { hint: say('as_of', { ago: ago(r.endedAt ?? '') }) } : {})}
    >
      <ResourceView resource={resource}>
        {(value) => (
          <>
            <div class="in stack">
              {value.status === 'unavailable' ? <p class="soft">{say('unavailable')}</p> : null}
              {value.status === 'none' ? <p class="soft prose">{say('what')}</p> : null}
              {value.status === 'running' ? <Running rehearsal={value} /> : null}
              {value.status === 'failed' ? (
                <Notice tone="warn">
                  <p>{say('failed', { why: value.error ?? '' })}</p>
                </Notice>
              ) : null}
              {value.forecast ? <Verdict forecast={value.forecast} /> : null}
            </div>
            {value.forecast?.findings.length ? <Findings slug={slug} forecast={value.forecast} /> : null}
          </>
        )}
      </ResourceView>
    </Card>
  );
}

function Running({ rehearsal: { cards, read } }: { rehearsal: Rehearsal }) {
  const text = cards ? say('reading', { read, count: cards }) : say('copying');
  const share = cards ? `${(100 * read) / cards}%` : '0%';
  return (
    <div class="stack g2" role="status">
      <p class="small">{text}</p>
      <div
        class="gauge"
        role="progressbar"
        aria-label={text}
        aria-valuemin={0}
        aria-valuemax={cards || 1}
        {...(cards ? { 'aria-valuenow': read } : {})}
        style={{ '--v': share }}
      >
        <i />
      </div>
    </div>
  );
}

function Verdict({ forecast }: { forecast: Forecast }) {
  const [tone, title, text] = verdict(forecast);
  return (
    <Notice tone={tone}>
      <b>{title}</b>
      <p class="small">{text}</p>
    </Notice>
  );
}

function verdict(f: Forecast): readonly ['' | 'good' | 'warn', string, string] {
  const goal = price(f.goal);
  if (!f.funded) return ['', say('not_funded'), say('not_funded_text', { counted: price(f.counted), goal })];
  if (f.countedCollected < f.goal)
    return ['warn', say('short'), say('short_text', { sum: money(f.goal - f.countedCollected), goal })];
  const noFailures = !f.failed && !f.passedOver;
  return ['good', say(noFailures ? 'stays_all' : 'stays'), say('stays_text', { sum: money(f.mayFail), goal })];
}

/** The expected problems: one row for each kind, and each charge below. */
function Findings({ slug, forecast }: { slug: string; forecast: Forecast }) {
  const columns = useMemo(() => columnsOf(slug), [slug]);
  const { findings } = forecast;
  return (
    <>
      <div class="tablewrap">
        <table class="table cards">
          <caption class="unseen">{say('findings')}</caption>
          <thead>
            <tr>
              <th scope="col">{say('findings')}</th>
              <th scope="col" class="end">
                {say('amount')}
              </th>
              <th scope="col">{say('consequence')}</th>
            </tr>
          </thead>
          <tbody>
            {byKind(findings).map(([kind, n, sum]) => (
              <tr key={kind}>
                <th scope="row">{say(kind, { count: n })}</th>
                <td class="end">
                  <b>{money(sum)}</b>
                </td>
                <td class="ph-full">
                  {say(`then_${kind}`)}{' '}
                  {askable.has(kind) ? <a href={hrefTo(['campaigns', slug])}>{say('check_cards')}</a> : null}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <details class="more in">
        <summary>{say('each', { count: findings.length })}</summary>
        <div>
          <Table
            name="rehearsal"
            caption={say('each', { count: findings.length })}
            rows={findings}
            id={(f) => `${f.kind} ${f.orderIds?.join() ?? ''} ${f.message}`}
            columns={columns}
            filterText={(f) => `${say(f.kind, { count: 1 })} ${f.email ?? ''} ${f.orderIds?.join(' ') ?? ''}`}
          />
        </div>
      </details>
    </>
  );
}

/** The findings whose supporters can be asked for another card. */
const askable: ReadonlySet<Finding['kind']> = new Set(['card_expires', 'card_missing', 'card_detached']);

/** Returns the number and the total amount of findings of each kind. */
function byKind(findings: readonly Finding[]): readonly (readonly [Finding['kind'], number, number])[] {
  const by = new Map<Finding['kind'], readonly [number, number]>();
  for (const f of findings) {
    const [n, sum] = by.get(f.kind) ?? [0, 0];
    by.set(f.kind, [n + 1, sum + f.amount]);
  }
  return [...by].map(([kind, [n, sum]]) => [kind, n, sum]);
}

/**
 * Returns a finding's message. For a skipped pledge the server's message is a status and a reason
 * code.
 */
function detail({ kind, message }: Finding): string {
  return kind === 'passed_over' ? reasonText(message.replace(/^\w+: /, '')) : message;
}

const columnsOf = (slug: string): readonly Column<Finding>[] => [
  {
    key: 'who',
    name: say('who'),
    sortKey: (f) => f.email ?? '',
    cell: (f) =>
      f.orderIds?.[0] ? <a href={hrefTo(['supporters', slug, f.orderIds[0]])}>{f.email ?? f.orderIds[0]}</a> : '—',
  },
  { key: 'amount', name: say('amount'), number: true, sortKey: (f) => f.amount, cell: (f) => money(f.amount) },
  {
    key: 'what',
    name: say('what_column'),
    sortKey: (f) => f.kind,
    cell: (f) => (
      <>
        {say(f.kind, { count: 1 })} <span class="small muted">{detail(f)}</span>
      </>
    ),
  },
];
