// The texts of a field's control, and the values of typed text. Values are shown as they are in the
// file: amounts in dollars, and empty if the file has no value.
import type { Field, Value } from './draft.ts';
import { say } from './words.ts';

/** Formats a field's value as it is in the file. */
export const formatValue = (v: Value): string =>
  v === undefined || v === null ? '' : typeof v === 'object' ? JSON.stringify(v) : String(v);

/** Returns the field's label, with an asterisk if the field is required. */
export const fieldLabel = (f: Field): string => (f.required ? `${f.label} *` : f.label);

/** Returns the help text: what to enter, within which bounds, and what depends on it. */
export function fieldHelp(f: Field): string {
  const { help = '', requiredWhenPublic, promise } = f;
  return [help, formatHelp(f), boundsHelp(f), requiredWhenPublic ? say('public') : '', promise ? say('promise') : '']
    .filter(Boolean)
    .join(' ');
}

function formatHelp({ kind, path, unit }: Field): string {
  if (kind === 'datetime' || kind === 'month') return say(kind);
  if (kind === 'media' && path !== 'hero_video') return say('media');
  if (kind === 'money') return say('dollars');
  return unit ? say('unit', { unit }) : '';
}

function boundsHelp({ kind, min, max }: Field): string {
  const bound = (n: number): string => formatValue(kind === 'money' ? n / 100 : n);
  if (min !== undefined && max !== undefined) return say('between', { min: bound(min), max: bound(max) });
  if (min !== undefined) return say('least', { min: bound(min) });
  return max !== undefined ? say('most', { max: bound(max) }) : '';
}

/** Returns the text of the choice that leaves the field out of the file. */
export function defaultLabel(f: Field): string {
  const chosen = f.choices?.find((o) => o.value === f.default);
  return chosen ? say('standard', { value: chosen.label }) : say('none');
}

/** Parses a number. Invalid input is returned as typed, so that the server reports the error. */
export function parseNumber(typed: string): Value {
  const plain = typed.trim().replace(/^\$/, '').replaceAll(',', '');
  if (!plain) return undefined;
  return /^-?\d+(\.\d+)?$/.test(plain) ? Number(plain) : typed;
}

/** Parses a comma-separated list. Invalid integers are kept as typed. */
export function parseList(kind: Field['kind'], typed: string): Value {
  const all = typed
    .split(',')
    .map((s) => s.trim())
    .filter(Boolean);
  if (!all.length) return undefined;
  if (kind === 'countries' && all.length === 1 && all[0] === 'everywhere') return 'everywhere';
  return kind === 'integers' ? all.map((s) => (/^\d+$/.test(s) ? Number(s) : s)) : all;
}
