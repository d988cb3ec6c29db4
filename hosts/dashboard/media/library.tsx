// The media library: uploaded files to choose from. Unused files can be deleted.
import type { Schema } from '../../site/scripts/api.ts';
import { change, newChangeID } from '../changes.ts';
import { refresh, useResource } from '../resources.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ResourceView, UserError } from '../ui/notice.tsx';
import type { MediaFolder } from './folder.ts';
import { Thumbnail } from './thumbnail.tsx';
import { type Kind, type ListedFile, type Listing, listingPath } from './upload.ts';
import { say } from './words.ts';

interface Props {
  readonly kind: Kind;
  readonly home: MediaFolder;
  readonly choose: (path: string) => void;
  readonly close: () => void;
}

export function Library({ kind, home, choose, close }: Props) {
  const path = listingPath(home);
  const resource = useResource<Listing>(path);
  const remove = async (file: ListedFile): Promise<void> => {
    const { kept } = await change<Schema['MediaRemoved']>('/admin/media/delete', {
      campaignSlug: home.slug,
      paths: [file.path],
      changeId: newChangeID(),
    });
    if (kept.length) throw new UserError(say(kept[0]?.why === 'by_hand' ? 'kept_by_hand' : 'kept_used'));
    await refresh(path);
  };
  return (
    <Dialog title={say('library')} close={close} wide>
      <ResourceView resource={resource}>
        {(listing) => {
          const files = listing.files.filter((f) => f.kind === kind);
          return files.length ? (
            <ul class="library">
              {files.map((f) => (
                <Entry
                  key={f.path}
                  file={f}
                  choose={choose}
                  remove={home.slug && !f.usedBy.length ? () => remove(f) : null}
                />
              ))}
            </ul>
          ) : (
            <p>{say('empty')}</p>
          );
        }}
      </ResourceView>
    </Dialog>
  );
}

function Entry({
  file,
  choose,
  remove,
}: {
  file: ListedFile;
  choose: (path: string) => void;
  remove: (() => Promise<void>) | null;
}) {
  const name = file.path.slice(file.path.lastIndexOf('/') + 1);
  return (
    <li>
      <button type="button" class="library-file" onClick={() => choose(file.path)}>
        {file.kind === 'image' ? <Thumbnail path={file.path} /> : null}
        <span>{name}</span>
      </button>
      <span class="hint">
        {sizeOf(file.size)}, {file.usedBy.length ? say('used', { count: file.usedBy.length }) : say('unused')}
      </span>
      {remove ? <Button task={remove}>{say('remove')}</Button> : null}
    </li>
  );
}

const sizeOf = (bytes: number): string =>
  bytes < 2 ** 20 ? `${Math.max(1, Math.round(bytes / 1024))} KB` : `${(bytes / 2 ** 20).toFixed(1)} MB`;
