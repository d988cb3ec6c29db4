// The marketing screen: tracked links, referral codes, embed codes, announcements and suppressed
// addresses.
import { BroadcastEditor } from '../blast/blast.tsx';
import { CampaignPage } from '../campaigns/page.tsx';
import type { Summary } from '../campaigns/summary.ts';
import { hrefTo, route } from '../router.ts';
import { ViewTabs } from '../ui/viewtabs.tsx';
import { EmbedCode } from './embed.tsx';
import { LinkBuilder } from './link.tsx';
import { Referrals } from './referrals.tsx';
import { Suppressions } from './suppressions.tsx';
import { say } from './words.ts';

const parts = ['links', 'referrals', 'frame', 'announcement', 'stopped'] as const;
type PartName = (typeof parts)[number];

export default function Marketing() {
  const shown = parts.find((p) => p === route.value.filters.part) ?? 'links';
  return (
    <CampaignPage title={say('title')}>
      {(campaign) => (
        <>
          <ViewTabs
            label={say('title')}
            tabs={parts.map((key) => ({ key, name: say(key) }))}
            current={shown}
            href={(part) => hrefTo(['marketing'], { campaign: campaign.campaignSlug, part })}
          />
          <Part key={`${campaign.campaignSlug} ${shown}`} part={shown} campaign={campaign} />
        </>
      )}
    </CampaignPage>
  );
}

function Part({ part, campaign }: { part: PartName; campaign: Summary }) {
  switch (part) {
    case 'referrals':
      return <Referrals slug={campaign.campaignSlug} />;
    case 'frame':
      return <EmbedCode slug={campaign.campaignSlug} />;
    case 'stopped':
      return <Suppressions slug={campaign.campaignSlug} />;
    case 'announcement':
      return <BroadcastEditor campaign={campaign} surface="marketing" what={say('announcement_hint')} />;
    default:
      return <LinkBuilder slug={campaign.campaignSlug} />;
  }
}
