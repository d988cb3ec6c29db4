// The platform's time zone and its names.
import { now } from '../session.ts';
import { lang } from '../words.ts';
import { instantOf, type Wall, wallAt } from './moment.ts';

/** The IANA name of the platform's time zone. */
export const platformZone = document.body.dataset.zone ?? 'UTC';

const names = JSON.parse(document.body.dataset.zoneNames ?? '{}') as Readonly<Record<string, string>>;

/** Returns the zone's name at a time, such as MST. */
export function zoneName(w: Wall): string {
  const offset = offsetAt(instantOf(w, platformZone), platformZone, 'longOffset');
  return names[offset] ?? offset;
}

/** Returns a zone's offset at an instant, such as GMT-7. */
export const offsetAt = (at: number, zone: string, form: 'shortOffset' | 'longOffset' = 'shortOffset'): string =>
  new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: form })
    .formatToParts(new Date(at))
    .find((p) => p.type === 'timeZoneName')?.value ?? '';

/** Returns the current time on the platform's wall clock, by the server's clock. */
export const today = (): Wall => wallAt(now(), platformZone);

const locale = lang === 'es' ? 'es-ES' : 'en-US';
const withoutYear = new Intl.DateTimeFormat(locale, {
  timeZone: 'UTC',
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
});
const shown = new Intl.DateTimeFormat(locale, {
  timeZone: 'UTC',
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
});

/** Formats a wall clock without its year: Dec 8, 11:59 PM. */
export const shortWall = (w: Wall): string =>
  withoutYear.format(Date.UTC(w.year, w.month - 1, w.day, w.hour, w.minute)).replaceAll('\u202f', ' ');

/** Formats a wall clock: Dec 8, 2026, 11:59 PM. */
export const formatWall = (w: Wall): string =>
  shown.format(Date.UTC(w.year, w.month - 1, w.day, w.hour, w.minute)).replaceAll('\u202f', ' ');
