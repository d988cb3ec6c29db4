// The messages of the page's language, which stand in the page.
const text = document.getElementById('messages')?.textContent;
const messages: Readonly<Record<string, string>> = text ? (JSON.parse(text) as Record<string, string>) : {};
export const lang = document.documentElement.lang || 'en';
const plural = new Intl.PluralRules(lang);

/** A message with its values; {count} decides between singular and plural. */
export function say(id: string, values: Readonly<Record<string, string | number>> = {}): string {
  const form = 'count' in values ? `${id}_${plural.select(Number(values.count))}` : id;
  const message = messages[form] ?? messages[`${id}_other`] ?? messages[id] ?? id;
  return message.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));
}

/** Cents as the site writes them: without cents that are none. */
export function money(cents: number): string {
  const digits = cents % 100 === 0 ? 0 : 2;
  const sum = (Math.abs(cents) / 100).toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return `${cents < 0 ? '−' : ''}$${sum}`;
}

// The platform's zone, and what it is called at each of its distances from UTC.
const zone = document.body.dataset.zone ?? 'UTC';
const zoneNames = JSON.parse(document.body.dataset.zoneNames ?? '{}') as Record<string, string>;

// Formats are made once: making one takes longer than drawing a row of a table.
const offsets = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
const platform = writer(zone);
const visitor = writer();

function writer(timeZone?: string): (when: Date) => string {
  const date = new Intl.DateTimeFormat(lang, { dateStyle: 'long', timeZone });
  const time = new Intl.DateTimeFormat(lang, { timeStyle: 'short', timeZone });
  return (when) => `${date.format(when)}, ${time.format(when)}`.replace(/\s/g, ' ');
}

/** A moment as the pages write it: date, time, and the platform's zone by its name. */
export function moment(at: string | number): string {
  const when = new Date(at);
  const offset = offsets.formatToParts(when).find((p) => p.type === 'timeZoneName')?.value ?? '';
  return `${platform(when)} ${zoneNames[offset] ?? offset}`;
}

/** A day without a time, such as 2026-01-31. */
export const day = (iso: string): string => new Intl.DateTimeFormat(lang, { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(`${iso}T12:00:00Z`));

/** What a moment is by the visitor's own clock, "" where that says the same. */
export function yours(at: string | number): string {
  const when = new Date(at);
  const own = visitor(when);
  return own === platform(when) ? '' : say('your_time', { moment: own });
}

/** A moment, with the visitor's local time beside it where that differs. */
export function when(at: string | number): string {
  const local = yours(at);
  return moment(at) + (local ? ` (${local})` : '');
}

/** The deadline of what ends at a moment: the last second before. */
export const deadline = (ends: string): string => when(Date.parse(ends) - 1000);

/** Tells everybody, also those who listen, what happened. */
export function announce(message: string): void {
  const status = document.querySelector<HTMLElement>('.said');
  if (!status) return;
  status.textContent = message;
  window.setTimeout(() => {
    if (status.textContent === message) status.textContent = '';
  }, 6000);
}
