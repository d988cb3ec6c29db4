// The screens that edit a list of a file: one for each section of a campaign, and the platform's add-ons.
import type { ComponentChildren, ComponentType } from 'preact';
import { useForm } from '../editor/form.ts';
import { CampaignAddOns, PlatformAddOns } from './addons.tsx';
import { Decisions } from './decisions.tsx';
import { Diary } from './diary.tsx';
import type { ScreenProps } from './list.tsx';
import { OngoingItems, StretchGoals, SupportItems } from './simple.tsx';
import { Tiers } from './tiers.tsx';

const screens: Readonly<Record<string, ComponentType<ScreenProps>>> = {
  tiers: Tiers,
  support_items: SupportItems,
  add_ons: CampaignAddOns,
  stretch_goals: StretchGoals,
  ongoing_items: OngoingItems,
  diary: Diary,
  decisions: Decisions,
  products: PlatformAddOns,
};

interface Props {
  readonly section: string;
  readonly title: string;
  readonly crumb?: ComponentChildren;
  readonly actions: ComponentChildren;
  readonly notices: ComponentChildren;
}

/** The screen of a section of the open editor. */
export default function ItemScreen({ section, ...page }: Props) {
  const form = useForm();
  const Screen = screens[section];
  const described = form.sections.find((s) => s.key === section);
  if (!Screen || !described) return null;
  const { slug, values, published, set, errorOf } = form;
  return (
    <Screen
      {...page}
      {...{ slug, values, published, set, errorOf }}
      fields={form.of === 'addon' ? form.sections.flatMap((s) => s.fields) : described.fields}
      groups={described.groups ?? []}
    />
  );
}
