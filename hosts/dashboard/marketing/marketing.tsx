// The marketing screen: tracking links, referral codes, embed codes, announcements and
// suppressed addresses.

import { BroadcastEditor } from '../blast/blast.tsx';
import { CampaignSelector } from '../campaigns/choose.tsx';
import type { Summary } from '../campaigns/summary.ts';
import { route, setFilters } from '../router.ts';
import { EmbedCode } from './embed.tsx';
import { LinkBuilder } from './link.tsx';
import { Referrals } from './referrals.tsx';
import { Suppressions } from './suppressions.tsx';
import { say } from './words.ts';

const parts = ['links', 'referrals', 'frame', 'announcement', 'stopped'] as const;

export default function Marketing() {
  const shown = parts.find((p) => p === route.value.filters.part) ?? 'links';
  return (
    <>
      <h1>{say('title')}</h1>
      <CampaignSelector>
        {(campaign) => (
          <>
            <nav class="subtabs" aria-label={say('title')}>
              <ul>
                {parts.map((p) => (
                  <li key={p}>
                    <a
                      href={`#/marketing?${new URLSearchParams({ campaign: campaign.campaignSlug, part: p }).toString()}`}
                      aria-current={p === shown ? 'page' : undefined}
                      onClick={(e) => {
                        e.preventDefault();
                        setFilters({ part: p, campaign: campaign.campaignSlug });
                      }}
                    >
                      {say(p)}
                    </a>
                  </li>
                ))}
              </ul>
            </nav>
            <Part key={`${campaign.campaignSlug} ${shown}`} part={shown} campaign={campaign} />
          </>
        )}
      </CampaignSelector>
    </>
  );
}

function Part({ part, campaign }: { part: (typeof parts)[number]; campaign: Summary }) {
  switch (part) {
    case 'referrals':
      return <Referrals slug={campaign.campaignSlug} />;
    case 'frame':
      return <EmbedCode slug={campaign.campaignSlug} />;
    case 'stopped':
      return <Suppressions slug={campaign.campaignSlug} />;
    case 'announcement':
      return <BroadcastEditor campaign={campaign} surface="marketing" what={say('announcement_what')} />;
    default:
      return <LinkBuilder slug={campaign.campaignSlug} />;
  }
}
