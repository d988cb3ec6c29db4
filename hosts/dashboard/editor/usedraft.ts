// A form's values and the file values that they are based on. Unpublished changes are kept in
// localStorage, except email addresses.
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { type Edit, edits, type Field, isStorable, type Values, valueAt, withEntryIDs, withValue } from './draft.ts';
import { draftKey, storedEdits } from './draftstore.ts';

type Opened = Schema['ContentFile'];

export interface FormState {
  readonly was: Values;
  readonly is: Values;
  /** The file revision of all values in `was`; '' if they come from several revisions. */
  readonly base: string;
}

export interface DraftState {
  readonly values: Values;
  readonly changed: readonly Edit[];
  readonly set: (values: Values) => void;
  readonly discard: () => void;
  /** Marks the current values as published. */
  readonly published: () => void;
  /** Resolves a conflict: rebases a field on the file's current value, and takes that value unless `mine` is set. */
  readonly resolve: (path: string, now: unknown, mine: boolean) => void;
}

export function useDraft(opened: Opened, fields: readonly Field[]): DraftState {
  const store = draftKey(opened.file);
  const file = useMemo(() => withEntryIDs(fields, opened.fields as Values), [fields, opened]);
  const [state, setState] = useState<FormState>(() => restoreDraft(store, fields, file, opened.base));
  const { was, is, base } = state;
  const fromFile: FormState = { was: file, is: file, base: opened.base };
  const changed = edits(fields, was, is);
  const untouched = changed.length === 0;
  useEffect(() => storeDraft(store, fields, state), [state]);
  useEffect(() => {
    if (untouched && base !== opened.base) setState(fromFile); // load what others published; if there are edits, the review reports conflicts instead
  }, [opened.base, untouched]);
  return {
    values: is,
    changed,
    set: (values) => setState({ was, is: values, base }),
    discard: () => setState(fromFile),
    published: () => setState({ was: is, is, base }),
    resolve: (path, now, mine) => {
      const next = (v: Values): Values => withEntryIDs(fields, withValue(v, path, now));
      setState({ was: next(was), is: mine ? is : next(is), base });
    },
  };
}

/** Stores the changed fields, each as a whole. */
export function storeDraft(store: string, fields: readonly Field[], { was, is }: FormState): void {
  const changed = fields
    .filter(isStorable)
    .filter((f) => edits([f], was, is).length > 0)
    .map((f) => ({ path: f.path, was: valueAt(was, f.path) ?? null, value: valueAt(is, f.path) ?? null }));
  if (changed.length) localStorage.setItem(store, JSON.stringify(changed));
  else localStorage.removeItem(store);
}

/** Restores stored edits with the values they are based on, so that later changes by others are reported as conflicts. */
export function restoreDraft(store: string, fields: readonly Field[], file: Values, base: string): FormState {
  const found = (storedEdits(store) as readonly Edit[]).filter((e) => fields.some((f) => f.path === e.path));
  return {
    was: found.reduce((v, e) => withValue(v, e.path, e.was ?? undefined), file),
    is: found.reduce((v, e) => withValue(v, e.path, e.value ?? undefined), file),
    base: found.length ? '' : base,
  };
}
