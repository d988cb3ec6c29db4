// What needs a person, and how the campaigns go. Empty where nothing does.
import type { Schema } from '../../site/scripts/api.ts';
import { FiguresOf } from '../campaigns/figures.tsx';
import { Progress } from '../campaigns/progress.tsx';
import { State } from '../campaigns/state.tsx';
import { useSummaries, type Summary } from '../campaigns/summary.ts';
import { drafts } from '../editor/kept.ts';
import { to } from '../place.ts';
import { query, useReading } from '../reading.ts';
import { platform, session } from '../session.ts';
import { Badge, type Tone } from '../ui/badge.tsx';
import { Loading, Note, Shown } from '../ui/notice.tsx';
import { lang, money } from '../words.ts';
import { say } from './words.ts';

type Finding = Schema['HealthReport']['findings'][number];

export default function Home() {
  const who = session.value;
  return (
    <>
      <h1>{say('hello', { name: who?.name || who?.email || '' })}</h1>
      <Shown reading={useSummaries()}>
        {({ campaigns }) => (
          <>
            <Needed campaigns={campaigns} />
            {campaigns.length ? <h2>{say('campaigns')}</h2> : <Note>{say('none')}</Note>}
            {campaigns.filter((c) => !c.archived).toSorted(byState).map((c) => <Campaign key={c.campaignSlug} of={c} />)}
          </>
        )}
      </Shown>
    </>
  );
}

const order = { live: 0, ended: 1, upcoming: 2 } as const;
const byState = (a: Summary, b: Summary): number => order[a.state] - order[b.state] || (a.endsAt ?? '').localeCompare(b.endsAt ?? '');

function Campaign({ of }: { of: Summary }) {
  return (
    <section class="home-campaign">
      <div class="row head-row"><h3><a href={to(['campaigns', of.campaignSlug])}>{of.campaignTitle}</a></h3><State of={of} /></div>
      <FiguresOf of={of} />
      {of.state === 'live' ? <Progress of={of} /> : null}
    </section>
  );
}

interface Task {
  readonly id: string;
  readonly tone: Tone;
  readonly label: string;
  readonly text: string;
  readonly remedy?: string | undefined;
  readonly at?: string;
}

function Needed({ campaigns }: { campaigns: readonly Summary[] }) {
  const health = useReading<Schema['HealthReport']>(platform() ? query('/admin/health', { lang }) : '', 120);
  const tasks = [...campaigns.flatMap(settling), ...drafted(campaigns), ...(health.value?.findings ?? []).filter((f) => f.severity !== 'ok').map(found)];
  const known = !platform() || health.value !== undefined;
  return (
    <section aria-label={say('needed')}>
      <h2>{say('needed')}</h2>
      {health.error ? <Note tone="warn">{say('health_unknown')}</Note> : null}
      {tasks.length ? (
        <ul class="todo">
          {tasks.map((t) => (
            <li key={t.id}>
              <Badge tone={t.tone}>{t.label}</Badge><span>{t.text}</span>{t.at ? <a class="act" href={t.at}>{say('look')}</a> : <span class="act" />}
              {t.remedy ? <span class="remedy">{t.remedy}</span> : null}
            </li>
          ))}
        </ul>
      ) : known ? <p class="empty">{say('nothing')}</p> : health.error ? null : <Loading />}
    </section>
  );
}

const tones: Readonly<Record<string, Tone>> = { critical: 'bad', warning: 'warn', notice: '' };

function found(f: Finding): Task {
  return { id: f.id, tone: tones[f.severity] ?? '', label: say(`severity_${f.severity}`), text: f.found, remedy: f.remedy };
}

/** What was typed into a form of this browser and is not published. */
function drafted(campaigns: readonly Summary[]): readonly Task[] {
  return drafts().flatMap(({ file, fields }): readonly Task[] => {
    const [place, name] = placeOf(file, campaigns);
    return place ? [{ id: file, tone: '', label: say('draft'), text: say('drafted', { name, count: fields }), at: to(place) }] : [];
  });
}

/** Where a file is edited, and what it's called; nowhere for whoever doesn't see it. */
function placeOf(file: string, campaigns: readonly Summary[]): readonly [readonly string[] | null, string] {
  if (file === 'site.yml') return [platform() ? ['settings', 'site'] : null, say('site')];
  if (file === 'add-ons.yml') return [platform() ? ['add-ons'] : null, say('add_ons')];
  const of = campaigns.find((c) => file === `campaigns/${c.campaignSlug}.md`);
  return [of ? ['campaigns', of.campaignSlug, 'content'] : null, of?.campaignTitle ?? ''];
}

/** What a settlement needs of a person. */
function settling(c: Summary): readonly Task[] {
  const at = to(['campaigns', c.campaignSlug, 'settlement']);
  const title = c.campaignTitle;
  if (!platform() || c.state !== 'ended') return [];
  if (c.settlement?.needsAttention) return [{ id: `unclear ${c.campaignSlug}`, tone: 'bad', label: say('settlement'), text: say('unclear', { title, count: c.settlement.needsAttention }), at }];
  if (!c.settlement && c.pledgedAmount >= c.goalAmount) return [{ id: `ready ${c.campaignSlug}`, tone: 'warn', label: say('settlement'), text: say('ready', { title, sum: money(c.pledgedAmount) }), at }];
  if (c.settlement?.status === 'running') return [{ id: `runs ${c.campaignSlug}`, tone: '', label: say('settlement'), text: say('runs', { title }), at }];
  return [];
}
