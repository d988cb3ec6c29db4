// What stands in a form, and what it rests on. It is kept in the browser until it is
// published, but for addresses of people.
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { keyOf, stored } from './kept.ts';
import { at, edits, kept, marked, put, type Edit, type Field, type Values } from './draft.ts';

type Opened = Schema['ContentFile'];

interface State {
  readonly was: Values;
  readonly is: Values;
  /** The revision of the file that was is all of; '' where it's of several. */
  readonly base: string;
}

export interface Drafted {
  readonly values: Values;
  readonly changed: readonly Edit[];
  readonly set: (values: Values) => void;
  readonly discard: () => void;
  /** Says that what was changed is in the file now. */
  readonly published: () => void;
  /** Takes what the file has now as what a field rests on, and as its value, unless mine stays. */
  readonly settle: (path: string, now: unknown, mine: boolean) => void;
}

export function useDraft(opened: Opened, fields: readonly Field[]): Drafted {
  const store = keyOf(opened.file);
  const file = useMemo(() => marked(fields, opened.fields as Values), [fields, opened]);
  const [state, setState] = useState<State>(() => restored(store, fields, file, opened.base));
  const { was, is, base } = state;
  const taken: State = { was: file, is: file, base: opened.base };
  const changed = edits(fields, was, is);
  const untouched = changed.length === 0;
  useEffect(() => keep(store, fields, state), [state]);
  useEffect(() => {
    if (untouched && base !== opened.base) setState(taken); // what others have published; else it meets what was typed in the review
  }, [opened.base, untouched]);
  return {
    values: is, changed,
    set: (values) => setState({ was, is: values, base }),
    discard: () => setState(taken),
    published: () => setState({ was: is, is, base }),
    settle: (path, now, mine) => {
      const next = (v: Values): Values => marked(fields, put(v, path, now));
      setState({ was: next(was), is: mine ? is : next(is), base });
    },
  };
}

/** Keeps the changed fields, each whole. */
function keep(store: string, fields: readonly Field[], { was, is }: State): void {
  const changed = fields.filter(kept).filter((f) => edits([f], was, is).length > 0).map((f) => ({ path: f.path, was: at(was, f.path) ?? null, value: at(is, f.path) ?? null }));
  if (changed.length) localStorage.setItem(store, JSON.stringify(changed));
  else localStorage.removeItem(store);
}

/** What was kept, with the values that it rests on: what others have changed since is then a conflict. */
function restored(store: string, fields: readonly Field[], file: Values, base: string): State {
  const found = (stored(store) as readonly Edit[]).filter((e) => fields.some((f) => f.path === e.path));
  return { was: found.reduce((v, e) => put(v, e.path, e.was ?? undefined), file), is: found.reduce((v, e) => put(v, e.path, e.value ?? undefined), file), base: found.length ? '' : base };
}
