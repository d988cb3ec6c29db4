// The filters of lists of pledges and parcels, which are kept in the URL.
import { useMemo } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { countryItems } from '../fields/items.ts';
import { useResource } from '../resources.ts';
import { Choice } from '../ui/choice.tsx';
import { say } from './words.ts';

interface FilterProps {
  readonly value: string;
  readonly set: (value: string) => void;
}

/** The filter by tier, for campaigns with several. */
export function TierChoice({ slug, value, set }: FilterProps & { readonly slug: string }) {
  const tiers = useResource<Schema['Claims']>(`/admin/campaigns/claims/${slug}`).value?.tiers ?? [];
  if (tiers.length < 2) return null;
  return (
    <Choice
      name={say('tier')}
      value={value}
      set={set}
      choices={[['', say('all_tiers')], ...tiers.map((t) => [t.id, t.name || t.id] as const)]}
    />
  );
}

export function CountryChoice({ value, set }: FilterProps) {
  const countries = useMemo(() => countryItems().map((c) => [c.value, c.label] as const), []);
  return <Choice name={say('country')} value={value} set={set} choices={[['', say('all_countries')], ...countries]} />;
}
