// The overview of a draft: the steps before its launch, its dates, the fields that become fixed,
// and the launch itself.
import { Check, CreditCard, Eye, Flag, Lock, MessageSquareText, Timer, X } from 'lucide-preact';
import { useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { newChangeID } from '../changes.ts';
import { query, useResource } from '../resources.ts';
import { hrefTo } from '../router.ts';
import { hasPermission, isSuperAdmin, now } from '../session.ts';
import { Card } from '../ui/card.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Form } from '../ui/form.tsx';
import { Icon } from '../ui/icon.tsx';
import { ResourceView } from '../ui/notice.tsx';
import { Page } from '../ui/page.tsx';
import { toast } from '../ui/toast.tsx';
import { lang, moment, price } from '../words.ts';
import { CampaignMenu } from './actions.tsx';
import { Cancel } from './cancel.tsx';
import { say } from './launchwords.ts';
import { launchCampaign } from './publish.ts';
import { SharePreview } from './share.tsx';
import { StateBadge } from './state.tsx';
import type { Summary } from './summary.ts';
import { timeUntil } from './time.ts';

type LaunchList = Schema['LaunchList'];

export default function Launch({ campaign }: { campaign: Summary }) {
  const title = campaign.campaignTitle;
  return (
    <Page
      title={say('title', { title })}
      badges={<StateBadge campaign={campaign} />}
      lede={say('lede')}
      actions={
        <>
          <SharePreview campaign={campaign} icon={Eye} />
          <CampaignMenu campaign={campaign} button />
        </>
      }
    >
      <ResourceView
        resource={useResource<LaunchList>(query(`/admin/campaigns/launch/${campaign.campaignSlug}`, { lang }), 30)}
      >
        {(list) => (
          <div class="cols c21">
            <div class="stack g6">
              <Steps campaign={campaign} list={list} />
              <Freezes list={list} />
            </div>
            <div class="stack g6">
              <Times campaign={campaign} list={list} />
              {hasPermission('content') ? <LaunchButton campaign={campaign} list={list} /> : null}
            </div>
          </div>
        )}
      </ResourceView>
    </Page>
  );
}

interface Step {
  readonly key: string;
  readonly state: 'blocked' | 'todo' | 'done';
  readonly words: string;
  readonly note?: string;
  readonly href?: string;
}

const order = { blocked: 0, todo: 1, done: 2 } as const;

/**
 * Returns the steps before the launch, open ones first, with the fields that complete them. A step
 * that waits for another step has no link.
 */
const stepsOf = (slug: string, items: LaunchList['items']): readonly Step[] =>
  items
    .map(
      ({ key, state, words, optional, place }): Step => ({
        key,
        state: state === 'blocked' && place ? 'todo' : state,
        words,
        ...(optional && state !== 'done' ? { note: say('optional') } : {}),
        ...(place && state === 'todo'
          ? { href: hrefTo(['campaigns', slug, place.tab], { field: place.field ?? '' }) }
          : {}),
      }),
    )
    .toSorted((a, b) => order[a.state] - order[b.state]);

/** Reads whether the payment processor works, which only a super admin may see. */
function useBlocked(): readonly Step[] {
  const health = useResource<Schema['HealthReport']>(isSuperAdmin() ? query('/admin/health', { lang }) : '', 120);
  return (health.value?.findings ?? [])
    .filter((f) => f.id.startsWith('processor') && f.severity === 'critical')
    .map((f) => ({
      key: f.id,
      state: 'blocked' as const,
      words: say('processor'),
      note: `${f.found}. ${f.remedy ?? ''}`,
      href: hrefTo(['settings', 'diagnostics']),
    }));
}

function Steps({ campaign, list }: { campaign: Summary; list: LaunchList }) {
  const steps = [...useBlocked(), ...stepsOf(campaign.campaignSlug, list.items)];
  const done = steps.filter((s) => s.state === 'done').length;
  return (
    <Card
      title={say('before')}
      flush
      aside={<span class="small soft">{say('done_of', { done, total: steps.length })}</span>}
    >
      <div class="in launch-bar">
        <div class="mini good" aria-hidden="true">
          <i style={{ width: `${(done * 100) / (steps.length || 1)}%` }} />
        </div>
      </div>
      <ul class="steps">
        {steps.map((s) => (
          <li key={s.key}>
            <span class={`tick ${s.state === 'done' ? 'ok' : s.state === 'blocked' ? 'no' : ''}`}>
              {s.state === 'done' ? <Icon of={Check} /> : s.state === 'blocked' ? <Icon of={X} /> : null}
              <span class="unseen">{say(`state_${s.state}`)}</span>
            </span>
            <div>
              <h3 class={s.state === 'done' ? 'quiet' : ''}>{s.words}</h3>
              {s.note ? <p class="small muted">{s.note}</p> : null}
            </div>
            {s.state === 'done' || !s.href ? (
              <span />
            ) : (
              <a class="btn sm" href={s.href} aria-label={`${say(`act_${actOf(s)}`)}: ${s.words}`}>
                {say(`act_${actOf(s)}`)}
              </a>
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}

const acts = ['goal', 'start', 'deadline', 'rewards', 'summary', 'picture', 'shipping', 'creator'] as const;

const actOf = ({ key, state }: Step): (typeof acts)[number] | 'text' | 'status' =>
  state === 'blocked' ? 'status' : (acts.find((a) => a === key) ?? 'text');

export const Freezes = ({ list }: { list: LaunchList }) => (
  <Card title={say('freezes')}>
    <div class="stack g3">
      <p class="soft">{say('freezes_what')}</p>
      <div class="grid2">
        <div class="stack g2">
          <h3 class="row">
            <Icon of={Lock} small />
            {say('locked')}
          </h3>
          <ul class="small soft stack g1">
            {list.fixed.map((f) => (
              <li key={f}>{f}</li>
            ))}
          </ul>
        </div>
        <div class="stack g2">
          <h3 class="row">
            <Icon of={MessageSquareText} small />
            {say('with_reason')}
          </h3>
          <ul class="small soft stack g1">
            {list.freezes.map((f) => (
              <li key={f}>{f}</li>
            ))}
          </ul>
        </div>
      </div>
    </div>
  </Card>
);

/** Reports whether a campaign that is launched now opens only at its start date. */
const startsLater = ({ startsAt }: LaunchList): boolean => startsAt !== undefined && Date.parse(startsAt) > now();

export function Times({ campaign: c, list }: { campaign: Summary; list: LaunchList }) {
  const later = startsLater(list);
  return (
    <Card title={say('when')}>
      <ul class="time">
        <Moment icon={Flag} tone="good" title={say('goes_live')} missing="">
          <p>{later ? list.starts : say('at_launch')}</p>
          {later && list.startsAt ? (
            <p class="small muted">{say('in_time', { time: timeUntil(list.startsAt, now()) })}</p>
          ) : null}
          {c.reminderCount ? <p class="small muted">{say('reminders', { count: c.reminderCount })}</p> : null}
        </Moment>
        <Moment
          icon={Timer}
          tone={list.ends ? 'good' : 'warn'}
          title={say('ends')}
          missing={list.ends ? '' : say('no_deadline')}
        >
          {list.ends ? <p>{list.ends}</p> : null}
          <p class="small muted">
            {list.days > 0 ? `${say('runs', { count: list.days })} ` : ''}
            {say('ends_what')}
          </p>
        </Moment>
        <Moment icon={CreditCard} tone="" title={say('charged')} missing="">
          {c.chargesAt ? <p>{moment(c.chargesAt)}</p> : null}
          <p class="small muted">{say('charged_what')}</p>
        </Moment>
      </ul>
    </Card>
  );
}

interface MomentProps {
  readonly icon: typeof Flag;
  readonly tone: string;
  readonly title: string;
  readonly missing: string;
  readonly children: preact.ComponentChildren;
}

const Moment = ({ icon, tone, title, missing, children }: MomentProps) => (
  <li>
    <span class={`ic ${tone}`}>
      <Icon of={icon} />
    </span>
    <div>
      <b>{title}</b>
      {missing ? <p class="warn">{missing}</p> : null}
      {children}
    </div>
  </li>
);

function LaunchButton({ campaign, list }: { campaign: Summary; list: LaunchList }) {
  const [open, setOpen] = useState(false);
  const left = list.left + useBlocked().length;
  return (
    <section class="card" aria-label={say('launch')}>
      <div class="in stack g3">
        <button
          type="button"
          class="btn primary"
          aria-disabled={left > 0}
          aria-describedby="launch-why"
          onClick={() => left === 0 && setOpen(true)}
        >
          {say('launch_ask')}
        </button>
        <p id="launch-why" class="small muted">
          {left > 0 ? say('steps_left', { count: left }) : say('ready')}
        </p>
      </div>
      {open ? <LaunchDialog campaign={campaign} list={list} close={() => setOpen(false)} /> : null}
    </section>
  );
}

/** Shows the dates, the goal, the rewards and the fields that become fixed, and launches the campaign. */
function LaunchDialog({ campaign: c, list, close }: { campaign: Summary; list: LaunchList; close: () => void }) {
  const [changeId] = useState(newChangeID);
  const later = startsLater(list);
  const launch = async (): Promise<void> => {
    await launchCampaign(c.campaignSlug, list.base, changeId);
    close();
    toast(
      later
        ? say('launched_later', { title: c.campaignTitle, start: list.starts })
        : say('launched', { title: c.campaignTitle }),
    );
    requestAnimationFrame(() => document.querySelector<HTMLElement>('main h1')?.focus()); // its overview replaced this screen
  };
  const rows = [
    [say('goes_live'), later ? list.starts : say('now')],
    [say('ends'), list.ends],
    [say('goal'), price(list.goal)],
    [say('rewards'), list.rewards.map((r) => `${r.name} (${price(r.price)})`).join(', ') || say('no_rewards')],
    [say('fixed'), list.fixed.join(', ')],
    [say('freezes_short'), list.freezes.join(', ')],
  ] as const;
  return (
    <Dialog title={say('launch_title', { title: c.campaignTitle })} close={close}>
      <Form dialog task={launch} submitLabel={say('launch')} actions={<Cancel close={close} />}>
        <dl class="facts">
          {rows.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
        <p class="small muted">
          {c.reminderCount ? say('reminders', { count: c.reminderCount }) : say('public_at_once')}
        </p>
      </Form>
    </Dialog>
  );
}
