// Messages in the page's language, which the page embeds as JSON, and formats of dates and amounts.
const text = document.getElementById('messages')?.textContent;
const messages: Readonly<Record<string, string>> = text ? (JSON.parse(text) as Record<string, string>) : {};
export const lang = document.documentElement.lang || 'en';
const plural = new Intl.PluralRules(lang);

/**
 * Returns a message with its placeholders filled in. The value `count` selects the plural form.
 * Returns the ID of a message that does not exist.
 */
export function say(id: string, values: Readonly<Record<string, string | number>> = {}): string {
  const form = 'count' in values ? `${id}_${plural.select(Number(values.count))}` : id;
  const message = messages[form] ?? messages[`${id}_other`] ?? messages[id] ?? id;
  return message.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));
}

// Amounts have the same formats as in pledge/money/format.go. In Spanish, too, four-digit numbers are
// grouped.
const locale = lang === 'es' ? 'es-ES' : 'en-US';
const grouped = { useGrouping: 'always' as never };
const whole = new Intl.NumberFormat(locale, grouped);
const withCents = new Intl.NumberFormat(locale, { ...grouped, minimumFractionDigits: 2 });

/** Formats a price or goal, given in cents. The cents are shown only if they are not zero: $45. */
export const price = (cents: number): string => dollars(cents, cents % 100 === 0 ? whole : withCents);

/** Formats an amount of a bill or charge, given in cents. The cents are always shown: $45.00. */
export const money = (cents: number): string => dollars(cents, withCents);

/** Formats a total, given in cents, with the currency: USD $45.00, in Spanish 45,00 US$. */
export const total = (cents: number): string => (lang === 'es' ? '' : 'USD\u00a0') + money(cents);

function dollars(cents: number, format: Intl.NumberFormat): string {
  const sum = format.format(Math.abs(cents) / 100);
  return (cents < 0 ? '−' : '') + (lang === 'es' ? `${sum}\u00a0US$` : `$${sum}`);
}

// The platform's time zone and its names by UTC offset.
const zone = document.body.dataset.zone ?? 'UTC';
const zoneNames = JSON.parse(document.body.dataset.zoneNames ?? '{}') as Record<string, string>;

// Formatters are created once, because creating one takes longer than rendering a table row.
const offsets = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
const platform = formatter(zone);
const visitor = formatter();
const dates = new Intl.DateTimeFormat(lang, { dateStyle: 'long' });

function formatter(timeZone?: string): (when: Date) => string {
  const date = new Intl.DateTimeFormat(lang, { dateStyle: 'long', timeZone });
  const time = new Intl.DateTimeFormat(lang, { timeStyle: 'short', timeZone });
  return (when) =>
    say('day_and_time', { date: date.format(when), time: withArticle(time.format(when)) }).replace(/\s/g, ' ');
}

/** Adds "at" or the Spanish article before a time of day. The article is singular for one o'clock. */
const withArticle = (time: string): string => say(time.startsWith('1:') ? 'at_one' : 'at', { time });

/** Formats a time in the platform's time zone, with the zone's name. */
export const moment = (at: string | number): string => zoned(at);

/** Formats a time in the platform's time zone with the zone's name, followed by `local` unless it is "". */
function zoned(at: string | number, local = ''): string {
  const when = new Date(at);
  const offset = offsets.formatToParts(when).find((p) => p.type === 'timeZoneName')?.value ?? '';
  const name = zoneNames[offset] ?? offset;
  return local
    ? say('moment_both', { moment: platform(when), zone: name, local })
    : say('moment', { moment: platform(when), zone: name });
}

/** Joins names with commas and "and". */
export const list = (names: readonly string[]): string =>
  new Intl.ListFormat(lang, { type: 'conjunction' }).format(names);

/** Formats a month such as 2026-01. */
export const monthOf = (month: string): string =>
  new Intl.DateTimeFormat(lang, { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(
    new Date(`${month}-15T12:00:00Z`),
  );

/** Formats a date such as 2026-01-31. */
export const day = (iso: string): string =>
  new Intl.DateTimeFormat(lang, { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(`${iso}T12:00:00Z`));

/** Formats a time of day in the visitor's time zone, in Spanish with its article: "a las 13:00". */
export const visitorClock = (at: string | number | Date): string =>
  withArticle(new Intl.DateTimeFormat(lang, { timeStyle: 'short' }).format(new Date(at))).replace(/\s/g, ' ');

/** Returns a time in the visitor's time zone, with the weekday, and the name of the zone. */
export function visitorTime(at: string | number): { readonly moment: string; readonly zone: string } {
  const when = new Date(at);
  const weekday = new Intl.DateTimeFormat(lang, { weekday: 'long', month: 'long', day: 'numeric' }).format(when);
  const date = lang === 'es' ? weekday.replace(', ', ' ') : weekday; // "el miércoles 9 de diciembre" has no comma
  const named = new Intl.DateTimeFormat(lang, { timeZoneName: 'longGeneric' }).formatToParts(when);
  return {
    moment: say('day_and_time', { date, time: visitorClock(when) }),
    zone: named.find((p) => p.type === 'timeZoneName')?.value ?? zone,
  };
}

/** Formats a time in the visitor's time zone. */
export const visitorMoment = (at: string | number): string => visitor(new Date(at));

/** Formats a time in the visitor's time zone, or returns "" if it equals the platform's time. */
export function localTime(at: string | number): string {
  const when = new Date(at);
  const own = visitor(when);
  return own === platform(when) ? '' : say('your_time', { moment: own });
}

/** Formats a time in the platform's time zone, followed by the visitor's local time if it differs. */
export function momentWithLocal(at: string | number): string {
  return zoned(at, localTime(at));
}

/** Formats the day of a deadline in the visitor's time zone. `ends` is the first instant after it. */
export const dayOf = (ends: string): string => dates.format(new Date(Date.parse(ends) - 1000));

/** Formats a deadline: the last second before `ends`. */
export const deadline = (ends: string): string => momentWithLocal(Date.parse(ends) - 1000);

/** Shows a status message for six seconds and announces it to screen readers. */
export function announce(message: string): void {
  const status = document.querySelector<HTMLElement>('.said');
  if (!status) return;
  status.textContent = message;
  window.setTimeout(() => {
    if (status.textContent === message) status.textContent = '';
  }, 6000);
}
