// A file's published versions, with undo.
import { useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { change, newChangeID } from '../changes.ts';
import { query, refreshPrefix, useResource } from '../resources.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Form, TextField } from '../ui/form.tsx';
import { ResourceView } from '../ui/notice.tsx';
import { moment } from '../words.ts';
import { say } from './words.ts';

type Version = Schema['ContentHistory']['versions'][number];

export function History({ path, slug, reload }: { path: string; slug?: string; reload: () => Promise<void> }) {
  const [open, setOpen] = useState(false);
  return (
    <details onToggle={(e) => setOpen(e.currentTarget.open)}>
      <summary>{say('history')}</summary>
      {open ? <Versions path={path} {...(slug ? { slug } : {})} reload={reload} /> : null}
    </details>
  );
}

function Versions({ path, slug, reload }: { path: string; slug?: string; reload: () => Promise<void> }) {
  const [undoing, setUndoing] = useState<Version | null>(null);
  return (
    <ResourceView
      resource={useResource<Schema['ContentHistory']>(query(`${path}/history`, { campaignSlug: slug, limit: 20 }))}
    >
      {({ versions }) => (
        <>
          {versions.length ? null : <p class="empty">{say('no_history')}</p>}
          <ol class="history">
            {versions.map((v) => (
              <li key={v.revision}>
                <span>
                  <time dateTime={v.at}>{moment(v.at)}</time>
                  <br />
                  <span class="small">{v.author.name || v.author.email}</span>
                </span>
                <span>
                  {v.changes.length ? (
                    <ul>
                      {v.changes.map((c) => (
                        <li key={c.path}>{c.words}</li>
                      ))}
                    </ul>
                  ) : (
                    v.message.split('\n')[0]
                  )}{' '}
                  {v.parent && v.changes.length ? (
                    <button type="button" class="quiet small-button" onClick={() => setUndoing(v)}>
                      {say('undo')}
                    </button>
                  ) : null}
                </span>
              </li>
            ))}
          </ol>
          {undoing ? (
            <Undo
              version={undoing}
              path={path}
              {...(slug ? { slug } : {})}
              close={() => setUndoing(null)}
              reload={reload}
            />
          ) : null}
        </>
      )}
    </ResourceView>
  );
}

function Undo({
  version,
  path,
  slug,
  close,
  reload,
}: {
  version: Version;
  path: string;
  slug?: string;
  close: () => void;
  reload: () => Promise<void>;
}) {
  const [reason, setReason] = useState('');
  const [id] = useState(newChangeID);
  const undo = async (): Promise<void> => {
    await change(`${path}/undo`, {
      ...(slug ? { campaignSlug: slug } : {}),
      revision: version.revision,
      changeId: id,
      ...(reason ? { reason } : {}),
    } satisfies Schema['ContentUndo']);
    refreshPrefix(path);
    close();
    await reload();
  };
  return (
    <Dialog title={say('undo_title')} close={close}>
      <ul>
        {version.changes.map((c) => (
          <li key={c.path}>{c.words}</li>
        ))}
      </ul>
      <p>{say('undo_what')}</p>
      <Form task={undo} submitLabel={say('undo')}>
        {(errorOf: (field: string) => string) =>
          version.changes.some((c) => c.promise) ? (
            <TextField
              label={say('reason')}
              help={say('reason_help')}
              value={reason}
              set={setReason}
              max={500}
              error={errorOf('reason')}
            />
          ) : null
        }
      </Form>
    </Dialog>
  );
}
