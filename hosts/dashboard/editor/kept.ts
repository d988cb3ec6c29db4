// Unpublished edits that this browser keeps, by file. They belong to one operator, and are
// deleted when the operator signs out or another one signs in.

const prefix = 'draft ';
const owned = /^draft [0-9a-f]{16} /;
let own = prefix;

export const keyOf = (file: string): string => own + file;

const all = (): string[] => Object.keys(localStorage).filter((key) => key.startsWith(prefix)).sort();

/** Opens the drafts of an operator, and deletes those of others. */
export async function openDrafts(email: string): Promise<void> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(`drafts of ${email}`)));
  own = `${prefix}${[...digest.slice(0, 8)].map((b) => b.toString(16).padStart(2, '0')).join('')} `;
  for (const key of all().filter((k) => !k.startsWith(own))) {
    if (!owned.test(key)) localStorage.setItem(own + key.slice(prefix.length), localStorage.getItem(key) ?? '[]'); // kept by release 0.1.0, which did not know whose they are
    localStorage.removeItem(key);
  }
}

/** Deletes all drafts: their operator signs out. */
export function deleteDrafts(): void {
  for (const key of all()) localStorage.removeItem(key);
}

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
  return all().filter((key) => key.startsWith(own)).map((key) => ({ file: key.slice(own.length), fields: stored(key).length })).filter((d) => d.fields > 0);
}
