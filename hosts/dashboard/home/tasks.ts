// The tasks for operators, the most urgent first.
import type { Schema } from '../../site/scripts/api.ts';
import { isLive } from '../campaigns/state.tsx';
import { type Summary, useSummaries } from '../campaigns/summary.ts';
import { lastDay, timeUntil } from '../campaigns/time.ts';
import { draftChanges, drafts } from '../editor/draftstore.ts';
import { query, type Resource, useResource } from '../resources.ts';
import { hrefTo } from '../router.ts';
import { hasPermission, isSuperAdmin, now } from '../session.ts';
import { ago, lang, longDay, money } from '../words.ts';
import { say } from './words.ts';

type Severity = 'critical' | 'warning' | 'notice';
type Disputes = NonNullable<Summary['disputes']>;
type FraudWarnings = NonNullable<Summary['fraudWarnings']>;
type HealthReport = Schema['HealthReport'];
type Finding = HealthReport['findings'][number];

/** The subjects of tasks, in the order of urgency among tasks of the same severity. */
const subjects = [
  'unclear',
  'hold',
  'books',
  'dispute',
  'fraud',
  'charging',
  'failed',
  'cards',
  'launch',
  'draft',
  'advice',
] as const;
export type Subject = (typeof subjects)[number];

export interface Task {
  readonly id: string;
  readonly severity: Severity;
  readonly subject: Subject;
  readonly title: string;
  readonly text: string;
  /** The time from which or until which the task is open. */
  readonly since?: string;
  /** The link to the screen where the task is done, and its label. */
  readonly href: string;
  readonly act: string;
}

const severities: readonly Severity[] = ['critical', 'warning', 'notice'];

/** Orders tasks by severity, then by subject. */
export const byUrgency = (a: Task, b: Task): number =>
  severities.indexOf(a.severity) - severities.indexOf(b.severity) ||
  subjects.indexOf(a.subject) - subjects.indexOf(b.subject);

/** Reads the service's health checks, which only a super admin may see. */
export const useHealth = (): Resource<HealthReport> =>
  useResource<HealthReport>(isSuperAdmin() ? query('/admin/health', { lang }) : '', 120);

/** Returns the tasks of the signed-in operator; undefined until the campaigns have been read. */
export function useTasks(): readonly Task[] | undefined {
  const campaigns = useSummaries().value?.campaigns;
  const findings = useHealth().value?.findings ?? [];
  if (!campaigns || draftChanges.value < 0) return undefined;
  return tasksOf(campaigns, findings);
}

/**
 * Returns the tasks that result from the campaigns, the service's findings and this browser's
 * drafts.
 */
function tasksOf(campaigns: readonly Summary[], findings: readonly Finding[]): readonly Task[] {
  const unclear = campaigns.some((c) => c.settlement?.needsAttention);
  return [
    ...campaigns.filter((c) => !c.archived).flatMap(campaignTasks),
    ...campaigns.flatMap((c) => (c.disputes ? [disputeTask(c, c.disputes)] : [])), // also of archived ones
    ...campaigns.flatMap((c) => (c.fraudWarnings ? [fraudTask(c, c.fraudWarnings)] : [])),
    ...draftTasks(campaigns),
    ...findings
      .filter((f) => f.severity !== 'ok' && !(unclear && f.id === 'charge.attention'))
      .map((f) => findingTask(f, campaigns)),
  ].toSorted(byUrgency);
}

const soon = 7 * 86_400_000; // milliseconds
const nearEnd = 3 * 86_400_000; // milliseconds

function campaignTasks(c: Summary): readonly Task[] {
  const title = c.campaignTitle;
  const id = (subject: Subject): string => `${subject} ${c.campaignSlug}`;
  const settlement = hrefTo(['campaigns', c.campaignSlug, 'settlement']);
  const overview = hrefTo(['campaigns', c.campaignSlug]);
  const tasks: Task[] = [];
  if (isSuperAdmin() && c.settlement?.needsAttention)
    tasks.push({
      id: id('unclear'),
      severity: 'critical',
      subject: 'unclear',
      title: say('unclear', { count: c.settlement.needsAttention }),
      text: say('unclear_what', { title }),
      href: settlement,
      act: say('resolve'),
    });
  if (isSuperAdmin() && c.status === 'charging' && !c.settlement && c.chargesAt && Date.parse(c.chargesAt) <= now())
    tasks.push({
      id: id('charging'),
      severity: 'warning',
      subject: 'charging',
      title: say('ready', { title }),
      text: say('ready_what'),
      since: say('since', { time: ago(c.chargesAt) }),
      href: settlement,
      act: say('charge'),
    });
  if (isSuperAdmin() && c.repairable?.pledges && c.repairable.until) {
    const until = Date.parse(c.repairable.until);
    tasks.push({
      id: id('failed'),
      severity: until - now() < nearEnd ? 'warning' : 'notice',
      subject: 'failed',
      title: say('failed', { count: c.repairable.pledges }),
      text: say('failed_what', { title, sum: money(c.repairable.amount) }),
      since: say('until', { day: longDay(until) }),
      href: settlement,
      act: say('review'),
    });
  }
  if (isLive(c) && c.cardCheck?.atRiskCharges && hasPermission('supporters'))
    tasks.push({
      id: id('cards'),
      severity: 'warning',
      subject: 'cards',
      title: say('cards', { count: c.cardCheck.atRiskCharges }),
      text: say('cards_what', { title, sum: money(c.cardCheck.atRiskAmount), day: c.endsAt ? lastDay(c.endsAt) : '' }),
      since: say('checked', { time: ago(c.cardCheck.checkedAt) }),
      href: overview,
      act: say('see_cards'),
    });
  const opens = c.startsAt ? Date.parse(c.startsAt) - now() : 0;
  if (c.status === 'draft' && c.startsAt && opens > 0 && opens < soon && hasPermission('content'))
    tasks.push({
      id: id('launch'),
      severity: 'warning',
      subject: 'launch',
      title: say('launch', { title, time: timeUntil(c.startsAt, now()) }),
      text: say('launch_what'),
      since: say('opens', { day: longDay(c.startsAt) }),
      href: overview,
      act: say('finish'),
    });
  return tasks;
}

/** Returns the task for a campaign's open disputes, which is urgent while an answer is due. */
function disputeTask(c: Summary, { open, amount, awaiting, answerBy, orderId }: Disputes): Task {
  const title = c.campaignTitle;
  const late = answerBy !== undefined && Date.parse(answerBy) - now() < nearEnd;
  const place = orderId && hasPermission('supporters') ? ['supporters', c.campaignSlug, orderId] : undefined;
  return {
    id: `dispute ${c.campaignSlug}`,
    severity: late ? 'critical' : awaiting ? 'warning' : 'notice',
    subject: 'dispute',
    title: say('disputes', { count: open }),
    text: say(awaiting ? 'disputes_what' : 'disputes_wait', { title, sum: money(amount) }),
    ...(answerBy ? { since: say('answer_by', { day: longDay(answerBy) }) } : {}),
    href: hrefTo(place ?? ['campaigns', c.campaignSlug]),
    act: say('review'),
  };
}

/** Returns the task for payments whose bank suspects fraud: each is refunded, or left in its details. */
function fraudTask(c: Summary, { open, amount, orderId }: FraudWarnings): Task {
  const place = orderId && hasPermission('supporters') ? ['supporters', c.campaignSlug, orderId] : undefined;
  return {
    id: `fraud ${c.campaignSlug}`,
    severity: 'warning',
    subject: 'fraud',
    title: say('fraud', { count: open }),
    text: say('fraud_what', { title: c.campaignTitle, sum: money(amount) }),
    href: hrefTo(place ?? ['campaigns', c.campaignSlug]),
    act: say('review'),
  };
}

/** Returns a task for each unpublished draft in this browser. */
function draftTasks(campaigns: readonly Summary[]): readonly Task[] {
  return drafts().flatMap(({ file, fields }): readonly Task[] => {
    const [place, name] = editorRoute(file, campaigns);
    return place
      ? [
          {
            id: file,
            severity: 'notice',
            subject: 'draft',
            title: say('draft', { count: fields }),
            text: say('draft_what', { name }),
            since: say('by_you'),
            href: hrefTo(place),
            act: say('review'),
          },
        ]
      : [];
  });
}

/** Returns the route of a file's editor and the file's name. The route is null if the operator may not open it. */
function editorRoute(file: string, campaigns: readonly Summary[]): readonly [readonly string[] | null, string] {
  if (file === 'site.yml') return [isSuperAdmin() ? ['settings', 'site'] : null, say('settings')];
  if (file === 'add-ons.yml') return [isSuperAdmin() ? ['add-ons'] : null, say('add_ons')];
  const campaign = campaigns.find((c) => file === `campaigns/${c.campaignSlug}.md`);
  return [campaign ? ['campaigns', campaign.campaignSlug, 'content'] : null, campaign?.campaignTitle ?? ''];
}

const holds = ['charging.stopped', 'settlement.held', 'settlement.refused', 'terms.differ', 'promise.broken'];
const books = ['break.critical', 'break.open', 'charge.attention'];

/**
 * The actions that start on the diagnostics screen, by the kind of action that resolves the
 * finding.
 */
const diagnosticActs: Readonly<Partial<Record<Finding['action']['kind'], 'set_up_backups' | 'set_up_mail'>>> = {
  configure_backup: 'set_up_backups',
  configure_mail: 'set_up_mail',
};

/** Returns what to do about a finding or, worded for operators who do not run the server, why it matters. */
function textOf({ id, remedy }: Finding): string {
  if (id === 'people.one') return say('second_admin');
  return id === 'backup.unknown' ? say('backup_what') : (remedy ?? '');
}

/** Returns a finding of the service as a task, with the screen where it can be resolved. */
function findingTask(f: Finding, campaigns: readonly Summary[]): Task {
  const subject =
    f.id === 'charge.attention' ? 'unclear' : holds.includes(f.id) ? 'hold' : books.includes(f.id) ? 'books' : 'advice';
  const named = campaigns.find((c) => f.found.split(/[^\w-]+/).includes(c.campaignSlug));
  const [place, act] =
    subject !== 'advice' && named
      ? [['campaigns', named.campaignSlug, 'settlement'], say(subject === 'hold' ? 'see_hold' : 'resolve')]
      : f.id.startsWith('people')
        ? [['settings', 'users'], say('invite')]
        : f.id === 'reports.refused'
          ? [['settings', 'users'], say('review')]
          : [['settings', 'diagnostics'], say(diagnosticActs[f.action?.kind ?? 'none'] ?? 'see_details')];
  return {
    id: f.id,
    severity: f.severity === 'critical' ? 'critical' : f.severity === 'warning' ? 'warning' : 'notice',
    subject,
    title: f.found,
    text: textOf(f),
    href: hrefTo(place as readonly string[]),
    act: act as string,
  };
}
