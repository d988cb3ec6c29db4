// Uploads of media files. File names are normalized, and images are scaled down to the largest size
// that pages show. The server validates both again.

import type { Schema } from '../../site/scripts/api.ts';
import { postEmpty, upload, uploadDirect } from '../changes.ts';
import { query } from '../resources.ts';
import { UserError } from '../ui/notice.tsx';
import type { MediaFolder } from './folder.ts';
import { say } from './words.ts';

export type Listing = Schema['MediaListing'];
export type ListedFile = Listing['files'][number];
export type Kind = ListedFile['kind'];

export const listingPath = (folder: MediaFolder): string =>
  folder.slug ? `/admin/media/${folder.slug}` : '/admin/media';

const maxPixels = 2560; // twice the width of the largest image on a desktop page
const quality = 0.86;

/** Returns the file's name in the repository: lower-case letters, digits and single hyphens. */
export function repositoryName(file: File): string {
  const [, stem = '', extension = ''] = /^(.*?)(\.[^.]*)?$/s.exec(file.name) ?? [];
  const plain = stem
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 80)
    .replace(/-+$/, '');
  return (plain || 'file') + extension.toLowerCase().replace(/[^.a-z0-9]/g, '');
}

/** Returns the name with the first numeric suffix that is not taken. */
export function uniqueName(name: string, taken: ReadonlySet<string>): string {
  const at = name.lastIndexOf('.');
  for (let n = 2; ; n++) {
    const next = `${name.slice(0, at)}-${n}${name.slice(at)}`;
    if (!taken.has(next)) return next;
  }
}

/**
 * Scales an image down to the largest size that pages show, and encodes it again if it has more than
 * maxBytes. Files that the browser cannot decode are returned unchanged.
 */
export async function shrinkImage(file: File, maxBytes: number): Promise<File> {
  if (!/^image\/(jpeg|png|webp)$/.test(file.type)) return file;
  const picture = await createImageBitmap(file).catch(() => null);
  if (!picture) return file;
  const scale = Math.min(1, maxPixels / Math.max(picture.width, picture.height));
  if (scale === 1 && file.size <= maxBytes) return file;
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(picture.width * scale);
  canvas.height = Math.round(picture.height * scale);
  canvas.getContext('2d')?.drawImage(picture, 0, 0, canvas.width, canvas.height);
  const type = file.type === 'image/jpeg' ? 'image/jpeg' : 'image/webp'; // WebP keeps transparency
  const encoded = await new Promise<Blob | null>((done) => canvas.toBlob(done, type, quality));
  if (!encoded || encoded.type !== type || (encoded.size >= file.size && scale === 1)) return file;
  const extension = type === 'image/jpeg' ? '.jpg' : '.webp';
  return new File([encoded], file.name.replace(/(\.[^.]*)?$/, extension), { type });
}

interface UploadOptions {
  readonly kind: Kind;
  readonly home: MediaFolder;
  readonly name: string;
  readonly sha?: string | undefined;
  readonly id: string;
  readonly direct: boolean; // upload to object storage instead of the API
  readonly progress: (share: number) => void;
}

/** Reports whether files of a kind are uploaded directly to object storage. */
export const uploadsDirectly = (listing: Listing, kind: Kind): boolean => listing.direct && kind !== 'image';

/** Uploads a file. With a SHA it replaces the file of the same name that has this SHA. */
export async function uploadFile(
  file: Blob,
  { kind, home, name, sha, id, direct, progress }: UploadOptions,
): Promise<Schema['MediaStored']> {
  const where = { use: home.use, campaignSlug: home.slug, filename: name, changeId: id };
  if (!direct) return upload(query(`/admin/settings/${kind}-upload`, { ...where, sha }), file, progress);
  const grant = await postEmpty<Schema['MediaGrant']>(
    query('/admin/media/grant', { kind, ...where, size: String(file.size) }),
  );
  await uploadDirect(grant, file, progress).catch(() => {
    throw new UserError(say('undelivered'));
  });
  return postEmpty(query('/admin/media/take', { kind, ...where }));
}
