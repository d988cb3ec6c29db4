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

/** The value at a path such as custom_amount.min. */
export function at(values: Values, path: string): Value {
  return path.split('.').reduce<Value>((v, key) => (isMapping(v) ? v[key] : undefined), values);
}

const isMapping = (v: Value): v is Values => typeof v === 'object' && v !== null && !Array.isArray(v);

/** The values with another one at a path; undefined removes it. */
export function put(values: Values, path: string, value: Value): Values {
  const [key = '', ...rest] = path.split('.');
  const below = values[key];
  const next = rest.length ? put(isMapping(below) ? below : {}, rest.join('.'), value) : value;
  const { [key]: _, ...others } = values;
  return next === undefined || (isMapping(next) && rest.length > 0 && Object.keys(next).length === 0) ? others : { ...values, [key]: next };
}

export const same = (a: Value, b: Value): boolean => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));

function sorted(v: Value): Value {
  if (Array.isArray(v)) return v.map(sorted);
  if (!isMapping(v)) return v ?? null;
  return Object.fromEntries(Object.keys(v).sort().filter((k) => v[k] !== undefined).map((k) => [k, sorted(v[k])]));
}

/** The edits that make of what was opened what stands in the form. */
export function edits(fields: readonly Field[], was: Values, is: Values): readonly Edit[] {
  return fields.flatMap((f) => ofField(f, at(was, f.path), at(is, f.path)));
}

function ofField(f: Field, was: Value, is: Value): readonly Edit[] {
  if (same(was, is)) return [];
  if (f.kind === 'objects' && Array.isArray(was) && Array.isArray(is)) {
    const inside = ofEntries(f, was, is);
    if (inside) return inside;
  }
  return [edit(f.path, was, is)];
}

const edit = (path: string, was: Value, value: Value): Edit => ({ path, ...(was === undefined ? {} : { was }), ...(value === undefined ? {} : { value }) });

/** The edits of entries that state their IDs and stand as they stood; null for any other list, which is one field. */
function ofEntries(f: Field, was: readonly Value[], is: readonly Value[]): readonly Edit[] | null {
  if (was.length !== is.length) return null;
  const all: Edit[] = [];
  for (const [i, before] of was.entries()) {
    const after = is[i];
    if (!isMapping(before) || !isMapping(after) || typeof before['id'] !== 'string' || before['id'] !== after['id']) return null;
    for (const e of edits(f.fields ?? [], before, after)) all.push({ ...e, path: `${f.path}[${before['id']}].${e.path}` });
  }
  return all;
}

/** Addresses of people are kept nowhere but in the page. */
export const kept = (f: Field): boolean => !['email', 'emails', 'sender'].includes(f.kind);
