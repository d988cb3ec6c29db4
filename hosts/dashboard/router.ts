// The dashboard's hash routes. The fragment is never sent to a server or in a Referer header.
// It contains campaigns, screens and filters, but no personal data.
import { computed, signal } from '@preact/signals';

export interface Route {
  /** Such as ["campaigns", "night-ferry", "tiers"]. */
  readonly parts: readonly string[];
  readonly filters: Readonly<Record<string, string>>;
}

function parse(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
  try {
    return {
      parts: path.split('/').filter(Boolean).map(decodeURIComponent),
      filters: Object.fromEntries(new URLSearchParams(query)),
    };
  } catch {
    return { parts: [], filters: {} }; // malformed percent-encoding
  }
}

export const route = signal<Route>(parse(location.hash));
export const tab = computed(() => route.value.parts[0] ?? 'home');

window.addEventListener('hashchange', () => {
  route.value = parse(location.hash);
});

/** Returns the link to a route. Empty filters are left out. */
export function hrefTo(parts: readonly string[], filters: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams(Object.entries(filters).filter(([, v]) => v !== ''));
  return `#/${parts.map(encodeURIComponent).join('/')}${query.size ? `?${query.toString()}` : ''}`;
}

export function navigate(parts: readonly string[], filters: Readonly<Record<string, string>> = {}): void {
  location.hash = hrefTo(parts, filters);
}

/** Navigates and replaces the current history entry. */
export function replaceRoute(parts: readonly string[], filters: Readonly<Record<string, string>> = {}): void {
  history.replaceState(null, '', hrefTo(parts, filters));
  route.value = parse(location.hash);
}

/** Changes filters of the current route and replaces the current history entry. */
export function setFilters(changed: Readonly<Record<string, string>>): void {
  const { parts, filters } = route.value;
  replaceRoute(parts, { ...filters, ...changed });
}
