// A form's values and the file's values that they are based on. Unpublished changes are kept in
// localStorage, with the section that they belong to, except email addresses.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { now } from '../session.ts';
import {
  conflicting,
  type Edit,
  edits,
  type Field,
  type FormState,
  isStorable,
  rebase,
  setValue,
  type Values,
  valueAt,
  withEntryIDs,
  withValue,
} from './draft.ts';
import { draftChanges, draftKey, storedEdits } from './draftstore.ts';

type Opened = Schema['ContentFile'];
export type Section = Schema['ContentDescription']['sections'][number];

interface DraftState {
  /** The form's values. */
  readonly values: Values;
  /** The published values that the form's values are compared with. */
  readonly published: Values;
  readonly changed: readonly Edit[];
  /** The changed fields that others have changed, too. */
  readonly conflicts: readonly Edit[];
  /** When the draft was last stored, by the server's clock; 0 if it was not. */
  readonly savedAt: number;
  readonly set: (values: Values) => void;
  /** Discards the changes of sections and returns a function that restores them. */
  readonly discard: (sections: readonly string[]) => () => void;
  /** Marks values as published. Input since then remains a draft. */
  readonly markPublished: (sent: Values) => void;
  /** Resolves conflicts by path: takes the file's current value, or keeps the form's. */
  readonly resolve: (choices: readonly Choice[]) => void;
}

/** How a conflict is resolved. */
export interface Choice {
  readonly path: string;
  /** The file's current value. */
  readonly is: unknown;
  /** Keep the form's value. */
  readonly mine: boolean;
}

export function useDraft(opened: Opened, sections: readonly Section[]): DraftState {
  const fields = useMemo(() => sections.flatMap((s) => s.fields), [sections]);
  const store = draftKey(opened.file);
  const file = useMemo(() => withEntryIDs(fields, opened.fields as Values), [fields, opened]);
  const [state, setState] = useState<FormState>(() => rebase(fields, restoreDraft(store, fields, file), file));
  const [savedAt, setSavedAt] = useState(() => storedAt(store));
  const adopted = useRef(file);
  const changed = useMemo(() => edits(fields, state.was, state.is), [fields, state]);
  useEffect(() => {
    if (storeDraft(store, sections, state, now())) setSavedAt(now());
  }, [state]);
  useEffect(() => {
    if (adopted.current === file) return;
    adopted.current = file;
    setState((s) => rebase(fields, s, file));
  }, [file]);
  const conflicts = useMemo(() => conflicting(changed, file), [changed, file]);
  return {
    values: state.is,
    published: state.was,
    changed,
    conflicts,
    savedAt,
    set: (is) => setState({ was: state.was, is }),
    discard: (of) => {
      const before = state;
      const gone = sections.filter((s) => of.includes(s.key)).flatMap((s) => s.fields);
      setState({ was: state.was, is: gone.reduce((v, f) => withValue(v, f.path, valueAt(file, f.path)), state.is) });
      return () =>
        setState((s) => ({
          was: s.was,
          is: gone.reduce((v, f) => withValue(v, f.path, valueAt(before.is, f.path)), s.is),
        }));
    },
    markPublished: (sent) => setState((s) => ({ was: sent, is: s.is })),
    resolve: (choices) => {
      const taken = (v: Values, all: readonly Choice[]): Values =>
        all.reduce((w, c) => setValue(fields, w, c.path, c.is), v);
      setState({
        was: taken(state.was, choices),
        is: taken(
          state.is,
          choices.filter((c) => !c.mine),
        ),
      });
    },
  };
}

interface Stored {
  readonly path: string;
  readonly was: unknown;
  readonly value: unknown;
  /** The key of the section that contains the field. */
  readonly section: string;
  /** When the draft was stored, in milliseconds. */
  readonly at: number;
}

const storedAt = (store: string): number =>
  Math.max(0, ...(storedEdits(store) as readonly Stored[]).map((e) => e.at ?? 0));

/** Stores the changed fields, each as a whole. Reports whether the stored draft has changed. */
export function storeDraft(store: string, sections: readonly Section[], { was, is }: FormState, at: number): boolean {
  const before = storedEdits(store) as readonly Stored[];
  const changed = sections.flatMap((s) =>
    s.fields
      .filter(isStorable)
      .filter((f) => edits([f], was, is).length > 0)
      .map(
        (f): Omit<Stored, 'at'> => ({
          path: f.path,
          was: valueAt(was, f.path) ?? null,
          value: valueAt(is, f.path) ?? null,
          section: s.key,
        }),
      ),
  );
  if (JSON.stringify(changed) === JSON.stringify(before.map(({ at: _, ...e }) => e))) return false;
  if (changed.length) localStorage.setItem(store, JSON.stringify(changed.map((e) => ({ ...e, at }))));
  else localStorage.removeItem(store);
  draftChanges.value++;
  return changed.length > 0;
}

/** Restores stored edits with the values that they are based on, so that later changes by others are reported as conflicts. */
export function restoreDraft(store: string, fields: readonly Field[], file: Values): FormState {
  const found = (storedEdits(store) as readonly Stored[]).filter((e) => fields.some((f) => f.path === e.path));
  return {
    was: found.reduce((v, e) => withValue(v, e.path, e.was ?? undefined), file),
    is: found.reduce((v, e) => withValue(v, e.path, e.value ?? undefined), file),
  };
}
