// What a screen says, in the language of the page. Each screen keeps its own texts, in
// both languages, beside it.
import { now } from './session.ts';
import { lang, moment } from '../site/scripts/words.ts';

type Values = Readonly<Record<string, string | number>>;
type Name<K> = K extends `${infer N}_one` | `${infer N}_other` ? N : K;
/** Spanish has a form of its own for whole millions, "1,000,000 de personas". */
type Many<K> = K extends `${infer N}_other` ? `${N}_many` : never;

export { lang, moment };

const plural = new Intl.PluralRules(lang);
const locale = lang === 'es' ? 'es-US' : 'en-US';

/** Makes what says a screen's texts; {count} chooses between `name_one`, `name_other` and, in Spanish, `name_many`. */
export function speaker<T extends Readonly<Record<string, string>>>(texts: { en: T; es: Readonly<Record<keyof T | Many<keyof T>, string>> }) {
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

/** Cents to the cent, as everywhere in the dashboard. */
export const money = (cents: number): string => `${cents < 0 ? '−' : ''}$${sums.format(Math.abs(cents) / 100)}`;

export const count = (n: number): string => counts.format(n);

/** A share as a percentage that doesn't claim to be whole before it is. */
export function percent(part: number, whole: number): string {
  return `${whole > 0 ? count(Math.floor((part * 100) / whole)) : '0'} %`;
}

const near = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
const steps: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [['day', 86_400], ['hour', 3_600], ['minute', 60]];

/** How far a moment is from now, by the service's clock: "3 minutes ago". */
export function ago(at: string): string {
  const seconds = Math.round((Date.parse(at) - now()) / 1000);
  const [unit, size] = steps.find(([, s]) => Math.abs(seconds) >= s) ?? ['second', 1];
  return near.format(Math.round(seconds / size), unit);
}

const days = new Intl.DateTimeFormat(locale, { month: 'short', day: 'numeric', timeZone: 'UTC' });

/** A day without its time, such as of a chart: "Nov 3". */
export const day = (iso: string): string => days.format(new Date(`${iso.slice(0, 10)}T12:00:00Z`));
