// A settlement played before its night, on a copy: what would be charged, which cards would
// fail and why, and what doesn't add up.
import type { Schema } from '../../site/scripts/api.ts';
import { change } from '../changing.ts';
import { to } from '../place.ts';
import { refresh, useReading } from '../reading.ts';
import { Badge, Figures } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Note, Shown } from '../ui/notice.tsx';
import { Table, type Column } from '../ui/table.tsx';
import { ago, count, money, moment, percent } from '../words.ts';
import { say } from './rehearsalwords.ts';

type Rehearsal = Schema['Rehearsal'];
type Forecast = Schema['Forecast'];
type Finding = Forecast['findings'][number];

export function Rehearse({ slug }: { slug: string }) {
  const path = `/admin/settle-rehearsal/${slug}`;
  const running = useReading<Rehearsal>(path).value?.status === 'running';
  const reading = useReading<Rehearsal>(path, running ? 2 : 0);
  const start = async (): Promise<void> => {
    await change<Rehearsal>(path, {});
    await refresh(path);
  };
  return (
    <section aria-labelledby="rehearsal">
      <h2 id="rehearsal">{say('title')}</h2>
      <p>{say('what')}</p>
      <Shown reading={reading}>
        {(r) => r.status === 'unavailable' ? <Note>{say('unavailable')}</Note> : (
          <>
            <p><Button quiet disabled={running} task={start}>{say(r.status === 'none' ? 'start' : 'again')}</Button></p>
            {running ? <Running of={r} /> : null}
            {r.status === 'failed' ? <Note tone="bad">{say('failed', { why: r.error ?? '' })}</Note> : null}
            {r.forecast ? <Result slug={slug} of={r.forecast} ended={r.endedAt ?? ''} /> : null}
          </>
        )}
      </Shown>
    </section>
  );
}

function Running({ of }: { of: Rehearsal }) {
  const words = of.cards ? say('reading', { read: of.read, count: of.cards }) : say('copying');
  return <div role="status"><p class="small">{words}</p><progress {...(of.cards ? { value: of.read, max: of.cards } : {})} aria-label={words} /></div>;
}

const nanoseconds = 60_000_000_000; // of a minute

function Result({ slug, of, ended }: { slug: string; of: Forecast; ended: string }) {
  return (
    <>
      <p class="small">{say('as_of', { ago: ago(ended), time: moment(of.at) })}</p>
      <Verdict of={of} />
      <Figures of={[
        [say('charged'), count(of.charged), say('of_supporters', { count: of.supporters })],
        [say('refused'), count(of.failed), say('passed_over', { count: of.passedOver })],
        [say('collected'), money(of.funds.collected), say('available', { sum: money(of.funds.available) })],
        [say('counted'), money(of.countedCollected), say('of_goal', { share: percent(of.countedCollected, of.goal), goal: money(of.goal) })],
        [say('mails'), count(of.mails), say('lasts', { count: Math.max(1, Math.ceil(of.atLeast / nanoseconds)) })],
      ]} />
      {of.findings.length ? (
        <>
          <h3>{say('findings')}</h3>
          <ul>{sums(of.findings).map(([kind, n, sum]) => <li key={kind}>{say('sum', { what: say(kind), n, sum: money(sum) })}</li>)}</ul>
          <Table name="rehearsal" caption={say('findings')} rows={of.findings} id={(f) => `${f.kind} ${f.orderIds?.join() ?? ''} ${f.message}`} columns={columns(slug)}
            text={(f) => `${say(f.kind)} ${f.email ?? ''} ${f.orderIds?.join(' ') ?? ''}`} />
        </>
      ) : <Note tone="good">{say('no_findings')}</Note>}
    </>
  );
}

function Verdict({ of }: { of: Forecast }) {
  if (!of.funded) return <Note>{say('not_funded', { counted: money(of.counted), goal: money(of.goal) })}</Note>;
  if (of.countedCollected < of.goal) return <Note tone="bad">{say('short', { sum: money(of.goal - of.countedCollected) })}</Note>;
  return <Note tone="good">{say('stays', { sum: money(of.mayFail) })}</Note>;
}

/** How many findings there are of each kind, and of how much. */
function sums(findings: readonly Finding[]): readonly (readonly [Finding['kind'], number, number])[] {
  const by = new Map<Finding['kind'], readonly [number, number]>();
  for (const f of findings) {
    const [n, sum] = by.get(f.kind) ?? [0, 0];
    by.set(f.kind, [n + 1, sum + f.amount]);
  }
  return [...by].map(([kind, [n, sum]]) => [kind, n, sum]);
}

const columns = (slug: string): readonly Column<Finding>[] => [
  { key: 'what', name: say('what_column'), by: (f) => f.kind, cell: (f) => <><Badge tone={f.kind === 'card_unread' ? 'warn' : 'bad'}>{say(f.kind)}</Badge> <span class="small">{f.message}</span></> },
  { key: 'who', name: say('who'), by: (f) => f.email ?? '', cell: (f) => (f.orderIds?.[0] ? <a href={to(['supporters', slug, f.orderIds[0]])}>{f.email ?? f.orderIds[0]}</a> : '—') },
  { key: 'amount', name: say('amount'), number: true, by: (f) => f.amount, cell: (f) => money(f.amount) },
];
