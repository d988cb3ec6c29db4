// Unpublished edits in localStorage, one item per file. They belong to one operator and are
// deleted when the operator signs out or another one signs in.

import { signal } from '@preact/signals';

const prefix = 'draft ';
const ownedKey = /^draft [0-9a-f]{16} /;
let ownPrefix = prefix;

export const draftKey = (file: string): string => ownPrefix + file;

const draftKeys = (): string[] =>
  Object.keys(localStorage)
    .filter((key) => key.startsWith(prefix))
    .sort();

/** Selects the drafts of an operator and deletes all others. */
export async function openDrafts(email: string): Promise<void> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(`drafts of ${email}`)));
  ownPrefix = `${prefix}${[...digest.slice(0, 8)].map((b) => b.toString(16).padStart(2, '0')).join('')} `;
  for (const key of draftKeys().filter((k) => !k.startsWith(ownPrefix))) {
    if (!ownedKey.test(key))
      localStorage.setItem(ownPrefix + key.slice(prefix.length), localStorage.getItem(key) ?? '[]'); // from release 0.1.0, which did not record the owner
    localStorage.removeItem(key);
  }
}

/** Deletes all drafts, at sign-out. */
export function deleteDrafts(): void {
  for (const key of draftKeys()) localStorage.removeItem(key);
}

/** Returns the edits stored under a key, or none if the item is not valid. */
export function storedEdits(key: string): readonly unknown[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    return Array.isArray(found) ? found : [];
  } catch {
    return [];
  }
}

/** Returns the files with drafts and the number of fields that each changes. */
export function drafts(): readonly { readonly file: string; readonly fields: number }[] {
  return draftKeys()
    .filter((key) => key.startsWith(ownPrefix))
    .map((key) => ({ file: key.slice(ownPrefix.length), fields: storedEdits(key).length }))
    .filter((d) => d.fields > 0);
}

/** Counts the changes to drafts, so that components that show them are rendered again. */
export const draftChanges = signal(0);

/** Reports whether a file has unpublished edits in a section. */
export function hasDraft(file: string, section: string): boolean {
  return (
    draftChanges.value >= 0 &&
    storedEdits(draftKey(file)).some((e) => (e as { readonly section?: string }).section === section)
  );
}
