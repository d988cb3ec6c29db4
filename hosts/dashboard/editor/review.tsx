// The review dialog: lists the changes and publishes them.
import { useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Form, TextField } from '../ui/form.tsx';
import { Notice } from '../ui/notice.tsx';
import { say } from './words.ts';

export type Reviewed = Schema['ContentReview'];

interface Props {
  readonly reviewed: Reviewed;
  readonly id: string;
  readonly publish: (reason: string, id: string) => Promise<void>;
  readonly close: () => void;
}

export function Review({ reviewed, id, publish, close }: Props) {
  const [reason, setReason] = useState('');
  const [identity] = useState(id); // the same for every attempt
  const problems = reviewed.problems ?? [];
  return (
    <Dialog title={say('review_title')} close={close}>
      {reviewed.changes.length ? (
        <ul>
          {reviewed.changes.map((c) => (
            <li key={c.path}>
              {c.words}
              {c.promise && reviewed.pledges ? (
                <>
                  {' '}
                  <strong>{say('relied', { count: reviewed.pledges })}</strong>
                </>
              ) : null}
            </li>
          ))}
        </ul>
      ) : (
        <p>{say('nothing')}</p>
      )}
      {problems.length ? (
        <Notice tone="bad">
          <strong>{say('problems')}</strong>
          <ul>
            {problems.map((p) => (
              <li key={p.message}>
                {p.field ? <code>{p.field}</code> : null} {p.message}
              </li>
            ))}
          </ul>
        </Notice>
      ) : null}
      {(reviewed.warnings ?? []).map((w) => (
        <Notice key={w.message} tone="warn">
          {w.message}
        </Notice>
      ))}
      {problems.length || !reviewed.changes.length ? null : !reviewed.publishable ? (
        <Notice>{say('not_publishable')}</Notice>
      ) : (
        <Form task={() => publish(reason, identity)} submitLabel={say('publish')}>
          {(errorOf: (field: string) => string) =>
            reviewed.needsReason ? (
              <TextField
                label={say('reason')}
                help={say('reason_help')}
                value={reason}
                set={setReason}
                required
                max={500}
                error={errorOf('reason')}
              />
            ) : null
          }
        </Form>
      )}
    </Dialog>
  );
}
