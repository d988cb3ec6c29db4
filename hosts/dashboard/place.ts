// Where somebody is in the dashboard. The place stands behind the # of the address, which
// no server and no other page is told; it names campaigns, screens and filters, never
// people.
import { computed, signal } from '@preact/signals';

export interface Place {
  /** Such as ["campaigns", "night-ferry", "tiers"]. */
  readonly parts: readonly string[];
  readonly filters: Readonly<Record<string, string>>;
}

function parse(hash: string): Place {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
  try {
    return { parts: path.split('/').filter(Boolean).map(decodeURIComponent), filters: Object.fromEntries(new URLSearchParams(query)) };
  } catch {
    return { parts: [], filters: {} }; // nobody's address
  }
}

export const place = signal<Place>(parse(location.hash));
export const tab = computed(() => place.value.parts[0] ?? 'home');

window.addEventListener('hashchange', () => {
  place.value = parse(location.hash);
});

/** The address of a place. */
export function to(parts: readonly string[], filters: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams(Object.entries(filters).filter(([, v]) => v !== ''));
  return `#/${parts.map(encodeURIComponent).join('/')}${query.size ? `?${query.toString()}` : ''}`;
}

export function go(parts: readonly string[], filters: Readonly<Record<string, string>> = {}): void {
  location.hash = to(parts, filters);
}

/** Goes somewhere without a step in the browser's history: back leads past it. */
export function lead(parts: readonly string[], filters: Readonly<Record<string, string>> = {}): void {
  history.replaceState(null, '', to(parts, filters));
  place.value = parse(location.hash);
}

/** Changes filters where one is, without a step in the browser's history. */
export function filter(changed: Readonly<Record<string, string>>): void {
  const { parts, filters } = place.value;
  lead(parts, { ...filters, ...changed });
}
