// The campaign selector of a screen. The selection is kept in the URL.
import type { ComponentChildren } from 'preact';
import { route, setFilters } from '../router.ts';
import { Select } from '../ui/form.tsx';
import { Notice, ResourceView } from '../ui/notice.tsx';
import { type Summary, useSummaries } from './summary.ts';
import { say } from './words.ts';

export function CampaignSelector({ children }: { children: (of: Summary) => ComponentChildren }) {
  return (
    <ResourceView resource={useSummaries()}>
      {({ campaigns }) => {
        const campaign = campaigns.find((c) => c.campaignSlug === route.value.filters.campaign) ?? campaigns[0];
        if (!campaign) return <Notice>{say('none')}</Notice>;
        return (
          <>
            <Select
              label={say('name')}
              value={campaign.campaignSlug}
              set={(slug) => setFilters({ campaign: slug })}
              choices={campaigns.map((c) => [c.campaignSlug, c.campaignTitle])}
            />
            {children(campaign)}
          </>
        );
      }}
    </ResourceView>
  );
}
