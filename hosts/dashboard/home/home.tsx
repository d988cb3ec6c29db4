// The home screen: tasks that need an operator, and the campaigns with their key figures.
import type { Schema } from '../../site/scripts/api.ts';
import { CampaignFigures } from '../campaigns/figures.tsx';
import { Progress } from '../campaigns/progress.tsx';
import { StateBadge } from '../campaigns/state.tsx';
import { type Summary, useSummaries } from '../campaigns/summary.ts';
import { drafts } from '../editor/draftstore.ts';
import { query, useResource } from '../resources.ts';
import { hrefTo } from '../router.ts';
import { isSuperAdmin, session } from '../session.ts';
import { Badge, type Tone } from '../ui/badge.tsx';
import { Loading, Notice, ResourceView } from '../ui/notice.tsx';
import { lang, money } from '../words.ts';
import { say } from './words.ts';

type Finding = Schema['HealthReport']['findings'][number];

export default function Home() {
  const who = session.value;
  return (
    <>
      <h1>{say('hello', { name: who?.name || who?.email || '' })}</h1>
      <ResourceView resource={useSummaries()}>
        {({ campaigns }) => (
          <>
            <TaskList campaigns={campaigns} />
            {campaigns.length ? <h2>{say('campaigns')}</h2> : <Notice>{say('none')}</Notice>}
            {campaigns
              .filter((c) => !c.archived)
              .toSorted(byState)
              .map((c) => (
                <Campaign key={c.campaignSlug} campaign={c} />
              ))}
          </>
        )}
      </ResourceView>
    </>
  );
}

const order = { live: 0, ended: 1, upcoming: 2 } as const;
const byState = (a: Summary, b: Summary): number =>
  order[a.state] - order[b.state] || (a.endsAt ?? '').localeCompare(b.endsAt ?? '');

function Campaign({ campaign }: { campaign: Summary }) {
  return (
    <section class="home-campaign">
      <div class="row head-row">
        <h3>
          <a href={hrefTo(['campaigns', campaign.campaignSlug])}>{campaign.campaignTitle}</a>
        </h3>
        <StateBadge campaign={campaign} />
      </div>
      <CampaignFigures campaign={campaign} />
      {campaign.state === 'live' ? <Progress campaign={campaign} /> : null}
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

function TaskList({ campaigns }: { campaigns: readonly Summary[] }) {
  const health = useResource<Schema['HealthReport']>(isSuperAdmin() ? query('/admin/health', { lang }) : '', 120);
  const tasks = [
    ...campaigns.flatMap(settlementTasks),
    ...draftTasks(campaigns),
    ...(health.value?.findings ?? []).filter((f) => f.severity !== 'ok').map(findingTask),
  ];
  const healthKnown = !isSuperAdmin() || health.value !== undefined;
  return (
    <section aria-label={say('needed')}>
      <h2>{say('needed')}</h2>
      {health.error ? <Notice tone="warn">{say('health_unknown')}</Notice> : null}
      {tasks.length ? (
        <ul class="todo">
          {tasks.map((t) => (
            <li key={t.id}>
              <Badge tone={t.tone}>{t.label}</Badge>
              <span>{t.text}</span>
              {t.at ? (
                <a class="act" href={t.at}>
                  {say('look')}
                </a>
              ) : (
                <span class="act" />
              )}
              {t.remedy ? <span class="remedy">{t.remedy}</span> : null}
            </li>
          ))}
        </ul>
      ) : healthKnown ? (
        <p class="empty">{say('nothing')}</p>
      ) : health.error ? null : (
        <Loading />
      )}
    </section>
  );
}

const tones: Readonly<Record<string, Tone>> = { critical: 'bad', warning: 'warn', notice: '' };

function findingTask(f: Finding): Task {
  return {
    id: f.id,
    tone: tones[f.severity] ?? '',
    label: say(`severity_${f.severity}`),
    text: f.found,
    remedy: f.remedy,
  };
}

/** Returns a task for each unpublished draft in this browser. */
function draftTasks(campaigns: readonly Summary[]): readonly Task[] {
  return drafts().flatMap(({ file, fields }): readonly Task[] => {
    const [place, name] = editorRoute(file, campaigns);
    return place
      ? [{ id: file, tone: '', label: say('draft'), text: say('drafted', { name, count: fields }), at: hrefTo(place) }]
      : [];
  });
}

/** Returns the route of a file's editor and the file's name. The route is null if the operator may not open it. */
function editorRoute(file: string, campaigns: readonly Summary[]): readonly [readonly string[] | null, string] {
  if (file === 'site.yml') return [isSuperAdmin() ? ['settings', 'site'] : null, say('site')];
  if (file === 'add-ons.yml') return [isSuperAdmin() ? ['add-ons'] : null, say('add_ons')];
  const campaign = campaigns.find((c) => file === `campaigns/${c.campaignSlug}.md`);
  return [campaign ? ['campaigns', campaign.campaignSlug, 'content'] : null, campaign?.campaignTitle ?? ''];
}

/** Returns the tasks that a campaign's settlement needs an operator for. */
function settlementTasks(c: Summary): readonly Task[] {
  const at = hrefTo(['campaigns', c.campaignSlug, 'settlement']);
  const title = c.campaignTitle;
  if (!isSuperAdmin() || c.state !== 'ended') return [];
  if (c.settlement?.needsAttention)
    return [
      {
        id: `unclear ${c.campaignSlug}`,
        tone: 'bad',
        label: say('settlement'),
        text: say('unclear', { title, count: c.settlement.needsAttention }),
        at,
      },
    ];
  if (!c.settlement && c.pledgedAmount >= c.goalAmount)
    return [
      {
        id: `ready ${c.campaignSlug}`,
        tone: 'warn',
        label: say('settlement'),
        text: say('ready', { title, sum: money(c.pledgedAmount) }),
        at,
      },
    ];
  if (c.settlement?.status === 'running')
    return [{ id: `runs ${c.campaignSlug}`, tone: '', label: say('settlement'), text: say('runs', { title }), at }];
  return [];
}
