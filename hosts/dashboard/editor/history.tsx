// Who changed what and when, and taking a change back.
import { useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { change, identity } from '../changing.ts';
import { query, stale, useReading } from '../reading.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Form, Text } from '../ui/form.tsx';
import { Shown } from '../ui/notice.tsx';
import { moment } from '../words.ts';
import { say } from './words.ts';

type Version = Schema['ContentHistory']['versions'][number];

export function History({ path, slug, again }: { path: string; slug?: string; again: () => Promise<void> }) {
  const [open, setOpen] = useState(false);
  return (
    <details onToggle={(e) => setOpen(e.currentTarget.open)}>
      <summary>{say('history')}</summary>
      {open ? <Versions path={path} {...(slug ? { slug } : {})} again={again} /> : null}
    </details>
  );
}

function Versions({ path, slug, again }: { path: string; slug?: string; again: () => Promise<void> }) {
  const [undoing, setUndoing] = useState<Version | null>(null);
  return (
    <Shown reading={useReading<Schema['ContentHistory']>(query(`${path}/history`, { campaignSlug: slug, limit: 20 }))}>
      {({ versions }) => (
        <>
          {versions.length ? null : <p class="empty">{say('no_history')}</p>}
          <ol class="history">
            {versions.map((v) => (
              <li key={v.revision}>
                <span><time dateTime={v.at}>{moment(v.at)}</time><br /><span class="small">{v.author.name || v.author.email}</span></span>
                <span>{v.changes.length ? <ul>{v.changes.map((c) => <li key={c.path}>{c.words}</li>)}</ul> : v.message.split('\n')[0]} {v.parent && v.changes.length ? <button type="button" class="quiet small-button" onClick={() => setUndoing(v)}>{say('undo')}</button> : null}</span>
              </li>
            ))}
          </ol>
          {undoing ? <Undo version={undoing} path={path} {...(slug ? { slug } : {})} close={() => setUndoing(null)} again={again} /> : null}
        </>
      )}
    </Shown>
  );
}

function Undo({ version, path, slug, close, again }: { version: Version; path: string; slug?: string; close: () => void; again: () => Promise<void> }) {
  const [reason, setReason] = useState('');
  const [id] = useState(identity);
  const undo = async (): Promise<void> => {
    await change(`${path}/undo`, { ...(slug ? { campaignSlug: slug } : {}), revision: version.revision, changeId: id, ...(reason ? { reason } : {}) } satisfies Schema['ContentUndo']);
    stale(path);
    close();
    await again();
  };
  return (
    <Dialog title={say('undo_title')} close={close}>
      <ul>{version.changes.map((c) => <li key={c.path}>{c.words}</li>)}</ul>
      <p>{say('undo_what')}</p>
      <Form task={undo} send={say('undo')}>
        {(wrong: (field: string) => string) => (version.changes.some((c) => c.promise) ? <Text label={say('reason')} help={say('reason_help')} value={reason} set={setReason} max={500} wrong={wrong('reason')} /> : null)}
      </Form>
    </Dialog>
  );
}
