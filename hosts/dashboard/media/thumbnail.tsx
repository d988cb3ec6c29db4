// Thumbnails of the site's images. Images that are uploaded but not yet published are not on the
// site, so they are read from the API.
import { type Signal, signal } from '@preact/signals';
import { useContext } from 'preact/hooks';
import { query } from '../resources.ts';
import { file } from '../ui/download.ts';
import { MediaFolderContext } from './folder.ts';

/** Unpublished images as data URLs by path; '' until one is loaded. */
const unpublished = new Map<string, Signal<string>>();

const unpublishedImage = (path: string): Signal<string> => {
  const existing = unpublished.get(path) ?? signal('');
  unpublished.set(path, existing);
  return existing;
};

/** Shows an uploaded file in the thumbnails of its path. */
export async function showUploaded(path: string, picture: Blob): Promise<void> {
  unpublishedImage(path).value = await toDataURL(picture);
}

/** The size of a picture in pixels. */
export interface Picture {
  readonly width: number;
  readonly height: number;
}

/** Returns the URL of a picture, which is that of its unpublished upload if there is one. */
export function imageSource(path: string): string {
  const kept = unpublished.get(path)?.value;
  return kept && kept !== missingImage ? kept : path;
}

export function Thumbnail({ path, loaded }: { path: string; loaded?: (size: Picture) => void }) {
  const { slug } = useContext(MediaFolderContext);
  const kept = unpublishedImage(path);
  const missing = (): void => {
    if (slug && !kept.value)
      void file(query(`/admin/media/${slug}/file`, { path })).then(
        (b) => showUploaded(path, withImageType(b, path)),
        () => {
          kept.value = missingImage;
        },
      );
  };
  return kept.value === missingImage ? null : (
    <img
      class="thumbnail"
      src={kept.value || path}
      alt=""
      loading="lazy"
      onError={missing}
      onLoad={({ currentTarget: i }) => loaded?.({ width: i.naturalWidth, height: i.naturalHeight })}
    />
  );
}

const missingImage = 'none';

const withImageType = (b: Blob, path: string): Blob =>
  path.endsWith('.svg') ? new Blob([b], { type: 'image/svg+xml' }) : b;

const toDataURL = (picture: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error ?? new Error());
    reader.readAsDataURL(picture);
  });
