// The problem with a value in words, or "". Fields show it when they lose the focus, and the save
// bar counts it for changed fields that are not on the page.
import type { Schema } from '../../site/scripts/api.ts';
import { count, price } from '../words.ts';
import { wallOf } from './moment.ts';
import { centsOfDollars, formatNumber, percentOfFraction } from './parse.ts';
import { say } from './words.ts';

export type SchemaField = Schema['ContentField'];

/** The bounds of a number. */
export interface Bounds {
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  readonly whole?: boolean | undefined;
}

export function textProblem(value: string | undefined, max?: number, required?: boolean): string {
  if (!value?.trim()) return required ? say('required') : '';
  const length = [...value].length;
  return max && length > max ? say('too_long', { max: count(max), length: count(length) }) : '';
}

export function amountProblem(cents: number | string, bounds: Bounds): string {
  if (typeof cents === 'string') return say('not_amount');
  if (bounds.whole && cents % 100) return say('whole_dollars');
  return outOfRange(cents, bounds, price);
}

export function numberProblem(n: number | string, bounds: Bounds): string {
  if (typeof n === 'string') return say('not_number');
  if (bounds.whole && !Number.isInteger(n)) return say('whole_number');
  return outOfRange(n, bounds, formatNumber);
}

function outOfRange(n: number, { min, max }: Bounds, format: (n: number) => string): string {
  if (min !== undefined && max !== undefined && (n < min || n > max))
    return n < min && min >= 0
      ? say('at_least', { min: format(min) })
      : say('between', { min: format(min), max: format(max) });
  if (min !== undefined && n < min) return say('at_least', { min: format(min) });
  return max !== undefined && n > max ? say('at_most', { max: format(max) }) : '';
}

const emailAddress = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
const hexColor = /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i;

export const isEmail = (text: string): boolean => emailAddress.test(text);
export const isColor = (text: string): boolean => hexColor.test(text);

/**
 * Returns the problem with a field's value in the format of the file, as far as the browser can
 * tell.
 */
export function fieldProblem(f: SchemaField, value: unknown): string {
  if (value === undefined || value === null || value === '') return f.required ? say('required') : '';
  switch (f.kind) {
    case 'money':
      return amountProblem(centsOfDollars(value) ?? '', { min: f.min, max: f.max, whole: f.step === 100 });
    case 'rate':
      return numberProblem(percentOfFraction(value) ?? '', percentBounds(f));
    case 'percent':
    case 'integer':
      return numberProblem(value as number | string, { min: f.min, max: f.max, whole: true });
    case 'decimal':
      return numberProblem(value as number | string, f);
    case 'datetime':
      return wallOf(String(value), 'starts', 'UTC') ? '' : say('not_date');
    case 'color':
      return isColor(String(value)) ? '' : say('not_color');
    case 'email':
      return isEmail(String(value)) ? '' : say('not_email');
    case 'url':
      return /^https?:\/\/[^\s/]+/.test(String(value)) ? textProblem(String(value), f.maxLength) : say('not_link');
    case 'emails':
      return (value as readonly string[]).every(isEmail) ? tooMany(f, value) : say('not_emails');
    case 'texts': {
      const lines = value as readonly string[];
      return lines.map((line) => textProblem(line, f.max)).find(Boolean) ?? tooMany(f, value);
    }
    case 'integers':
      return (value as readonly unknown[]).every((v) => isDay(f, v))
        ? tooMany(f, value)
        : say('not_days', { min: f.min ?? 1, max: f.max ?? 0 });
    case 'text':
    case 'markdown':
    case 'sender':
      return textProblem(String(value), f.maxLength, f.required) || patternProblem(f, String(value));
  }
  return '';
}

/** Returns the bounds of a fraction in percent. */
export const percentBounds = (f: SchemaField): Bounds => ({
  min: f.min === undefined ? undefined : f.min * 100,
  max: f.max === undefined ? undefined : f.max * 100,
});

const isDay = (f: SchemaField, v: unknown): boolean =>
  typeof v === 'number' && Number.isInteger(v) && v >= (f.min ?? 0) && v <= (f.max ?? Number.POSITIVE_INFINITY);

const tooMany = (f: SchemaField, value: unknown): string =>
  f.maxLength && (value as readonly unknown[]).length > f.maxLength ? say('too_many', { max: f.maxLength }) : '';

function patternProblem(f: SchemaField, text: string): string {
  if (!f.pattern || new RegExp(f.pattern, 'u').test(text)) return '';
  if (f.control === 'slug') return say('not_slug');
  if (f.control === 'length') return say('not_length');
  return f.control === 'month' ? say('not_month') : say('not_allowed');
}
