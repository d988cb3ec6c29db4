/** The sections that are edited as a list with a side panel. */
export const listSections: ReadonlySet<string> = new Set([
  'tiers',
  'support_items',
  'add_ons',
  'stretch_goals',
  'ongoing_items',
  'diary',
  'decisions',
  'products',
]);
