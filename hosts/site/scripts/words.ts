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

/** A moment in the visitor's language, in the visitor's own zone. */
export function moment(at: string): string {
  return new Intl.DateTimeFormat(lang, { dateStyle: 'long', timeStyle: 'short' }).format(new Date(at));
}

/** The last moment before something ends, in the platform's zone, by its name. */
export function deadline(ends: string, zone: string): string {
  const style: Intl.DateTimeFormatOptions = { year: 'numeric', month: 'long', day: 'numeric', hour: 'numeric', minute: '2-digit', timeZoneName: 'short', timeZone: zone };
  return new Intl.DateTimeFormat(lang, style).format(new Date(Date.parse(ends) - 1000));
}

/** Tells everybody, also those who listen, what happened. */
export function announce(message: string): void {
  const status = document.querySelector<HTMLElement>('.said');
  if (!status) return;
  status.textContent = message;
  window.setTimeout(() => {
    if (status.textContent === message) status.textContent = '';
  }, 6000);
}
