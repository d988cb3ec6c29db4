// The reasons why charges are blocked, each with its remedy, and the switch that stops all charges.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { APIError, type Schema } from '../../site/scripts/api.ts';
import { change } from '../changes.ts';
import { refreshPrefix } from '../resources.ts';
import { hrefTo } from '../router.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Form, TextField } from '../ui/form.tsx';
import { Notice } from '../ui/notice.tsx';
import { toast } from '../ui/toast.tsx';
import { deadline, moment, price } from '../words.ts';
import { say } from './holdwords.ts';
import { ReasonDialog } from './reasondialog.tsx';
import { reasonText } from './reasons.ts';
import type { SettlementStatus } from './status.ts';

export function Holds({ status }: { status: SettlementStatus }) {
  return (
    <>
      {status.stopped ? <Stopped stop={status.stopped} /> : null}
      {status.off ? (
        <Hold title={say('off')}>
          <p>{status.off}</p>
        </Hold>
      ) : null}
      {status.unclosed ? (
        <Hold title={say('unclosed')}>
          <p>{say('unclosed_since', { time: moment(status.unclosed.since), reason: status.unclosed.reason })}</p>
        </Hold>
      ) : null}
      {status.held ? <Held slug={status.campaignSlug} held={status.held} /> : null}
      {status.broken.length ? <Broken status={status} /> : null}
      {status.accepted ? (
        <p class="small muted">
          {say('accepted', { reason: status.accepted.reason, time: moment(status.accepted.at) })}
        </p>
      ) : null}
    </>
  );
}

/** A hold with its reason, the steps to resolve it, and the action that ends it. */
function Hold({
  title,
  tone = 'bad',
  steps = [],
  children,
}: {
  title: string;
  tone?: 'bad' | 'warn';
  steps?: readonly ComponentChildren[];
  children: ComponentChildren;
}) {
  return (
    <section aria-label={title} class="hold">
      <Notice tone={tone}>
        <h2>{title}</h2>
        {children}
        {steps.length ? (
          <ol class="stack g2">
            {steps.map((step, i) => (
              <li key={i}>{step}</li>
            ))}
          </ol>
        ) : null}
      </Notice>
    </section>
  );
}

function refreshSettlement(): void {
  for (const path of ['/admin/settlement/', '/admin/health', '/admin/summary']) refreshPrefix(path);
}

function Stopped({ stop }: { stop: Schema['Stop'] }) {
  const [asking, setAsking] = useState(false);
  return (
    <Hold title={say('stopped')}>
      <p>
        {say('stopped_since', { time: moment(stop.since), reason: stop.reason })}
        {stop.restored ? ` ${say('restored')}` : ''}
      </p>
      <div class="row wrap">
        <button type="button" class="btn" onClick={() => setAsking(true)}>
          {say('resume_all')}…
        </button>
      </div>
      {asking ? <ResumeAll close={() => setAsking(false)} /> : null}
    </Hold>
  );
}

/**
 * Resumes charging in all campaigns. If the server rejects this because of open problems, it asks
 * for a reason.
 */
function ResumeAll({ close }: { close: () => void }) {
  const [anyway, setAnyway] = useState('');
  const [refused, setRefused] = useState(false);
  const resume = async (): Promise<void> => {
    try {
      await change('/admin/settle-resume', anyway ? { anyway } : {});
    } catch (error) {
      if (error instanceof APIError && error.status === 409) setRefused(true);
      throw error;
    }
    close();
    refreshSettlement();
    toast(say('resumed'));
  };
  return (
    <Dialog title={say('resume_all_title')} close={close}>
      <Form dialog task={resume} submitLabel={say('resume_all')}>
        <p>{say('resume_all_what')}</p>
        {refused ? (
          <TextField label={say('anyway')} hint={say('anyway_help')} value={anyway} set={setAnyway} max={500} />
        ) : null}
      </Form>
    </Dialog>
  );
}

function Held({ slug, held }: { slug: string; held: Schema['Held'] }) {
  const [asking, setAsking] = useState(false);
  const release = async (): Promise<void> => {
    await change(`/admin/settle-release/${slug}`, {});
    setAsking(false);
    refreshSettlement();
    toast(say('resumed'));
  };
  const { title, text, steps } = holdReason(held);
  return (
    <Hold title={title} tone={held.paused ? 'warn' : 'bad'} steps={steps}>
      <p>{text}</p>
      <div class="row wrap">
        <button type="button" class="btn" onClick={() => setAsking(true)}>
          {say('resume')}…
        </button>
      </div>
      {asking ? (
        <Dialog title={say('resume_title')} close={() => setAsking(false)}>
          <Form dialog task={release} submitLabel={say('resume')}>
            <p>{say('resume_what')}</p>
          </Form>
        </Dialog>
      ) : null}
    </Hold>
  );
}

interface Reason {
  readonly title: string;
  readonly text: string;
  readonly steps: readonly ComponentChildren[];
}

function holdReason(held: Schema['Held']): Reason {
  const time = moment(held.since);
  if (held.paused)
    return { title: say('paused'), text: say('stopped_since', { time, reason: held.paused }), steps: [] };
  const [code = ''] = Object.entries(held.codes).sort(([, a], [, b]) => b - a)[0] ?? [];
  if (held.unanswered)
    return {
      title: say('silent', { count: held.unanswered }),
      text: say('silent_text', { time }),
      steps: [
        say('silent_1'),
        held.probeAt ? say('silent_2', { next: moment(held.probeAt) }) : say('silent_2_soon'),
        say('silent_3'),
      ],
    };
  if (held.barred)
    return {
      title: say('barred'),
      text: say('barred_text', { time, code }),
      steps: [
        say('barred_1'),
        <>
          {say('barred_2')} <a href={hrefTo(['settings', 'secrets'])}>{say('secrets')}</a>
        </>,
        say('hold_resume'),
      ],
    };
  if (held.refused)
    return {
      title: say('refused'),
      text: say('refused_text', { time, code }),
      steps: [say('refused_1', { code }), say('refused_2'), say('refused_3')],
    };
  return {
    title: say('failing', { failed: held.failed, of: held.of }),
    text: say('failing_text', { time, why: reasonText(code) }),
    steps: [say('failing_1', { why: reasonText(code) }), say('failing_2'), say('hold_resume')],
  };
}

function Broken({ status }: { status: SettlementStatus }) {
  const [asking, setAsking] = useState(false);
  const accept = async (reason: string): Promise<void> => {
    await change('/admin/settle-accept', {
      campaignSlug: status.campaignSlug,
      reason,
    } satisfies Schema['AcceptRequest']);
    refreshSettlement();
  };
  const pledges = status.broken.reduce((n, p) => n + p.pledges, 0);
  return (
    <Hold title={say('broken')}>
      <p>{say('broken_what')}</p>
      <ul class="stack g1">
        {status.broken.map((p) => (
          <li key={p.endsAt + String(p.goal)}>
            {say('broken_promised', { count: p.pledges, time: deadline(p.endsAt), goal: price(p.goal) })}
          </li>
        ))}
        <li>{say('broken_now', { time: status.endsAt ? deadline(status.endsAt) : '—', goal: price(status.goal) })}</li>
      </ul>
      <div class="row wrap">
        <a class="btn" href={hrefTo(['campaigns', status.campaignSlug, 'settings'])}>
          {say('broken_restore')}
        </a>
        <button type="button" class="btn" onClick={() => setAsking(true)}>
          {say('accept')}…
        </button>
      </div>
      {asking ? (
        <ReasonDialog
          title={say('accept_title', { count: pledges })}
          submitLabel={say('accept')}
          kind="danger"
          task={accept}
          close={() => setAsking(false)}
        >
          <p>{say('accept_what')}</p>
        </ReasonDialog>
      ) : null}
    </Hold>
  );
}

/** The button that pauses the charges of one campaign. It is hidden if they are already on hold. */
export function Pause({ status }: { status: SettlementStatus }) {
  const [asking, setAsking] = useState(false);
  if (status.held || status.stopped || status.off) return null;
  const pause = async (reason: string): Promise<void> => {
    await change(`/admin/settle-pause/${status.campaignSlug}`, { reason } satisfies Schema['PauseRequest']);
    refreshSettlement();
    toast(say('paused_now'));
  };
  return (
    <>
      <button type="button" class="btn" onClick={() => setAsking(true)}>
        {say('pause')}…
      </button>
      {asking ? (
        <ReasonDialog title={say('pause_title')} submitLabel={say('pause')} task={pause} close={() => setAsking(false)}>
          <p>{say('pause_what')}</p>
        </ReasonDialog>
      ) : null}
    </>
  );
}

/** The switch that stops charges in all campaigns. */
export function Stop({ stopped }: { stopped: boolean }) {
  const [asking, setAsking] = useState(false);
  const stop = async (reason: string): Promise<void> => {
    await change('/admin/settle-stop', { reason } satisfies Schema['StopRequest']);
    refreshSettlement();
  };
  if (stopped) return null;
  return (
    <details class="more card stop">
      <summary>{say('stop_all')}</summary>
      <div class="row between wrap">
        <p class="soft">{say('stop_what')}</p>
        <button type="button" class="btn danger-quiet" onClick={() => setAsking(true)}>
          {say('stop_all')}…
        </button>
      </div>
      {asking ? (
        <ReasonDialog
          title={say('stop_title')}
          submitLabel={say('stop_all')}
          kind="danger"
          task={stop}
          close={() => setAsking(false)}
        >
          <p>{say('stop_what')}</p>
        </ReasonDialog>
      ) : null}
    </details>
  );
}
