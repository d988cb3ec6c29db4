// A screen about one campaign, with the campaign's selector in its header. The selection is kept in
// the URL.
import { Flag } from 'lucide-preact';
import type { ComponentChildren } from 'preact';
import { route, setFilters } from '../router.ts';
import { Empty } from '../ui/empty.tsx';
import { ResourceView } from '../ui/notice.tsx';
import { Page } from '../ui/page.tsx';
import { type Summary, useSummaries } from './summary.ts';
import { say } from './words.ts';

interface Props {
  readonly title: string;
  readonly actions?: (campaign: Summary) => ComponentChildren;
  readonly children: (campaign: Summary) => ComponentChildren;
}

export function CampaignPage({ title, actions, children }: Props) {
  const resource = useSummaries();
  const campaigns = resource.value?.campaigns ?? [];
  const campaign = campaigns.find((c) => c.campaignSlug === route.value.filters.campaign) ?? campaigns[0];
  return (
    <Page
      title={title}
      actions={
        campaign ? (
          <>
            <select
              class="select w-l"
              aria-label={say('name')}
              value={campaign.campaignSlug}
              onChange={(e) => setFilters({ campaign: e.currentTarget.value, page: '', cursor: '', tier: '' })}
            >
              {campaigns.map((c) => (
                <option key={c.campaignSlug} value={c.campaignSlug}>
                  {c.campaignTitle}
                </option>
              ))}
            </select>
            {actions?.(campaign)}
          </>
        ) : null
      }
    >
      <ResourceView resource={resource}>
        {() => (campaign ? children(campaign) : <Empty icon={Flag} title={say('none')} />)}
      </ResourceView>
    </Page>
  );
}
