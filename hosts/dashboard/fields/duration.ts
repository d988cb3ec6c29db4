// The units of numbers, and the hours of a day.
import { lang } from '../words.ts';
import type { SchemaField } from './check.ts';
import { say } from './words.ts';

const hourNames = new Intl.DateTimeFormat(lang === 'es' ? 'es-ES' : 'en-US', { timeStyle: 'short', timeZone: 'UTC' });

/** The full hours of a day, such as 7:00 AM. */
export const hours = Array.from({ length: 24 }, (_, hour) => ({
  value: String(hour),
  label: hourNames.format(Date.UTC(2000, 0, 1, hour)).replaceAll('\u202f', ' '),
}));

type Duration = Pick<SchemaField, 'unit' | 'default'>;

/**
 * Returns the unit in which a duration is edited, and how many of the file's units it contains. The
 * default must be a whole number of these units.
 */
export function durationUnit(f: Duration): readonly [size: number, name: string | undefined] {
  const seconds = f.unit === 's' && typeof f.default === 'number' ? f.default : 0;
  if (seconds >= 3_600 && seconds % 3_600 === 0) return [3_600, say('unit_hours')];
  if (seconds >= 60 && seconds % 60 === 0) return [60, say('unit_minutes')];
  return [1, unitName(f)];
}

/** Returns the name of a field's unit. */
export function unitName({ unit }: Pick<SchemaField, 'unit'>): string | undefined {
  switch (unit) {
    case 'days':
    case 's':
    case 'ms':
    case 'oz':
    case 'in':
      return say(`unit_${unit}`);
  }
  return unit;
}
