// Links to a field in an editor, as used by the review and the launch checklist. The field is in
// the address's filters until the screen has shown it.
import { computed } from '@preact/signals';
import type { Schema } from '../../site/scripts/api.ts';
import { navigate, route, setFilters } from '../router.ts';

/** The location of a field in the dashboard. */
export type Target = NonNullable<Schema['ContentReview']['problems']>[number]['place'];

const keys = ['list', 'item', 'part', 'field'] as const;

/** The field that the address requests, or null. The screen that shows it calls clearWanted. */
export const wanted = computed<Omit<Target, 'tab'> | null>(() => {
  const { filters } = route.value;
  return keys.some((k) => filters[k]) ? Object.fromEntries(keys.map((k) => [k, filters[k] || undefined])) : null;
});

export const clearWanted = (): void => setFilters(Object.fromEntries(keys.map((k) => [k, ''])));

const routeOf = (target: Target, slug: string | undefined, of: string): readonly string[] =>
  slug ? ['campaigns', slug, target.tab] : of === 'addon' ? ['add-ons'] : ['settings', target.tab];

/** Opens a target's screen, and focuses its field there. */
export const goTo = (target: Target, slug: string | undefined, of: string): void =>
  navigate(routeOf(target, slug, of), Object.fromEntries(keys.map((k) => [k, target[k] ?? ''])));
