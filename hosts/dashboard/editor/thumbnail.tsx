// A picture of the site. One that was uploaded and that nothing published names yet is asked
// for at the service.
import { signal, type Signal } from '@preact/signals';
import { useContext } from 'preact/hooks';
import { query } from '../reading.ts';
import { file } from '../ui/download.ts';
import { Files } from './files.ts';

/** Pictures that the site doesn't have, as addresses that hold them; '' while there is none. */
const unpublished = new Map<string, Signal<string>>();

const place = (path: string): Signal<string> => {
  const known = unpublished.get(path) ?? signal('');
  unpublished.set(path, known);
  return known;
};

/** Has thumbnails show a file that was uploaded. */
export async function showing(path: string, picture: Blob): Promise<void> {
  place(path).value = await addressOf(picture);
}

export function Thumbnail({ path }: { path: string }) {
  const { slug } = useContext(Files);
  const kept = place(path);
  const missing = (): void => {
    if (slug && !kept.value) void file(query(`/admin/media/${slug}/file`, { path })).then((b) => showing(path, typed(b, path)), () => { kept.value = nothing; });
  };
  return kept.value === nothing ? null : <img class="thumbnail" src={kept.value || path} alt="" loading="lazy" onError={missing} />;
}

const nothing = 'none';

const typed = (b: Blob, path: string): Blob => (path.endsWith('.svg') ? new Blob([b], { type: 'image/svg+xml' }) : b);

const addressOf = (picture: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error ?? new Error());
    reader.readAsDataURL(picture);
  });
