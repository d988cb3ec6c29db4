// Uploads of one field, with their progress and the prompt for a file whose name already exists.
import { useContext, useRef, useState } from 'preact/hooks';
import { getWithSession } from '../../site/scripts/operator.ts';
import { newChangeID } from '../changes.ts';
import { refreshPrefix } from '../resources.ts';
import { useTask } from '../ui/button.tsx';
import { UserError } from '../ui/notice.tsx';
import { type MediaFolder, MediaFolderContext } from './folder.ts';
import { showUploaded } from './thumbnail.tsx';
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
import { say } from './words.ts';

/** The file types of each kind, as for an input's accept attribute. */
export const accepted: Readonly<Record<Kind, string>> = {
  image: '.jpg,.jpeg,.png,.webp,.gif',
  video: '.mp4,.webm,.mov',
  audio: '.mp3,.m4a,.ogg,.wav,.flac',
};

/** A file whose name already exists. */
interface NameConflict {
  readonly name: string;
  /** The number of pages that show the existing file. */
  readonly users: number;
  readonly keepBoth: () => void;
  readonly replace: () => void;
  readonly cancel: () => void;
}

export interface Upload {
  /** The name of the file that is being uploaded, or "". */
  readonly name: string;
  /** The fraction sent so far, from 0 to 1. */
  readonly share: number;
  readonly busy: boolean;
  readonly error: unknown;
  readonly conflict: NameConflict | null;
  readonly writable: boolean;
  /**
   * Uploads a file. If `renamed` is set and the name exists, a number is appended instead of
   * asking.
   */
  readonly take: (file: File, renamed?: boolean) => void;
}

/** Uploads files into the form's media folder; `set` receives the path. */
export function useUpload(kind: Kind, set: (path: string) => void): Upload {
  const folder = useContext(MediaFolderContext);
  const [sending, setSending] = useState<{ readonly name: string; readonly share: number } | null>(null);
  const [conflict, setConflict] = useState<NameConflict | null>(null);
  const { busy, error, run } = useTask();
  const latest = useRef(set); // the form may be edited during an upload
  latest.current = set;
  const send = async (file: File, name: string, options: { sha?: string; direct: boolean }): Promise<void> => {
    setConflict(null);
    setSending({ name, share: 0 });
    try {
      const progress = (share: number): void => setSending({ name, share });
      const stored = await uploadFile(file, {
        kind,
        home: folder,
        name,
        sha: options.sha,
        id: newChangeID(),
        direct: options.direct,
        progress,
      });
      if (kind === 'image') await showUploaded(stored.path, file);
      refreshPrefix(listingPath(folder));
      latest.current(stored.path);
    } finally {
      setSending(null);
    }
  };
  const prepare = async (chosen: File, renamed: boolean): Promise<void> => {
    const listing = await getWithSession<Listing>(listingPath(folder));
    const file = kind === 'image' ? await shrinkImage(chosen, listing.limits.image) : chosen;
    if (file.size > listing.limits[kind])
      throw new UserError(say('too_large', { most: Math.floor(listing.limits[kind] / 2 ** 20) }));
    const name = repositoryName(file);
    const direct = uploadsDirectly(listing, kind); // object storage has no name conflicts
    const taken = new Set(listing.files.map((f) => f.path.slice(f.path.lastIndexOf('/') + 1)));
    const same = direct
      ? undefined
      : listing.files.find((f) => f.path.endsWith(`/${name}`) && f.kind === kind && isInFolder(f.path, folder));
    if (!same) return send(file, name, { direct });
    if (renamed) return send(file, uniqueName(name, taken), { direct });
    setConflict({
      name,
      users: same.usedBy.length,
      keepBoth: () => void run(() => send(file, uniqueName(name, taken), { direct })),
      replace: () => void run(() => send(file, name, { sha: same.sha, direct })),
      cancel: () => setConflict(null),
    });
  };
  return {
    name: sending?.name ?? '',
    share: sending?.share ?? 0,
    busy,
    error,
    conflict,
    writable: folder.writable,
    take: (file, renamed = false) => void run(() => prepare(file, renamed)),
  };
}

/** Reports whether a path is in the folder: add-ons have a separate one. */
const isInFolder = (path: string, folder: MediaFolder): boolean =>
  path.includes('add-ons/') === folder.use.endsWith('add-on');
