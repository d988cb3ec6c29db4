// The campaigns screen: the list, or one campaign with its sections.
import { route } from '../router.ts';
import { Lazy } from '../ui/lazy.tsx';
import { Notice, ResourceView } from '../ui/notice.tsx';
import { Page } from '../ui/page.tsx';
import { CampaignList } from './list.tsx';
import { Overview } from './overview.tsx';
import { campaignSections, type Section } from './sections.ts';
import { type Summary, useSummaries } from './summary.ts';
import { say } from './words.ts';

export default function Campaigns() {
  const [, slug, part] = route.value.parts;
  const summaries = useSummaries();
  if (!slug) return <CampaignList />;
  return (
    <ResourceView resource={summaries}>
      {({ campaigns }) => {
        const campaign = campaigns.find((c) => c.campaignSlug === slug);
        return campaign ? (
          <CampaignSection
            campaign={campaign}
            section={campaignSections(campaign).find((s) => s === part) ?? 'overview'}
          />
        ) : (
          <Page title={say('title')}>
            <Notice tone="bad">
              <p>{say('unknown', { slug })}</p>
            </Notice>
          </Page>
        );
      }}
    </ResourceView>
  );
}

function CampaignSection({ campaign, section }: { campaign: Summary; section: Section }) {
  const key = campaign.campaignSlug;
  if (section === 'overview') return <Overview key={key} campaign={campaign} />;
  if (section === 'blast')
    return <Lazy key={key} load={() => import('../blast/blast.tsx')} name="blast" props={{ campaign }} />;
  if (section === 'settlement')
    return (
      <Lazy key={key} load={() => import('../settlement/settlement.tsx')} name="settlement" props={{ campaign }} />
    );
  return <Lazy key={key} load={() => import('./edit.tsx')} name="edit" props={{ slug: key, section }} />;
}
