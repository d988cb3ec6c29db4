// Messages in the page's language, embedded in the page as JSON, and date and money formats.
const text = document.getElementById('messages')?.textContent;
const messages: Readonly<Record<string, string>> = text ? (JSON.parse(text) as Record<string, string>) : {};
export const lang = document.documentElement.lang || 'en';
const plural = new Intl.PluralRules(lang);

/** Returns a message with its placeholders filled in. {count} selects the plural form. */
export function say(id: string, values: Readonly<Record<string, string | number>> = {}): string {
  const form = 'count' in values ? `${id}_${plural.select(Number(values.count))}` : id;
  const message = messages[form] ?? messages[`${id}_other`] ?? messages[id] ?? id;
  return message.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));
}

/** Formats an amount in cents. Whole dollars have no decimals. */
export function money(cents: number): string {
  const digits = cents % 100 === 0 ? 0 : 2;
  const sum = (Math.abs(cents) / 100).toLocaleString('en-US', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  return `${cents < 0 ? '−' : ''}$${sum}`;
}

// The platform's time zone and its names by UTC offset.
const zone = document.body.dataset.zone ?? 'UTC';
const zoneNames = JSON.parse(document.body.dataset.zoneNames ?? '{}') as Record<string, string>;

// Formatters are created once: creating one takes longer than rendering a table row.
const offsets = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
const platform = formatter(zone);
const visitor = formatter();

function formatter(timeZone?: string): (when: Date) => string {
  const date = new Intl.DateTimeFormat(lang, { dateStyle: 'long', timeZone });
  const time = new Intl.DateTimeFormat(lang, { timeStyle: 'short', timeZone });
  return (when) => `${date.format(when)}, ${time.format(when)}`.replace(/\s/g, ' ');
}

/** Formats a time in the platform's time zone, with the zone's name. */
export function moment(at: string | number): string {
  const when = new Date(at);
  const offset = offsets.formatToParts(when).find((p) => p.type === 'timeZoneName')?.value ?? '';
  return `${platform(when)} ${zoneNames[offset] ?? offset}`;
}

/** Formats a date such as 2026-01-31. */
export const day = (iso: string): string =>
  new Intl.DateTimeFormat(lang, { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(`${iso}T12:00:00Z`));

/** Formats a time in the visitor's time zone, or returns "" if that is the same. */
export function localTime(at: string | number): string {
  const when = new Date(at);
  const own = visitor(when);
  return own === platform(when) ? '' : say('your_time', { moment: own });
}

/** Formats a time in the platform's time zone, followed by the visitor's local time if it differs. */
export function momentWithLocal(at: string | number): string {
  const local = localTime(at);
  return moment(at) + (local ? ` (${local})` : '');
}

/** Formats a deadline: the last second before the given end. */
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
