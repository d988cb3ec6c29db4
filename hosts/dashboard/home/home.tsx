// The home screen: today's figures, open tasks, the campaigns and the latest pledges.
import {
  Banknote,
  BookAlert,
  Check,
  CircleAlert,
  CircleHelp,
  CreditCard,
  Flag,
  Gavel,
  type LucideIcon,
  OctagonPause,
  Pencil,
  ShieldAlert,
  Timer,
  TriangleAlert,
} from 'lucide-preact';
import { useState } from 'preact/hooks';
import { NetworkError } from '../../site/scripts/api.ts';
import { CreateButton } from '../campaigns/createbutton.tsx';
import { PledgeItem, SupportersLink } from '../campaigns/feed.tsx';
import { byUrgency, NoCampaigns } from '../campaigns/list.tsx';
import { isLive, isOver } from '../campaigns/state.tsx';
import { type Summary, useLatestPledges, useSummaries } from '../campaigns/summary.ts';
import { connection } from '../connection.ts';
import { isRetryable, refresh } from '../resources.ts';
import { hrefTo } from '../router.ts';
import { isSuperAdmin, now, session } from '../session.ts';
import { Badge, KeyFigures } from '../ui/badge.tsx';
import { Card } from '../ui/card.tsx';
import { Empty } from '../ui/empty.tsx';
import { Icon } from '../ui/icon.tsx';
import { ErrorMessage, Loading, Notice, ResourceView } from '../ui/notice.tsx';
import { brand, Page } from '../ui/page.tsx';
import { ago, count, dayOfWeek, lang, longDay, price, signedPercent, timeOfDay } from '../words.ts';
import { NextCard } from './next.tsx';
import { CampaignRow } from './row.tsx';
import { HomeSkeleton } from './skeleton.tsx';
import { type Subject, type Task, useHealth, useTasks } from './tasks.ts';
import { say } from './words.ts';

export default function Home() {
  const { value, error, at } = useSummaries();
  if (!value) return error ? <HomeError error={error} /> : <HomeSkeleton />;
  const { campaigns } = value;
  if (!campaigns.length) return <FirstSteps />;
  const live = campaigns.filter(isLive);
  const lede = [
    `${capital(longDay(now()))}.`,
    connection.value.online || at === undefined
      ? say('collecting', { count: live.length })
      : say('figures_from', { time: timeOfDay(at) }),
  ].join(' ');
  return (
    <Page title={greeting()} lede={lede} actions={isSuperAdmin() ? <CreateButton /> : null}>
      <KeyFigures figures={figures(campaigns)} />
      <TaskCard />
      <CampaignCard campaigns={campaigns} />
      <div class="cols c21">
        <LatestCard />
        <div class="stack g6">
          <NextCard />
          {isSuperAdmin() ? <ServiceCard /> : null}
        </div>
      </div>
    </Page>
  );
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const evening = lang === 'es' ? 21 : 18; // the hour at which people start to say good evening

/** Returns the greeting for the time of day in the platform's time zone. */
function greeting(): string {
  const hour = Number(
    new Intl.DateTimeFormat('en-GB', { hour: '2-digit', timeZone: document.body.dataset.zone ?? 'UTC' }).format(now()),
  );
  return say(hour < 5 || hour >= evening ? 'evening' : hour < 12 ? 'morning' : 'afternoon');
}

/** Today's totals of all campaigns. */
function figures(campaigns: readonly Summary[]): Parameters<typeof KeyFigures>[0]['figures'] {
  const sum = (of: (c: Summary) => number | undefined): number => campaigns.reduce((n, c) => n + (of(c) ?? 0), 0);
  const today = sum((c) => c.days.at(-1)?.pledgedAmount);
  const lastWeek = sum((c) => c.days.at(-8)?.pledgedAmount);
  const pledges = sum((c) => c.days.at(-1)?.pledgeCount);
  const live = campaigns.filter(isLive);
  const funded = live.filter((c) => c.status === 'funded').length;
  return [
    [say('pledged_today'), price(today), lastWeek ? <Change now={today} before={lastWeek} /> : undefined],
    [
      say('pledges_today'),
      count(pledges),
      say('pledges_week', { count: sum((c) => c.days.slice(-7).reduce((n, d) => n + d.pledgeCount, 0)) }),
    ],
    [say('live'), count(live.length), live.length ? say('past_goal', { count: funded }) : undefined],
    [say('to_collect'), price(live.reduce((n, c) => n + c.pledgedAmount, 0)), say('to_collect_note')],
  ];
}

/** The difference between today's sum and that of the same day last week, in percent. */
function Change({ now: sum, before }: { now: number; before: number }) {
  const change = Math.round(((sum - before) * 100) / before);
  return (
    <>
      <span class={change > 0 ? 'good' : ''}>{signedPercent(change)}</span>{' '}
      {say('on_last', { day: dayOfWeek(now() - 7 * 86_400_000) })}
    </>
  );
}

const icons: Readonly<Record<Subject, LucideIcon>> = {
  unclear: CircleHelp,
  hold: OctagonPause,
  books: BookAlert,
  dispute: Gavel,
  fraud: ShieldAlert,
  charging: Banknote,
  failed: CreditCard,
  cards: Timer,
  launch: Flag,
  draft: Pencil,
  advice: TriangleAlert,
};

const tones = { critical: 'bad', warning: 'warn', notice: 'info' } as const;

/** The tone of a task's icon. Advice is shown as a risk even if it is not urgent. */
const toneOf = ({ severity, subject }: Task): string =>
  subject === 'advice' && severity === 'notice' ? 'warn' : tones[severity];

function TaskCard() {
  const tasks = useTasks();
  const health = useHealth();
  const known = !isSuperAdmin() || health.value !== undefined;
  return (
    <Card
      title={say('needed')}
      aside={<span class="small muted">{tasks?.length ? say('needed_order') : ''}</span>}
      flush
    >
      {health.error && !health.value ? (
        <div class="in">
          <Notice tone="warn">
            <p>{say('health_unknown')}</p>
          </Notice>
        </div>
      ) : null}
      {tasks?.length ? (
        <ul class="need">
          {tasks.map((t, i) => (
            <TaskItem key={t.id} task={t} first={i === 0} />
          ))}
        </ul>
      ) : known ? (
        <p class="in row soft">
          <Icon of={Check} />
          {say('caught_up')}
        </p>
      ) : health.error ? null : (
        <div class="in">
          <Loading lines={2} />
        </div>
      )}
    </Card>
  );
}

const TaskItem = ({ task: t, first }: { task: Task; first: boolean }) => (
  <li>
    <span class={`ic ${toneOf(t)}`}>
      <Icon of={icons[t.subject]} />
      <span class="unseen">{say(`severity_${t.severity}`)}</span>
    </span>
    <div class="grow">
      <h3>{t.title}</h3>
      {t.text ? <p class="small soft">{t.text}</p> : null}
    </div>
    {t.since ? <span class="tiny muted nowrap since">{t.since}</span> : null}
    <a
      class={`btn sm ${first && t.severity === 'critical' ? 'primary' : ''}`}
      href={t.href}
      aria-label={`${t.act}: ${t.title}`}
    >
      {t.act}
    </a>
  </li>
);

function CampaignCard({ campaigns }: { campaigns: readonly Summary[] }) {
  const active = campaigns.filter((c) => !c.archived && !isOver(c));
  const [all, setAll] = useState(active.length === 0);
  const shown = (all ? campaigns : active).toSorted(byUrgency);
  return (
    <Card
      title={say('campaigns')}
      flush
      aside={
        <>
          <div class="legend wide-only" aria-hidden="true">
            <span>
              <i />
              {say('legend_pledged')}
            </span>
            <span>
              <i class="lamp" />
              {say('legend_beyond')}
            </span>
            <span>
              <i class="notch" />
              {say('legend_time')}
            </span>
          </div>
          <div class="seg" role="group" aria-label={say('campaigns')}>
            <button type="button" aria-pressed={!all} onClick={() => setAll(false)}>
              {say('active')}
            </button>
            <button type="button" aria-pressed={all} onClick={() => setAll(true)}>
              {say('all', { number: campaigns.length })}
            </button>
          </div>
        </>
      }
    >
      <ul class="crows">
        {shown.map((c) => (
          <CampaignRow key={c.campaignSlug} campaign={c} />
        ))}
      </ul>
    </Card>
  );
}

const shownPledges = 12;

function LatestCard() {
  const latest = useLatestPledges();
  return (
    <Card title={say('latest')} aside={<SupportersLink />}>
      <ResourceView resource={latest}>
        {({ pledges }) =>
          pledges.length ? (
            <ul class="feed latest">
              {pledges.slice(0, shownPledges).map((p) => (
                <PledgeItem key={p.orderId} pledge={p} place={p.campaignTitle} />
              ))}
            </ul>
          ) : (
            <p class="soft">{say('no_pledges')}</p>
          )
        }
      </ResourceView>
    </Card>
  );
}

/** The checks shown on the service card, in order. */
const shownChecks = ['processor', 'cron', 'mail', 'backup', 'people'] as const;

const checkOf = (id: string): (typeof shownChecks)[number] =>
  shownChecks.find((c) => c === id || id.startsWith(`${c}.`)) ?? 'processor';

/** Short results for checks without findings. */
const brief = { processor: 'ok_processor', cron: 'ok_cron', people: 'ok_people' } as const;

function ServiceCard() {
  const health = useHealth();
  const findings = health.value?.findings ?? [];
  const critical = health.value?.severity === 'critical';
  const open = findings.filter((f) => f.severity !== 'ok').length;
  const shown = shownChecks.flatMap((id) => findings.find((f) => f.id === id || f.id.startsWith(`${id}.`)) ?? []);
  return (
    <Card
      title={say('service')}
      aside={
        health.value ? (
          <Badge tone={open ? (critical ? 'bad' : 'warn') : 'good'}>
            {open ? say('open_checks', { count: open }) : say('all_normal')}
          </Badge>
        ) : null
      }
      footer={
        <a class="link small" href={hrefTo(['settings', 'diagnostics'])}>
          {say('diagnostics')}
        </a>
      }
    >
      {health.value ? (
        <dl class="checks small">
          {shown.map((f) => (
            <div key={f.id}>
              <dt>{say(`check_${checkOf(f.id)}`)}</dt>
              <dd class={f.severity === 'ok' ? 'soft' : f.severity === 'critical' ? 'bad' : 'warn'}>
                {f.severity === 'ok' ? null : <span class="unseen">{say(`severity_${f.severity}`)} </span>}
                {f.severity === 'ok' && f.id in brief ? say(brief[f.id as keyof typeof brief]) : f.found}
              </dd>
            </div>
          ))}
        </dl>
      ) : health.error ? (
        <p class="soft">{say('health_unknown')}</p>
      ) : (
        <Loading lines={3} />
      )}
      {health.at && !connection.value.online ? (
        <p class="tiny muted">{ago(new Date(health.at).toISOString())}</p>
      ) : null}
    </Card>
  );
}

/**
 * The home screen of an operator without campaigns: the steps to the first campaign, or how to get
 * access.
 */
function FirstSteps() {
  const who = session.value;
  if (!isSuperAdmin())
    return (
      <Page title={say('welcome')} lede={say('signed_in_as', { email: who?.email ?? '' })}>
        <NoCampaigns />
      </Page>
    );
  return (
    <Page title={say('welcome_to', { name: brand || say('platform') })} lede={say('welcome_what')}>
      <SetUp />
      <NoCampaigns />
    </Page>
  );
}

function SetUp() {
  const { value } = useHealth();
  if (!value) return null;
  const fine = (id: string): boolean =>
    !value.findings.some(
      (f) => (f.id === id || f.id.startsWith(`${id}.`)) && (f.severity === 'critical' || f.severity === 'warning'),
    );
  const steps = [
    { name: 'name', done: brand !== '', href: hrefTo(['settings', 'site']) },
    { name: 'processor', done: fine('processor'), href: hrefTo(['settings', 'diagnostics']) },
    { name: 'mail', done: fine('mail') && fine('dns'), href: hrefTo(['settings', 'diagnostics']) },
  ] as const;
  return (
    <Card
      title={say('set_up')}
      flush
      aside={
        <span class="small soft">
          {say('done_of', { done: steps.filter((s) => s.done).length, total: steps.length })}
        </span>
      }
    >
      <ul class="steps">
        {steps.map((s) => (
          <li key={s.name}>
            <span class={`tick ${s.done ? 'ok' : ''}`}>
              {s.done ? <Icon of={Check} /> : null}
              <span class="unseen">{say(s.done ? 'state_done' : 'state_todo')}</span>
            </span>
            <div>
              <h3>{say(`step_${s.name}`)}</h3>
              <p class="small muted">{say(`step_${s.name}_what`)}</p>
            </div>
            {s.done ? (
              <span />
            ) : (
              <a class="btn sm" href={s.href} aria-label={`${say('open_step')}: ${say(`step_${s.name}`)}`}>
                {say('open_step')}
              </a>
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}

function HomeError({ error }: { error: unknown }) {
  if (!isRetryable(error))
    return (
      <Page title={greeting()}>
        <ErrorMessage error={error} focus={false} />
      </Page>
    );
  return (
    <Page title={greeting()}>
      <section class="card home-error" role="alert">
        <Empty
          icon={CircleAlert}
          title={say('not_loaded')}
          action={
            <button type="button" class="btn primary" onClick={() => void refresh('/admin/summary')}>
              {say('try_again')}
            </button>
          }
        >
          {say(error instanceof NetworkError ? 'offline' : 'not_loaded_what')}
        </Empty>
      </section>
    </Page>
  );
}
