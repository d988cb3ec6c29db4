// The sections of a campaign in the order in which they are shown, and the permissions that they
// require.
import { hasPermission, isSuperAdmin } from '../session.ts';
import type { Summary } from './summary.ts';
import { say } from './words.ts';

/** The sections that edit parts of the campaign's file. */
const editorSections = [
  'settings',
  'content',
  'tiers',
  'support_items',
  'add_ons',
  'stretch_goals',
  'ongoing_items',
  'diary',
  'decisions',
] as const;

type EditorSection = (typeof editorSections)[number];
export type Section = 'overview' | EditorSection | 'blast' | 'settlement';

/** Returns the sections of a campaign that the operator may open. */
export const campaignSections = (campaign: Summary): readonly Section[] => [
  'overview',
  ...(hasPermission('content') && !campaign.archived ? editorSections : []),
  ...(hasPermission('mails') ? (['blast'] as const) : []),
  ...(isSuperAdmin() ? (['settlement'] as const) : []),
];

const lists: Readonly<Partial<Record<Section, string>>> = {
  tiers: 'tiers',
  support_items: 'support_items',
  add_ons: 'campaign_add_ons',
  stretch_goals: 'stretch_goals',
  ongoing_items: 'ongoing_items',
  diary: 'diary',
  decisions: 'decisions',
};

/**
 * Returns the number of entries of a section's list in the campaign's file; 0 for other sections.
 */
export function countOf(fields: Readonly<Record<string, unknown>>, section: Section): number {
  const list = lists[section] && fields[lists[section]];
  return Array.isArray(list) ? list.length : 0;
}

export const sectionName = (section: Section): string => say(`tab_${section}`);
