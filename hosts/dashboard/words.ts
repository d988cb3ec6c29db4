// Localization: texts, numbers and dates. The texts of each screen are in a words.ts file next to
// it, in both languages.

import { lang, moment } from '../site/scripts/words.ts';
import { now } from './session.ts';

type Values = Readonly<Record<string, string | number>>;
type Name<K> = K extends `${infer N}_one` | `${infer N}_other` ? N : K;
/** The additional Spanish plural form for whole millions: "1,000,000 de personas". */
type Many<K> = K extends `${infer N}_other` ? `${N}_many` : never;

export { lang, moment };

const plural = new Intl.PluralRules(lang);
const locale = lang === 'es' ? 'es-US' : 'en-US';

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

const sums = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2 });
const counts = new Intl.NumberFormat(locale);

/** Formats an amount in cents, always with two decimals. */
export const money = (cents: number): string => `${cents < 0 ? '−' : ''}$${sums.format(Math.abs(cents) / 100)}`;

export const count = (n: number): string => counts.format(n);

/** Formats a share as a percentage, rounded down so that it is 100 % only if it is complete. */
export function percent(part: number, whole: number): string {
  return `${whole > 0 ? count(Math.floor((part * 100) / whole)) : '0'} %`;
}

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
