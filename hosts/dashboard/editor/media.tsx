// A media field: the path of an image, video or audio file that is uploaded or chosen here, or an
// external URL.
import { useContext, useRef, useState } from 'preact/hooks';
import { getWithSession } from '../../site/scripts/operator.ts';
import { newChangeID } from '../changes.ts';
import { refreshPrefix } from '../resources.ts';
import { useTask } from '../ui/button.tsx';
import { LabelledField as Labelled } from '../ui/form.tsx';
import { ErrorMessage, UserError } from '../ui/notice.tsx';
import { type MediaFolder, MediaFolderContext } from './files.ts';
import { Library } from './library.tsx';
import { say } from './mediawords.ts';
import { showUploaded, Thumbnail } from './thumbnail.tsx';
import {
  type Kind,
  type Listing,
  listingPath,
  repositoryName,
  shrinkImage,
  uniqueName,
  uploadFile,
  uploadsDirectly,
} from './upload.ts';

const accepted: Readonly<Record<Kind, string>> = {
  image: '.jpg,.jpeg,.png,.webp,.gif',
  video: '.mp4,.webm,.mov',
  audio: '.mp3,.m4a,.ogg,.wav,.flac',
};

interface Props {
  readonly label: string;
  readonly help: string;
  readonly value: string;
  readonly kind: Kind;
  readonly error: string;
  readonly set: (value: string) => void;
}

interface NameConflict {
  readonly file: File;
  readonly name: string;
  readonly sha: string;
  readonly users: number;
  readonly taken: ReadonlySet<string>;
}

export function Media({ label, help, value, kind, error, set }: Props) {
  const home = useContext(MediaFolderContext);
  const input = useRef<HTMLInputElement>(null);
  const [share, setShare] = useState<number | null>(null);
  const [clash, setClash] = useState<NameConflict | null>(null);
  const [choosing, setChoosing] = useState(false);
  const task = useTask();
  const put = async (
    file: File,
    name: string,
    { sha, direct = false }: { sha?: string; direct?: boolean } = {},
  ): Promise<void> => {
    setClash(null);
    setShare(0);
    try {
      const stored = await uploadFile(file, { kind, home, name, sha, id: newChangeID(), direct, progress: setShare });
      if (kind === 'image') await showUploaded(stored.path, file);
      refreshPrefix(listingPath(home));
      set(stored.path);
    } finally {
      setShare(null);
    }
  };
  const take = (chosen: File): Promise<boolean> =>
    task.run(async () => {
      const there = await getWithSession<Listing>(listingPath(home));
      const file = kind === 'image' ? await shrinkImage(chosen, there.limits.image) : chosen;
      if (file.size > there.limits[kind])
        throw new UserError(say('too_large', { most: Math.floor(there.limits[kind] / 2 ** 20) }));
      const name = repositoryName(file);
      const direct = uploadsDirectly(there, kind); // object storage has no name conflicts
      const same = direct
        ? undefined
        : there.files.find((f) => f.path.endsWith(`/${name}`) && f.kind === kind && isInFolder(f.path, home));
      if (same)
        setClash({
          file,
          name,
          sha: same.sha,
          users: same.usedBy.length,
          taken: new Set(there.files.map((f) => f.path.slice(f.path.lastIndexOf('/') + 1))),
        });
      else await put(file, name, { direct });
    });
  const picked = (): void => {
    const file = input.current?.files?.[0];
    if (file) void take(file);
    if (input.current) input.current.value = '';
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button below uploads files without dragging
    <div
      class="media"
      onDragOver={(e) => e.preventDefault()}
      onDrop={(e) => {
        e.preventDefault();
        const file = e.dataTransfer?.files[0];
        if (file && home.writable) void take(file);
      }}
    >
      <Labelled label={label} help={[help, say(kind)].filter(Boolean).join(' ')} error={error}>
        {(a) => <input {...a} value={value} onInput={(e) => set(e.currentTarget.value)} />}
      </Labelled>
      {kind === 'image' && value.startsWith('/') ? <Thumbnail path={value} /> : null}
      <div class="row">
        <button
          type="button"
          class="quiet small-button"
          disabled={task.busy || !home.writable}
          aria-busy={task.busy}
          onClick={() => input.current?.click()}
        >
          {say('upload')}
        </button>
        <button type="button" class="quiet small-button" disabled={!home.writable} onClick={() => setChoosing(true)}>
          {say('choose')}
        </button>
        {value ? (
          <button type="button" class="quiet small-button" onClick={() => set('')}>
            {say('clear')}
          </button>
        ) : null}
      </div>
      <input
        ref={input}
        type="file"
        hidden
        accept={accepted[kind]}
        aria-label={`${say('upload')}: ${label}`}
        onChange={picked}
      />
      {share === null ? null : (
        <p class="hint" role="status">
          <progress max={1} value={share} aria-label={say('sending')} />{' '}
          {say('sent', { percent: Math.floor(share * 100) })}
        </p>
      )}
      {clash ? (
        <div class="note" role="alert">
          <p>
            {say('clash', { name: clash.name })} {clash.users ? say('clash_used', { count: clash.users }) : ''}
          </p>
          <div class="row">
            <button
              type="button"
              class="quiet small-button"
              onClick={() => void task.run(() => put(clash.file, uniqueName(clash.name, clash.taken)))}
            >
              {say('both')}
            </button>
            <button
              type="button"
              class="quiet small-button"
              onClick={() => void task.run(() => put(clash.file, clash.name, { sha: clash.sha }))}
            >
              {say('replace')}
            </button>
            <button type="button" class="quiet small-button" onClick={() => setClash(null)}>
              {say('cancel')}
            </button>
          </div>
        </div>
      ) : null}
      {task.error ? <ErrorMessage error={task.error} /> : null}
      {choosing ? (
        <Library
          kind={kind}
          home={home}
          choose={(path) => {
            setChoosing(false);
            set(path);
          }}
          close={() => setChoosing(false)}
        />
      ) : null}
    </div>
  );
}

/** Reports whether a path is in the folder of a home: add-ons have a separate one. */
const isInFolder = (path: string, home: MediaFolder): boolean =>
  path.includes('add-ons/') === home.use.endsWith('add-on');
