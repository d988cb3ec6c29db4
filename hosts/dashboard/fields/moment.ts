// Dates and times in the format of campaign files: "2026-12-08", which is the whole day, or
// "2026-12-08 18:00", in the platform's time zone.

/** A wall clock's date and time. */
export interface Wall {
  readonly year: number;
  readonly month: number; // 1 to 12
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
}

/** Which end of a whole day a date refers to: 12:00 AM for a start, 11:59 PM for a deadline. */
export type Edge = 'starts' | 'ends';

const two = (n: number): string => String(n).padStart(2, '0');

export const dateOf = (w: Wall): string => `${String(w.year).padStart(4, '0')}-${two(w.month)}-${two(w.day)}`;
export const timeOf = (w: Wall): string => `${two(w.hour)}:${two(w.minute)}`;

const wholeDay = { starts: '00:00', ends: '23:59' } as const;

/** Formats a time for a file. The edge of a day is written as a date only. */
export const fileMoment = (w: Wall, edge: Edge): string =>
  timeOf(w) === wholeDay[edge] ? dateOf(w) : `${dateOf(w)} ${timeOf(w)}`;

const fileForm = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::\d\d)?\s*(Z|[+-]\d\d:?\d\d)?)?$/;

/** Parses a time in a file. Times with a zone are converted to the platform's zone. */
export function wallOf(value: string, edge: Edge, zone: string): Wall | undefined {
  const m = fileForm.exec(value.trim());
  if (!m) return undefined;
  const [, year, month, day, hour = wholeDay[edge].slice(0, 2), minute = wholeDay[edge].slice(3), offset] = m;
  if (offset) {
    const at = Date.parse(value.trim().replace(' ', 'T').replace(/\s+/g, ''));
    return Number.isNaN(at) ? undefined : wallAt(at, zone);
  }
  return valid({
    year: Number(year),
    month: Number(month),
    day: Number(day),
    hour: Number(hour),
    minute: Number(minute),
  });
}

/** Returns the time on a zone's wall clock at an instant. */
export function wallAt(at: number, zone: string): Wall {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  }).formatToParts(new Date(at));
  const of = (type: string): number => Number(parts.find((p) => p.type === type)?.value);
  return { year: of('year'), month: of('month'), day: of('day'), hour: of('hour'), minute: of('minute') };
}

/** Returns the instant at which a zone's wall clock shows a time. */
export function instantOf(w: Wall, zone: string): number {
  const utc = (v: Wall): number => Date.UTC(v.year, v.month - 1, v.day, v.hour, v.minute);
  let at = utc(w);
  for (let i = 0; i < 2; i++) at += utc(w) - utc(wallAt(at, zone)); // twice for times near a clock change
  return at;
}

/** Returns the days from one date to another, at least 1: a campaign of one day lasts 1 day. */
export const daysBetween = (from: Wall, to: Wall): number =>
  Math.max(
    1,
    Math.round(
      (Date.UTC(to.year, to.month - 1, to.day, to.hour, to.minute) -
        Date.UTC(from.year, from.month - 1, from.day, from.hour, from.minute)) /
        86_400_000,
    ),
  );

function valid(w: Wall): Wall | undefined {
  const d = new Date(Date.UTC(w.year, w.month - 1, w.day));
  const exists = d.getUTCMonth() === w.month - 1 && d.getUTCDate() === w.day && w.year >= 1970;
  return exists && w.hour < 24 && w.minute < 60 ? w : undefined;
}

const months = new Map<string, number>();
for (const locale of ['en-US', 'es-ES'])
  for (let m = 0; m < 12; m++)
    for (const month of ['short', 'long'] as const)
      months.set(
        new Intl.DateTimeFormat(locale, { month, timeZone: 'UTC' })
          .format(Date.UTC(2026, m, 15))
          .toLowerCase()
          .replace('.', ''),
        m + 1,
      );

/** Parses a typed time such as 11:59 PM, 11:59pm, 9 a. m. or 23:59. */
export function parseTime(typed: string): { readonly hour: number; readonly minute: number } | undefined {
  const m = /^(\d{1,2})(?::(\d\d))?\s*([ap])?\.?\s*(?:m\.?)?$/i.exec(typed.trim());
  if (!m || (!m[2] && !m[3])) return undefined;
  const half = m[3]?.toLowerCase();
  const typedHour = Number(m[1]);
  if (half && (typedHour < 1 || typedHour > 12)) return undefined;
  const hour = half ? (typedHour % 12) + (half === 'p' ? 12 : 0) : typedHour;
  const minute = Number(m[2] ?? 0);
  return hour < 24 && minute < 60 ? { hour, minute } : undefined;
}

/**
 * Parses a typed date with an optional time: "Dec 8 11:59pm", "8 dic 2026", "12/8/2026",
 * "2026-12-08 23:59". Without a year it is the next such date from today on.
 */
export function parseMoment(typed: string, edge: Edge, today: Wall, dayFirst: boolean): Wall | undefined {
  const text = typed.trim().replaceAll(/[\u202f\u00a0]/g, ' ');
  const time = /(?:^|[\s,T])(\d{1,2}:\d\d(?::\d\d)?\s*(?:[ap]\.?\s*m\.?)?|\d{1,2}\s*[ap]\.?\s*m\.?)$/i.exec(text);
  const clock = time ? parseTime((time[1] ?? '').replace(/^(\d+:\d\d):\d\d/, '$1')) : parseTime(wholeDay[edge]);
  if (!clock) return undefined;
  const date = parseDate((time ? text.slice(0, time.index) : text).replace(/[\s,]+$/, ''), today, dayFirst);
  return date && valid({ ...date, ...clock });
}

function parseDate(text: string, today: Wall, dayFirst: boolean): Omit<Wall, 'hour' | 'minute'> | undefined {
  const iso = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(text);
  if (iso) return { year: Number(iso[1]), month: Number(iso[2]), day: Number(iso[3]) };
  const numbers = /^(\d{1,2})[/.-](\d{1,2})(?:[/.-](\d{4}|\d{2}))?$/.exec(text);
  if (numbers) {
    const [first, second] = [Number(numbers[1]), Number(numbers[2])];
    return withYear(dayFirst ? second : first, dayFirst ? first : second, numbers[3], today);
  }
  const words = text
    .toLowerCase()
    .replaceAll(/[.,]/g, ' ')
    .split(/\s+/)
    .filter((w) => w && w !== 'de' && w !== 'del');
  const month = words.map((w) => months.get(w) ?? months.get(w.slice(0, 3))).find((m) => m !== undefined);
  const year = words.find((w) => /^\d{4}$/.test(w));
  const day = words.map((w) => /^(\d{1,2})(?:st|nd|rd|th)?$/.exec(w)?.[1]).find((d) => d !== undefined);
  return month && day ? withYear(month, Number(day), year, today) : undefined;
}

/** Adds the year: the typed one, or the one that makes the date today or later. */
function withYear(month: number, day: number, typed: string | undefined, today: Wall): Omit<Wall, 'hour' | 'minute'> {
  if (typed) return { year: Number(typed.length === 2 ? `20${typed}` : typed), month, day };
  const past = month < today.month || (month === today.month && day < today.day);
  return { year: past ? today.year + 1 : today.year, month, day };
}
