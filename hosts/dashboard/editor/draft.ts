// What somebody has changed in a file and not published: field by field, with the value
// that each had, so that somebody else's changes to other fields stay.
import type { Schema } from '../../site/scripts/api.ts';

export type Field = Schema['ContentField'];
export type Value = unknown;
export type Values = Readonly<Record<string, Value>>;

export interface Edit {
  readonly path: string;
  readonly was?: Value;
  readonly value?: Value;
}

/** The value at a path such as custom_amount.min, or tiers[early-bird].price. */
export function at(values: Values, path: string): Value {
  return steps(path).reduce<Value>((v, step) => below(v, step), values);
}

interface Step {
  readonly key: string;
  readonly entry: boolean; // one of a list, by its ID
}

const steps = (path: string): readonly Step[] => [...path.matchAll(/\[([^\]]*)\]|[^.[\]]+/g)].map(([key, id]) => ({ key: id ?? key, entry: id !== undefined }));

const isMapping = (v: Value): v is Values => typeof v === 'object' && v !== null && !Array.isArray(v);

/** Under it an entry of a list carries the ID by which the file knows it, whatever it's called meanwhile. */
const known = '#';

const named = (v: Value, id: string): boolean => isMapping(v) && (v[known] ?? v['id']) === id;

/** Has the entries of lists carry their IDs. */
export function marked(fields: readonly Field[], values: Values): Values {
  return fields.filter((f) => f.identity).reduce((all, f) => {
    const list = at(all, f.path);
    return Array.isArray(list) ? put(all, f.path, list.map((e: Value) => withID(f, e))) : all;
  }, values);
}

function withID(f: Field, entry: Value): Value {
  if (!isMapping(entry) || known in entry) return entry;
  const id = entry['id'] ?? derived(entry[f.identity ?? '']);
  return id === undefined ? entry : { ...entry, [known]: id };
}

/** The ID that follows from a name in plain letters; the service has a rule for others. */
function derived(name: Value): string | undefined {
  if (typeof name !== 'string' || !/^[\x20-\x7e]+$/.test(name)) return undefined;
  return name.toLowerCase().replaceAll("'", '').replace(/[^a-z0-9]+/g, '-').slice(0, 100).replace(/^-+|-+$/g, '') || undefined;
}

/** A value as the file has it. */
function plain(v: Value): Value {
  if (Array.isArray(v)) return v.map(plain);
  if (!isMapping(v)) return v;
  const { [known]: _, ...own } = v;
  return Object.fromEntries(Object.entries(own).map(([k, x]) => [k, plain(x)]));
}

function below(v: Value, { key, entry }: Step): Value {
  if (entry) return Array.isArray(v) ? v.find((e) => named(e, key)) : undefined;
  return isMapping(v) ? v[key] : undefined;
}

/** The values with another one at a path; undefined removes it. */
export const put = (values: Values, path: string, value: Value): Values => (placed(values, steps(path), value) ?? {}) as Values;

function placed(v: Value, [step, ...rest]: readonly Step[], value: Value): Value {
  if (!step) return value;
  const next = placed(below(v, step), rest, value);
  if (step.entry) return Array.isArray(v) ? v.flatMap((e: Value) => (!named(e, step.key) ? [e] : next === undefined ? [] : [next])) : v;
  const { [step.key]: _, ...others } = isMapping(v) ? v : {};
  const emptied = rest.length > 0 && isMapping(next) && Object.keys(next).length === 0;
  return next === undefined || emptied ? others : { ...(isMapping(v) ? v : {}), [step.key]: next };
}

export const same = (a: Value, b: Value): boolean => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));

function sorted(v: Value): Value {
  if (Array.isArray(v)) return v.map(sorted);
  if (!isMapping(v)) return v ?? null;
  return Object.fromEntries(Object.keys(v).sort().filter((k) => k !== known && v[k] !== undefined).map((k) => [k, sorted(v[k])]));
}

/** The edits that make of what was opened what stands in the form. */
export function edits(fields: readonly Field[], was: Values, is: Values): readonly Edit[] {
  return fields.flatMap((f) => ofField(f, at(was, f.path), at(is, f.path)));
}

function ofField(f: Field, was: Value, is: Value): readonly Edit[] {
  if (same(was, is)) return [];
  if (f.identity && Array.isArray(was) && Array.isArray(is)) {
    const inside = ofEntries(f, was, is);
    if (inside) return inside;
  }
  return [edit(f.path, was, Array.isArray(is) && f.identity ? is.map((e) => keptID(f, e)) : is)];
}

const edit = (path: string, was: Value, value: Value): Edit => ({ path, ...(was === undefined ? {} : { was: plain(was) }), ...(value === undefined ? {} : { value: plain(value) }) });

/** An entry under another name than its ID follows from says the ID, so that it stays the same one. */
function keptID(f: Field, entry: Value): Value {
  if (!isMapping(entry) || entry['id'] !== undefined || entry[known] === undefined || derived(entry[f.identity ?? '']) === entry[known]) return entry;
  return { ...entry, id: entry[known] };
}

const idOf = (entry: Value): string | undefined => (isMapping(entry) && typeof entry[known] === 'string' ? entry[known] : undefined);

/**
 * The edits of a list whose entries are known by their IDs and stand in the order in which
 * they stood, new ones behind them; null for any other list, which is one field.
 */
function ofEntries(f: Field, was: readonly Value[], is: readonly Value[]): readonly Edit[] | null {
  const ids = was.map(idOf);
  const left = is.map(idOf).filter((id) => id !== undefined);
  const fresh = is.slice(left.length);
  if (new Set(ids).size !== ids.length || ids.includes(undefined) || fresh.some(idOf)) return null;
  if (!same(ids.filter((id) => id !== undefined && left.includes(id)), left)) return null;
  const all: Edit[] = [];
  for (const before of was) {
    const id = idOf(before) ?? '';
    const after = is.find((e) => idOf(e) === id);
    const path = `${f.path}[${id}]`;
    if (!after) all.push(edit(path, before, undefined));
    else all.push(...inEntry(f, before as Values, after as Values).map((e) => ({ ...e, path: `${path}.${e.path}` })));
  }
  return [...all, ...fresh.map((e) => edit(`${f.path}[]`, undefined, e))];
}

/** The edits of an entry's fields; a list within it is one field. */
function inEntry(f: Field, was: Values, is: Values): readonly Edit[] {
  return (f.fields ?? []).filter((g) => !same(at(was, g.path), at(is, g.path))).map((g) => edit(g.path, at(was, g.path), at(is, g.path)));
}

/** Addresses of people are kept nowhere but in the page. */
export const kept = (f: Field): boolean => !['email', 'emails', 'sender'].includes(f.kind);
