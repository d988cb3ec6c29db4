// Drafts that this browser keeps until they are published: what was changed, by file.

const prefix = 'draft ';

export const keyOf = (file: string): string => prefix + file;

/** The edits that are kept under a key; none where they are not ours. */
export function stored(key: string): readonly unknown[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    return Array.isArray(found) ? found : [];
  } catch {
    return [];
  }
}

/** The files with drafts, and how many fields each changes. */
export function drafts(): readonly { readonly file: string; readonly fields: number }[] {
  return Object.keys(localStorage).filter((key) => key.startsWith(prefix)).sort().map((key) => ({ file: key.slice(prefix.length), fields: stored(key).length })).filter((d) => d.fields > 0);
}
