// The refund of all payments of a campaign that cannot deliver: started by one operator, confirmed by
// another, and continued in the background.
import { useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { change, newChangeID } from '../changes.ts';
import { query, refresh, useResource } from '../resources.ts';
import { hasPermissions, session } from '../session.ts';
import { type Grounds, RefundGrounds } from '../supporters/refundreason.tsx';
import { Card } from '../ui/card.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Checkbox, Form } from '../ui/form.tsx';
import { ErrorMessage } from '../ui/notice.tsx';
import { moment, money } from '../words.ts';
import { say } from './refundallwords.ts';

type Run = Schema['RefundRunRecord'];
type Change = Schema['RefundRunChange']['change'];

const reasons = ['undelivered', 'mistake', 'other'] as const;

export function RefundAll({ slug }: { slug: string }) {
  const [asking, setAsking] = useState(false);
  const path = hasPermissions(['refunds', 'money']) ? `/admin/refunds/${slug}/run` : '';
  const state = useResource<Schema['RefundRunState']>(path, 30).value;
  if (!state) return null;
  const run = state.run;
  const open = run && run.status !== 'done' && run.status !== 'ended';
  return (
    <Card title={say('title')} hint={say('hint')}>
      <div class="stack g2">
        {run ? <Progress slug={slug} run={run} reload={() => refresh(path)} /> : null}
        {open ? null : (
          <div>
            <button type="button" class="btn sm" onClick={() => setAsking(true)}>
              {say('start')}…
            </button>
          </div>
        )}
      </div>
      {asking ? <StartDialog slug={slug} reload={() => refresh(path)} close={() => setAsking(false)} /> : null}
    </Card>
  );
}

interface ProgressProps {
  readonly slug: string;
  readonly run: Run;
  readonly reload: () => Promise<void>;
}

/** The status of a run, and what an operator can do about it. */
function Progress({ slug, run, reload }: ProgressProps) {
  const [asking, setAsking] = useState<Change | null>(null);
  const act = async (): Promise<void> => {
    if (!asking) return;
    const body = { id: run.id, change: asking } satisfies Schema['RefundRunChange'];
    await change<Run>(`/admin/refunds/${slug}/run/change`, body);
    setAsking(null);
    await reload();
  };
  return (
    <>
      <p role="status">{explanation(run)}</p>
      {run.refunded ? <p class="small">{say('refunded', { count: run.refunded, sum: money(run.amount) })}</p> : null}
      {run.skipped ? <p class="small">{say('skipped', { count: run.skipped })}</p> : null}
      <div class="row wrap">
        {changesFor(run).map((c) => (
          <button key={c} type="button" class="btn sm" onClick={() => setAsking(c)}>
            {say(c)}…
          </button>
        ))}
      </div>
      {asking ? (
        <Dialog title={say(`${asking}_title`)} close={() => setAsking(null)}>
          <Form dialog task={act} submitLabel={say(asking)}>
            <p>{say(`${asking}_hint`)}</p>
          </Form>
        </Dialog>
      ) : null}
    </>
  );
}

function explanation(run: Run): string {
  const me = session.value?.email;
  const time = moment(run.startedAt);
  if (run.status !== 'waiting') return say(run.status === 'paused' && run.failures ? 'failing' : run.status, { time });
  return run.startedBy === me ? say('waiting_mine', { time }) : say('waiting', { time, who: run.startedBy });
}

function changesFor(run: Run): readonly Change[] {
  if (run.status === 'waiting') return run.startedBy === session.value?.email ? ['end'] : ['confirm', 'end'];
  if (run.status === 'active') return ['pause', 'end'];
  return run.status === 'paused' ? ['continue', 'end'] : [];
}

interface StartProps {
  readonly slug: string;
  readonly reload: () => Promise<void>;
  readonly close: () => void;
}

function StartDialog({ slug, reload, close }: StartProps) {
  const [tip, setTip] = useState(true);
  const [grounds, setGrounds] = useState<Grounds>({ reason: 'undelivered', message: '' });
  const [id] = useState(newChangeID);
  const preview = useResource<Schema['RefundRunPreview']>(
    query(`/admin/refunds/${slug}/run/preview`, { tip: String(tip) }),
  );
  const known = preview.error ? undefined : preview.value;
  const start = async (): Promise<void> => {
    await change<Run>(`/admin/refunds/${slug}/run`, { id, tip, ...grounds });
    close();
    await reload();
  };
  return (
    <Dialog title={say('start_title')} close={close}>
      <Form dialog task={start} disabled={!known?.payments} submitLabel={say('start')}>
        {(errorOf: (field: string) => string) => (
          <>
            <p>{say('start_hint')}</p>
            <Checkbox label={say('with_tip')} on={tip} set={setTip} />
            <RefundGrounds value={grounds} set={setGrounds} reasons={reasons} several errorOf={errorOf} />
            <div role="status" class="stack g1">
              {preview.error ? <ErrorMessage error={preview.error} focus={false} /> : null}
              {known ? <p>{forecast(known)}</p> : null}
              {known?.refunded ? <p class="small">{say('nothing_remains', { count: known.refunded })}</p> : null}
            </div>
          </>
        )}
      </Form>
    </Dialog>
  );
}

function forecast(preview: Schema['RefundRunPreview']): string {
  if (!preview.payments) return say('nothing');
  return say('forecast', { count: preview.payments, sum: money(preview.amount) });
}
