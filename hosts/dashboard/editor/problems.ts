// The problems that the browser finds in a form: in individual fields, and between fields of a
// campaign.

import { fieldProblem } from '../fields/check.ts';
import { applies } from '../fields/field.tsx';
import { instantOf, wallOf } from '../fields/moment.ts';
import { centsOfDollars } from '../fields/parse.ts';
import { platformZone } from '../fields/zone.ts';
import { now } from '../session.ts';
import { price } from '../words.ts';
import { equal, type Field, type Values, valueAt } from './draft.ts';
import { say } from './words.ts';

export interface Problem {
  /** The field's path, with the entry's ID or index for a field of a list entry. */
  readonly path: string;
  readonly words: string;
  readonly section: string;
}

/**
 * Returns the problem with a field, including its relation to others. Only campaigns have rules
 * between fields.
 */
export const problemAt = (f: Field, values: Values, fields: readonly Field[]): string =>
  fieldProblem(f, valueAt(values, f.path)) ||
  betweenFields[f.path]?.(values, (path) => valueAt(values, path) ?? fields.find((g) => g.path === path)?.default) ||
  '';

/** Returns the problems of the changed fields of a section. */
export function changedProblems(
  section: string,
  fields: readonly Field[],
  was: Values,
  is: Values,
): readonly Problem[] {
  const at = (path: string): unknown => valueAt(is, path);
  return fields
    .filter((f) => f.write.length > 0 && applies(f, at))
    .flatMap((f): readonly Problem[] => {
      const related = (relations[f.path] ?? []).some((p) => !equal(valueAt(was, p), at(p)));
      if (!related && equal(valueAt(was, f.path), at(f.path))) return [];
      if (f.fields?.length) return entryProblems(section, f, f.path, valueAt(was, f.path), at(f.path));
      const words = problemAt(f, is, fields);
      return words ? [{ path: f.path, words, section }] : [];
    });
}

/** Returns the problems of a list's new and changed entries. */
function entryProblems(section: string, list: Field, path: string, was: unknown, is: unknown): readonly Problem[] {
  if (!Array.isArray(is)) return [];
  const before: readonly unknown[] = Array.isArray(was) ? was : [];
  return is.flatMap((entry: Values, i): readonly Problem[] => {
    if (before.some((b) => equal(b, entry))) return [];
    const id = String(entry['#'] ?? entry.id ?? i);
    return (list.fields ?? [])
      .filter((f) => applies(f, (p) => valueAt(entry, p), String(entry.type ?? '')))
      .flatMap((f): readonly Problem[] => {
        const at = `${path}[${id}].${f.path}`;
        if (f.fields?.length) return entryProblems(section, f, at, undefined, valueAt(entry, f.path));
        const words = fieldProblem(f, valueAt(entry, f.path));
        return words ? [{ path: at, words, section }] : [];
      });
  });
}

/** The other fields that a field's rule depends on. */
const relations: Readonly<Record<string, readonly string[]>> = {
  goal_deadline: ['start_date'],
  'custom_amount.max': ['custom_amount.min'],
  'recovery.retry_days': ['recovery.grace_days'],
  'pricing.default_tip_percent': ['pricing.max_tip_percent'],
};

/** The rules between fields. `inForce` returns a field's value, or the default if it has none. */
const betweenFields: Readonly<Record<string, (values: Values, inForce: (path: string) => unknown) => string>> = {
  goal_amount: (v) => (isPublic(v) && centsOfDollars(v.goal_amount) === 0 ? say('goal_zero') : ''),
  goal_deadline: (v) => {
    const end = momentAt(v.goal_deadline, 'ends');
    const start = momentAt(v.start_date, 'starts');
    if (end !== undefined && start !== undefined && end <= start) return say('ends_before_start');
    return end !== undefined && end < now() ? say('ends_in_past') : '';
  },
  'custom_amount.max': (v) => {
    const [min, max] = ['min', 'max'].map((k) => centsOfDollars(valueAt(v, `custom_amount.${k}`)));
    return typeof min === 'number' && typeof max === 'number' && max < min
      ? say('below_smallest', { min: price(min) })
      : '';
  },
  'recovery.retry_days': (v, inForce) => {
    const grace = inForce('recovery.grace_days');
    const days = valueAt(v, 'recovery.retry_days');
    return typeof grace === 'number' && Array.isArray(days) && days.some((d) => Number(d) >= grace)
      ? say('retry_after_grace', { days: grace })
      : '';
  },
  'pricing.default_tip_percent': (_, inForce) => {
    const tip = inForce('pricing.default_tip_percent');
    const max = inForce('pricing.max_tip_percent');
    return typeof tip === 'number' && typeof max === 'number' && tip > max ? say('tip_above_max', { max }) : '';
  },
};

/** Reports whether a campaign is public according to its values. */
export const isPublic = (v: Values): boolean =>
  v.published !== false && v.preview_only !== true && (v.visibility === undefined || v.visibility === 'public');

function momentAt(value: unknown, edge: 'starts' | 'ends'): number | undefined {
  const wall = typeof value === 'string' ? wallOf(value, edge, platformZone) : undefined;
  return wall && instantOf(wall, platformZone);
}
