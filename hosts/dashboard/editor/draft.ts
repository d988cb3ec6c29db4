// Unpublished edits of a file. Each edit changes one field and records the field's previous
// value, so that other people's changes to other fields are kept.
import type { Schema } from '../../site/scripts/api.ts';

export type Field = Schema['ContentField'];
export type Value = unknown;
export type Values = Readonly<Record<string, Value>>;

export interface Edit {
  readonly path: string;
  readonly was?: Value;
  readonly value?: Value;
}

/** Returns the value at a path such as custom_amount.min or tiers[early-bird].price. */
export function valueAt(values: Values, path: string): Value {
  return steps(path).reduce<Value>((v, step) => child(v, step), values);
}

interface Step {
  readonly key: string;
  readonly entry: boolean; // key is the ID of a list entry
}

const steps = (path: string): readonly Step[] =>
  [...path.matchAll(/\[([^\]]*)\]|[^.[\]]+/g)].map(([key, id]) => ({ key: id ?? key, entry: id !== undefined }));

const isMapping = (v: Value): v is Values => typeof v === 'object' && v !== null && !Array.isArray(v);

/**
 * The key under which a list entry stores its ID in the file, even after it was renamed in the
 * form.
 */
const idKey = '#';

const hasID = (v: Value, id: string): boolean => isMapping(v) && (v[idKey] ?? v.id) === id;

/** Adds the IDs to the entries of all lists. */
export function withEntryIDs(fields: readonly Field[], values: Values): Values {
  return fields
    .filter((f) => f.identity)
    .reduce((all, f) => {
      const list = valueAt(all, f.path);
      return Array.isArray(list)
        ? withValue(
            all,
            f.path,
            list.map((e: Value) => withID(f, e)),
          )
        : all;
    }, values);
}

function withID(f: Field, entry: Value): Value {
  if (!isMapping(entry) || idKey in entry) return entry;
  const id = entry.id ?? deriveID(entry[f.identity ?? '']);
  return id === undefined ? entry : { ...entry, [idKey]: id };
}

/** Derives an ID from an ASCII name. The server derives those of other names. */
export function deriveID(name: Value): string | undefined {
  if (typeof name !== 'string' || !/^[\x20-\x7e]+$/.test(name)) return undefined;
  return (
    name
      .toLowerCase()
      .replaceAll("'", '')
      .replace(/[^a-z0-9]+/g, '-')
      .slice(0, 100)
      .replace(/^-+|-+$/g, '') || undefined
  );
}

/** Returns a value without the added entry IDs. */
function withoutEntryIDs(v: Value): Value {
  if (Array.isArray(v)) return v.map(withoutEntryIDs);
  if (!isMapping(v)) return v;
  const { [idKey]: _, ...own } = v;
  return Object.fromEntries(Object.entries(own).map(([k, x]) => [k, withoutEntryIDs(x)]));
}

function child(v: Value, { key, entry }: Step): Value {
  if (entry) return Array.isArray(v) ? v.find((e) => hasID(e, key)) : undefined;
  return isMapping(v) ? v[key] : undefined;
}

/** Returns a copy of the values with the value at a path replaced; undefined removes it. */
export const withValue = (values: Values, path: string, value: Value): Values =>
  (replaceAt(values, steps(path), value) ?? {}) as Values;

function replaceAt(v: Value, [step, ...rest]: readonly Step[], value: Value): Value {
  if (!step) return value;
  const next = replaceAt(child(v, step), rest, value);
  if (step.entry)
    return Array.isArray(v)
      ? v.flatMap((e: Value) => (!hasID(e, step.key) ? [e] : next === undefined ? [] : [next]))
      : v;
  const { [step.key]: _, ...others } = isMapping(v) ? v : {};
  const emptied = rest.length > 0 && isMapping(next) && Object.keys(next).length === 0;
  return next === undefined || emptied ? others : { ...(isMapping(v) ? v : {}), [step.key]: next };
}

export const equal = (a: Value, b: Value): boolean => JSON.stringify(canonical(a)) === JSON.stringify(canonical(b));

function canonical(v: Value): Value {
  if (Array.isArray(v)) return v.map(canonical);
  if (!isMapping(v)) return v ?? null;
  return Object.fromEntries(
    Object.keys(v)
      .sort()
      .filter((k) => k !== idKey && v[k] !== undefined)
      .map((k) => [k, canonical(v[k])]),
  );
}

/** Returns the edits that turn the opened file's values into the form's values. */
export const edits = (fields: readonly Field[], was: Values, is: Values): readonly Edit[] =>
  formEdits(fields, was, is).map((e) => edit(e.path, withoutEntryIDs(e.was), withoutEntryIDs(e.value)));

/** Returns the edits with the form's own entries, so that a screen recognizes them. */
const formEdits = (fields: readonly Field[], was: Values, is: Values): readonly Edit[] =>
  fields.flatMap((f) => fieldEdits(f, valueAt(was, f.path), valueAt(is, f.path)));

function fieldEdits(f: Field, was: Value, is: Value): readonly Edit[] {
  if (equal(was, is)) return [];
  if (f.identity && Array.isArray(was) && Array.isArray(is)) {
    const inside = listEdits(f, was, is);
    if (inside) return inside;
  }
  return [edit(f.path, was, Array.isArray(is) && f.identity ? is.map((e) => withExplicitID(f, e)) : is)];
}

const edit = (path: string, was: Value, value: Value): Edit => ({
  path,
  ...(was === undefined ? {} : { was }),
  ...(value === undefined ? {} : { value }),
});

/** Adds an explicit ID to an entry whose name no longer yields its ID, so that it remains the same entry. */
function withExplicitID(f: Field, entry: Value): Value {
  if (
    !isMapping(entry) ||
    entry.id !== undefined ||
    entry[idKey] === undefined ||
    deriveID(entry[f.identity ?? '']) === entry[idKey]
  )
    return entry;
  return { ...entry, id: entry[idKey] };
}

const idOf = (entry: Value): string | undefined =>
  isMapping(entry) && typeof entry[idKey] === 'string' ? entry[idKey] : undefined;

/**
 * Returns the edits of a list entry by entry, or null if the list must be replaced as a whole:
 * entries are compared only if all have unique IDs, kept their order and new ones come last.
 */
function listEdits(f: Field, was: readonly Value[], is: readonly Value[]): readonly Edit[] | null {
  const ids = was.map(idOf);
  const remaining = is.map(idOf).filter((id) => id !== undefined);
  const added = is.slice(remaining.length);
  if (new Set(ids).size !== ids.length || ids.includes(undefined) || added.some(idOf)) return null;
  if (
    !equal(
      ids.filter((id) => id !== undefined && remaining.includes(id)),
      remaining,
    )
  )
    return null;
  const all: Edit[] = [];
  for (const before of was) {
    const id = idOf(before) ?? '';
    const after = is.find((e) => idOf(e) === id);
    const path = `${f.path}[${id}]`;
    if (!after) all.push(edit(path, before, undefined));
    else
      all.push(...entryEdits(f, before as Values, after as Values).map((e) => ({ ...e, path: `${path}.${e.path}` })));
  }
  return [...all, ...added.map((e) => edit(`${f.path}[]`, undefined, e))];
}

/** Returns the edits of an entry's fields. A nested list counts as one field. */
function entryEdits(f: Field, was: Values, is: Values): readonly Edit[] {
  return (f.fields ?? [])
    .filter((g) => !equal(valueAt(was, g.path), valueAt(is, g.path)))
    .map((g) => edit(g.path, valueAt(was, g.path), valueAt(is, g.path)));
}

/** Applies edits to values. An edit of an entry that no longer exists has no effect. */
function applyEdits(values: Values, all: readonly Edit[]): Values {
  const changed = all.filter((e) => !isAddition(e)).reduce((v, e) => withValue(v, e.path, e.value), values);
  return all.filter(isAddition).reduce((v, e) => {
    const list = e.path.slice(0, -2);
    const entries = valueAt(v, list);
    return withValue(v, list, [...(Array.isArray(entries) ? entries : []), e.value]);
  }, changed);
}

const isAddition = (e: Edit): boolean => e.path.endsWith('[]');

/** Returns a copy of the values with a value of the file at a path. Entries of a whole list get their IDs. */
export function setValue(fields: readonly Field[], values: Values, path: string, value: Value): Values {
  const next = withValue(values, path, value ?? undefined);
  return withEntryIDs(
    fields.filter((f) => f.path === path),
    next,
  );
}

/** A form's values, and the values of the file that they are compared with. */
export interface FormState {
  readonly was: Values;
  readonly is: Values;
}

/**
 * Moves a form's edits to a newer version of the file. A conflicting edit keeps the old value in
 * `was`.
 */
export function rebase(fields: readonly Field[], { was, is }: FormState, file: Values): FormState {
  const mine = formEdits(fields, was, is);
  const kept = conflicting(mine, file).map((e) => edit(e.path, undefined, e.was));
  return {
    was: applyEdits(file, kept),
    is: applyEdits(
      file,
      mine.filter((e) => !isDone(file, e)),
    ),
  };
}

/** Reports whether the file already contains an edit's new value. */
function isDone(file: Values, e: Edit): boolean {
  if (!isAddition(e)) return equal(valueAt(file, e.path), e.value);
  const entries = valueAt(file, e.path.slice(0, -2));
  return Array.isArray(entries) && entries.some((entry) => equal(entry, e.value));
}

/**
 * Returns the edits of fields whose value in the file is neither the edit's old value nor its new
 * one.
 */
export const conflicting = (all: readonly Edit[], file: Values): readonly Edit[] =>
  all.filter((e) => !isAddition(e) && !equal(valueAt(file, e.path), e.was) && !isDone(file, e));

/** Reports whether a field's draft may be stored: email addresses are kept in memory only. */
export const isStorable = (f: Field): boolean => !['email', 'emails', 'sender'].includes(f.kind);
