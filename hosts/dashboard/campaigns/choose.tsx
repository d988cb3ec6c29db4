// The campaign that a screen is about; the address keeps it.
import type { ComponentChildren } from 'preact';
import { filter, place } from '../place.ts';
import { Choice } from '../ui/form.tsx';
import { Note, Shown } from '../ui/notice.tsx';
import { useSummaries, type Summary } from './summary.ts';
import { say } from './words.ts';

export function OfCampaign({ children }: { children: (of: Summary) => ComponentChildren }) {
  return (
    <Shown reading={useSummaries()}>
      {({ campaigns }) => {
        const of = campaigns.find((c) => c.campaignSlug === place.value.filters['campaign']) ?? campaigns[0];
        if (!of) return <Note>{say('none')}</Note>;
        return (
          <>
            <Choice label={say('name')} value={of.campaignSlug} set={(campaign) => filter({ campaign })} choices={campaigns.map((c) => [c.campaignSlug, c.campaignTitle])} />
            {children(of)}
          </>
        );
      }}
    </Shown>
  );
}
