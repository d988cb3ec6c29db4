// The icons of the tabs.
import {
  ChartColumn,
  FileText,
  Flag,
  House,
  type LucideIcon,
  Megaphone,
  Puzzle,
  SlidersHorizontal,
  Users,
} from 'lucide-preact';
import type { TabName } from '../tabs.ts';

export const icons: Readonly<Record<Exclude<TabName, 'account'>, LucideIcon>> = {
  home: House,
  settings: SlidersHorizontal,
  'add-ons': Puzzle,
  campaigns: Flag,
  analytics: ChartColumn,
  reports: FileText,
  supporters: Users,
  marketing: Megaphone,
};
