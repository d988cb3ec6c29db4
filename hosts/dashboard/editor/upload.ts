// Files on their way to the campaigns' repository: named as it names files, and pictures no
// larger than pages show them. The service trusts none of it.
import { query } from '../reading.ts';
import { bodyless, deliver, upload } from '../changing.ts';
import { Said } from '../ui/notice.tsx';
import { say } from './mediawords.ts';
import type { Schema } from '../../site/scripts/api.ts';
import type { Home } from './files.ts';

export type Listing = Schema['MediaListing'];
export type Listed = Listing['files'][number];
export type Kind = Listed['kind'];

export const listed = (home: Home): string => (home.slug ? `/admin/media/${home.slug}` : '/admin/media');

const longest = 2560; // pixels: twice the widest picture that pages offer on a desk
const quality = 0.86;

/** The file's name in the repository: lower-case letters, digits and single hyphens. */
export function nameOf(file: File): string {
  const [, stem = '', extension = ''] = /^(.*?)(\.[^.]*)?$/s.exec(file.name) ?? [];
  const plain = stem.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '').slice(0, 80).replace(/-+$/, '');
  return (plain || 'file') + extension.toLowerCase().replace(/[^.a-z0-9]/g, '');
}

/** A name that no file of the folder has. */
export function another(name: string, taken: ReadonlySet<string>): string {
  const at = name.lastIndexOf('.');
  for (let n = 2; ; n++) {
    const next = `${name.slice(0, at)}-${n}${name.slice(at)}`;
    if (!taken.has(next)) return next;
  }
}

/** A picture no larger than pages show it; what can't be drawn here goes as it is. */
export async function shrunk(file: File, most: number): Promise<File> {
  if (!/^image\/(jpeg|png|webp)$/.test(file.type)) return file;
  const picture = await createImageBitmap(file).catch(() => null);
  if (!picture) return file;
  const scale = Math.min(1, longest / Math.max(picture.width, picture.height));
  if (scale === 1 && file.size <= most) return file;
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(picture.width * scale);
  canvas.height = Math.round(picture.height * scale);
  canvas.getContext('2d')?.drawImage(picture, 0, 0, canvas.width, canvas.height);
  const type = file.type === 'image/jpeg' ? 'image/jpeg' : 'image/webp'; // which keeps what is clear
  const made = await new Promise<Blob | null>((done) => canvas.toBlob(done, type, quality));
  if (!made || made.type !== type || made.size >= file.size && scale === 1) return file;
  const extension = type === 'image/jpeg' ? '.jpg' : '.webp';
  return new File([made], file.name.replace(/(\.[^.]*)?$/, extension), { type });
}

export interface Sent {
  readonly kind: Kind;
  readonly home: Home;
  readonly name: string;
  readonly sha?: string | undefined;
  readonly id: string;
  readonly direct: boolean; // it goes to the bucket for films, and not to the service
  readonly progress: (share: number) => void;
}

/** Whether files of a kind go to the bucket for films. */
export const goesDirect = (listing: Listing, kind: Kind): boolean => listing.direct && kind !== 'image';

/** Uploads a file; with a SHA it replaces the one of that name. */
export async function send(file: Blob, { kind, home, name, sha, id, direct, progress }: Sent): Promise<Schema['MediaStored']> {
  const where = { use: home.use, campaignSlug: home.slug, filename: name, changeId: id };
  if (!direct) return upload(query(`/admin/settings/${kind}-upload`, { ...where, sha }), file, progress);
  const grant = await bodyless<Schema['MediaGrant']>(query('/admin/media/grant', { kind, ...where, size: String(file.size) }));
  await deliver(grant, file, progress).catch(() => { throw new Said(say('undelivered')); });
  return bodyless(query('/admin/media/take', { kind, ...where }));
}
