// What publishing would do, in words; and doing it.
import { useState } from 'preact/hooks';
import { Dialog } from '../ui/dialog.tsx';
import { Form, Text } from '../ui/form.tsx';
import { Note } from '../ui/notice.tsx';
import type { Reviewed } from './editor.tsx';
import { say } from './words.ts';

interface Props {
  readonly of: Reviewed;
  readonly id: string;
  readonly publish: (reason: string, id: string) => Promise<void>;
  readonly close: () => void;
}

export function Review({ of, id, publish, close }: Props) {
  const [reason, setReason] = useState('');
  const [identity] = useState(id); // one for all tries
  const problems = of.problems ?? [];
  return (
    <Dialog title={say('review_title')} close={close}>
      {of.changes.length ? <ul>{of.changes.map((c) => <li key={c.path}>{c.words}{c.promise && of.pledges ? <> <strong>{say('relied', { count: of.pledges })}</strong></> : null}</li>)}</ul> : <p>{say('nothing')}</p>}
      {problems.length ? <Note tone="bad"><strong>{say('problems')}</strong><ul>{problems.map((p) => <li key={p.message}>{p.field ? <code>{p.field}</code> : null} {p.message}</li>)}</ul></Note> : null}
      {(of.warnings ?? []).map((w) => <Note key={w.message} tone="warn">{w.message}</Note>)}
      {problems.length || !of.changes.length ? null : !of.publishable ? <Note>{say('not_publishable')}</Note> : (
        <Form task={() => publish(reason, identity)} send={say('publish')}>
          {(wrong: (field: string) => string) => (of.needsReason ? <Text label={say('reason')} help={say('reason_help')} value={reason} set={setReason} required max={500} wrong={wrong('reason')} /> : null)}
        </Form>
      )}
    </Dialog>
  );
}
