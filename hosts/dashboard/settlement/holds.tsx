// The reasons why a campaign's charging is stopped or on hold, with the actions that resolve them.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { APIError, type Schema } from '../../site/scripts/api.ts';
import { change } from '../changes.ts';
import { refreshPrefix } from '../resources.ts';
import { Button } from '../ui/button.tsx';
import { Form, TextField } from '../ui/form.tsx';
import { Notice } from '../ui/notice.tsx';
import { moment, money } from '../words.ts';
import { reasonText } from './reasons.ts';
import type { SettlementStatus } from './status.ts';
import { say } from './words.ts';

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
        <p class="small">{say('accepted', { reason: status.accepted.reason, time: moment(status.accepted.at) })}</p>
      ) : null}
    </>
  );
}

function Hold({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <Notice tone="bad">
      <strong>{title}</strong>
      {children}
    </Notice>
  );
}

const refreshSettlement = (): void => {
  refreshPrefix('/admin/settlement/');
  refreshPrefix('/admin/health');
};

function Stopped({ stop }: { stop: Schema['Stop'] }) {
  const [anyway, setAnyway] = useState('');
  const [refused, setRefused] = useState(false);
  const resume = async (): Promise<void> => {
    try {
      await change('/admin/settle-resume', anyway ? { anyway } : {});
    } catch (error) {
      if (error instanceof APIError && error.status === 409) setRefused(true);
      throw error;
    }
    refreshSettlement();
  };
  return (
    <Hold title={say('stopped')}>
      <p>
        {say('stopped_since', { time: moment(stop.since), reason: stop.reason })}
        {stop.restored ? ` ${say('restored')}` : ''}
      </p>
      <Form task={resume} submitLabel={say('resume')} quiet>
        {refused ? (
          <TextField label={say('anyway')} help={say('anyway_help')} value={anyway} set={setAnyway} max={500} />
        ) : null}
      </Form>
    </Hold>
  );
}

function Held({ slug, held }: { slug: string; held: Schema['Held'] }) {
  const release = async (): Promise<void> => {
    await change(`/admin/settle-release/${slug}`, {});
    refreshSettlement();
  };
  return (
    <Hold title={say('held')}>
      <p>{holdReason(held)}</p>
      <Button quiet task={release}>
        {say('release')}
      </Button>
    </Hold>
  );
}

function holdReason(held: Schema['Held']): string {
  const time = moment(held.since);
  const [code = ''] = Object.entries(held.codes).sort(([, a], [, b]) => b - a)[0] ?? [];
  if (held.unanswered)
    return say('held_silent', { time, count: held.unanswered, next: held.probeAt ? moment(held.probeAt) : '' });
  if (held.barred) return say('held_barred', { time, code });
  if (held.refused) return say('held_refused', { time, code });
  return say('held_failures', { time, failed: held.failed, of: held.of, why: reasonText(code) });
}

function Broken({ status }: { status: SettlementStatus }) {
  const [reason, setReason] = useState('');
  const accept = async (): Promise<void> => {
    await change('/admin/settle-accept', {
      campaignSlug: status.campaignSlug,
      reason,
    } satisfies Schema['AcceptRequest']);
    refreshSettlement();
  };
  return (
    <Hold title={say('broken')}>
      <p>{say('broken_now', { time: status.endsAt ? moment(status.endsAt) : '—', goal: money(status.goal) })}</p>
      <ul>
        {status.broken.map((p) => (
          <li key={p.endsAt + String(p.goal)}>
            {say('broken_promised', { count: p.pledges, time: moment(p.endsAt), goal: money(p.goal) })}
          </li>
        ))}
      </ul>
      <p>{say('broken_what')}</p>
      <Form task={accept} submitLabel={say('accept')} quiet>
        {(errorOf: (field: string) => string) => (
          <TextField
            label={say('reason')}
            help={say('reason_help')}
            value={reason}
            set={setReason}
            required
            max={500}
            error={errorOf('reason')}
          />
        )}
      </Form>
    </Hold>
  );
}

/** Stops charging for all campaigns. */
export function Stop() {
  const [reason, setReason] = useState('');
  const stop = async (): Promise<void> => {
    await change('/admin/settle-stop', { reason } satisfies Schema['StopRequest']);
    refreshSettlement();
  };
  return (
    <details class="stop">
      <summary>{say('stop_all')}</summary>
      <p>{say('stop_what')}</p>
      <Form task={stop} submitLabel={say('stop')} quiet>
        {(errorOf: (field: string) => string) => (
          <TextField
            label={say('reason')}
            help={say('reason_help')}
            value={reason}
            set={setReason}
            required
            max={500}
            error={errorOf('reason')}
          />
        )}
      </Form>
    </details>
  );
}
