// The dialog with a file's published versions, which can be undone.
import { useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { change, newChangeID } from '../changes.ts';
import { query, useResource } from '../resources.ts';
import { Dialog, DialogBody } from '../ui/dialog.tsx';
import { Form, TextField } from '../ui/form.tsx';
import { ResourceView } from '../ui/notice.tsx';
import { toast } from '../ui/toast.tsx';
import { lang, moment } from '../words.ts';
import { ChangeText } from './review.tsx';
import { say } from './words.ts';

type Version = Schema['ContentHistory']['versions'][number];

interface Props {
  readonly path: string;
  readonly slug: string | undefined;
  /** Refreshes the data that shows the file after an undo. */
  readonly changed: () => Promise<void>;
  readonly close: () => void;
}

const shownVersions = 20;

export function HistoryDialog({ path, slug, changed, close }: Props) {
  const [undoing, setUndoing] = useState<Version | null>(null);
  const versions = useResource<Schema['ContentHistory']>(
    query(`${path}/history`, { campaignSlug: slug, limit: shownVersions, lang }),
  );
  if (undoing)
    return <Undo version={undoing} path={path} slug={slug} changed={changed} close={() => setUndoing(null)} />;
  return (
    <Dialog title={say('history')} close={close} wide>
      <DialogBody>
        <ResourceView resource={versions}>
          {({ versions: all }) =>
            all.length ? (
              <ol class="history">
                {all.map((v) => (
                  <li key={v.revision}>
                    <div class="row between top">
                      <div>
                        <b>{v.author.name || v.author.email}</b>
                        <p class="small muted">
                          <time dateTime={v.at}>{moment(v.at)}</time>
                        </p>
                      </div>
                      {v.parent && v.changes.length ? (
                        <button
                          type="button"
                          class="btn sm"
                          aria-label={`${say('undo')}: ${moment(v.at)}`}
                          onClick={() => setUndoing(v)}
                        >
                          {say('undo')}
                        </button>
                      ) : null}
                    </div>
                    {v.parent && v.changes.length ? (
                      <Changes version={v} />
                    ) : (
                      <p class="small">{v.parent ? v.message.split('\n')[0] : say('first_version')}</p>
                    )}
                  </li>
                ))}
              </ol>
            ) : (
              <p class="muted">{say('no_history')}</p>
            )
          }
        </ResourceView>
      </DialogBody>
    </Dialog>
  );
}

const Changes = ({ version }: { version: Version }) => (
  <div class="diff">
    {version.changes.map((c) => (
      <div key={c.path} class="ch">
        <b>{c.action === 'set' && c.item ? `${c.item} · ${c.label}` : c.label}</b>
        <ChangeText change={c} />
      </div>
    ))}
  </div>
);

function Undo({ version, path, slug, changed, close }: Props & { readonly version: Version }) {
  const [reason, setReason] = useState('');
  const [id] = useState(newChangeID);
  const undo = async (): Promise<void> => {
    await change(query(`${path}/undo`, { lang }), {
      ...(slug ? { campaignSlug: slug } : {}),
      revision: version.revision,
      changeId: id,
      ...(reason ? { reason } : {}),
    } satisfies Schema['ContentUndo']);
    await changed();
    close();
    toast(say('undone'));
  };
  return (
    <Dialog title={say('undo_title')} close={close} wide>
      <Form
        dialog
        task={undo}
        submitLabel={say('undo')}
        actions={
          <button type="button" class="btn" onClick={close}>
            {say('back')}
          </button>
        }
      >
        {(errorOf: (field: string) => string) => (
          <>
            <p>{say('undo_what')}</p>
            <Changes version={version} />
            {version.changes.some((c) => c.promise) ? (
              <TextField
                label={say('reason')}
                hint={say('reason_hint_some')}
                value={reason}
                set={setReason}
                max={500}
                error={errorOf('reason')}
              />
            ) : null}
          </>
        )}
      </Form>
    </Dialog>
  );
}
