// Localization: texts, numbers and dates. The texts of each screen are in a words.ts file next to
// it, in both languages.

import { deadline, lang, moment, money, price } from '../site/scripts/words.ts';
import { now } from './session.ts';

type Values = Readonly<Record<string, string | number>>;
type Name<K> = K extends `${infer N}_one` | `${infer N}_other` ? N : K;
/** The additional Spanish plural form for whole millions: "1,000,000 de personas". */
type Many<K> = K extends `${infer N}_other` ? `${N}_many` : never;

export { deadline, lang, moment, money, price };

const plural = new Intl.PluralRules(lang);
const locale = lang === 'es' ? 'es-ES' : 'en-US';

/** Returns a lookup function for a screen's texts. {count} selects `name_one`, `name_other` or, in Spanish, `name_many`. */
export function speaker<T extends Readonly<Record<string, string>>>(texts: {
  en: T;
  es: Readonly<Record<keyof T | Many<keyof T>, string>>;
}) {
  const own: Readonly<Record<string, string>> = lang === 'es' ? texts.es : texts.en;
  return (name: Name<keyof T & string>, values: Values = {}): string => {
    const form = 'count' in values ? `${name}_${plural.select(Number(values.count))}` : name;
    const text = own[form] ?? own[`${name}_other`] ?? own[name] ?? name;
    return text.replace(/\{(\w+)\}/g, (_, value: string) => written(values[value]));
  };
}

function written(value: string | number | undefined): string {
  return typeof value === 'number' ? count(value) : (value ?? '');
}

const counts = new Intl.NumberFormat(locale, { useGrouping: 'always' as never });

const compact = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 });

/** Formats an amount in cents for the axis of a chart, such as $15k. */
export function compactPrice(cents: number): string {
  const sum = compact.format(cents / 100).replace('K', 'k');
  return lang === 'es' ? `${sum}\u00a0US$` : `$${sum}`;
}

export const count = (n: number): string => counts.format(n);

/** Formats a share as a percentage, rounded down so that it is 100% only if it is complete. */
export function percent(part: number, whole: number): string {
  const share = whole > 0 ? count(Math.floor((part * 100) / whole)) : '0';
  return lang === 'es' ? `${share}\u00a0%` : `${share}%`;
}

/** Formats a change in percent with its sign: +18%. */
export const signedPercent = (change: number): string =>
  `${change < 0 ? '−' : '+'}${count(Math.abs(change))}${lang === 'es' ? '\u00a0%' : '%'}`;

const near = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
const steps: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** Formats a time relative to now, by the server's clock: "3 minutes ago". */
export function ago(at: string): string {
  const seconds = Math.round((Date.parse(at) - now()) / 1000);
  const [unit, size] = steps.find(([, s]) => Math.abs(seconds) >= s) ?? ['second', 1];
  return near.format(Math.round(seconds / size), unit);
}

const days = new Intl.DateTimeFormat(locale, { month: 'short', day: 'numeric', timeZone: 'UTC' });

/** Formats a date without its year, as in charts: "Nov 3". */
export const day = (iso: string): string => days.format(new Date(`${iso.slice(0, 10)}T12:00:00Z`));

const months = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** Formats a month such as 2027-05: "May 2027". */
export const monthOf = (month: string): string => months.format(new Date(`${month}-15T12:00:00Z`));

const dayNames = new Intl.DateTimeFormat(locale, { weekday: 'short', month: 'short', day: 'numeric', timeZone: 'UTC' });

/** Formats a date with its weekday: "Tue, Nov 3". */
export const weekdayOf = (iso: string): string => dayNames.format(new Date(`${iso.slice(0, 10)}T12:00:00Z`));

const lists = new Intl.ListFormat(lang, { type: 'conjunction' });

/** Joins names as in a sentence: "Night Ferry, Tidepool Traders, and Slow Weather". */
export const list = (names: readonly string[]): string => lists.format(names);

const countries = new Intl.DisplayNames(lang, { type: 'region' });

/** Returns the name of a country by its two-letter code. */
export const countryName = (code: string): string => (/^[A-Z]{2}$/.test(code) ? (countries.of(code) ?? code) : code);

const zone = document.body.dataset.zone ?? 'UTC';
const isoDays = new Intl.DateTimeFormat('en-CA', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' });
const weekdays = new Intl.DateTimeFormat(locale, { timeZone: zone, weekday: 'short', month: 'short', day: 'numeric' });
const longDays = new Intl.DateTimeFormat(locale, { timeZone: zone, weekday: 'long', month: 'long', day: 'numeric' });
const times = new Intl.DateTimeFormat(locale, { timeZone: zone, timeStyle: 'short' });

/** Returns the date of a time in the platform's time zone, such as 2026-11-03. */
export const dateOf = (at: string | number): string => isoDays.format(new Date(at));

/** Formats the date of a time with its weekday: "Tue, Dec 8". */
export const weekday = (at: string | number): string => weekdays.format(new Date(at));

const weekdayNames = new Intl.DateTimeFormat(locale, { timeZone: zone, weekday: 'long' });

/** Returns the name of a time's day of the week: "Tuesday". */
export const dayOfWeek = (at: string | number): string => weekdayNames.format(new Date(at));

/** Formats how many days away the date of a time is, by the calendar: "today", "tomorrow", "in 9 days". */
export const daysAway = (at: string | number): string =>
  near.format(Math.round((Date.parse(dateOf(at)) - Date.parse(dateOf(now()))) / 86_400_000), 'day');

/** Formats the date of a time in full, without its year: "Tuesday, December 8". */
export const longDay = (at: string | number): string => longDays.format(new Date(at));

/** Formats a time of day in the platform's time zone: "2:14 PM". */
export const timeOfDay = (at: string | number): string => times.format(new Date(at)).replace(/\s/g, ' ');
