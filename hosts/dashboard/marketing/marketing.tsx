// The marketing screen: tracked links, referral codes, embed codes, announcements, suppressed
// addresses and checkout reminders.
import type { Schema } from '../../site/scripts/api.ts';
import { CampaignPage } from '../campaigns/page.tsx';
import type { Summary } from '../campaigns/summary.ts';
import { query, useResource } from '../resources.ts';
import { hrefTo, route } from '../router.ts';
import { hasPermission, isSuperAdmin } from '../session.ts';
import { Lazy } from '../ui/lazy.tsx';
import { ViewTabs } from '../ui/viewtabs.tsx';
import { count } from '../words.ts';
import { EmbedCode } from './embed.tsx';
import { LinkBuilder } from './link.tsx';
import { LinksInUse } from './linksinuse.tsx';
import { Referrals } from './referrals.tsx';
import { CheckoutReminders } from './reminders.tsx';
import { Suppressions } from './suppressions.tsx';
import { say } from './words.ts';

const parts = ['links', 'referrals', 'frame', 'announcement', 'stopped', 'reminders'] as const;
type PartName = (typeof parts)[number];

export default function Marketing() {
  return <CampaignPage title={say('title')}>{(campaign) => <Parts campaign={campaign} />}</CampaignPage>;
}

function Parts({ campaign }: { campaign: Summary }) {
  const slug = campaign.campaignSlug;
  const available = parts.filter((p) => p !== 'reminders' || isSuperAdmin()); // reminders belong to the whole platform
  const shown = available.find((p) => p === route.value.filters.part) ?? 'links';
  const codes = useResource<Schema['ReferralList']>(query('/admin/marketing/referrals', { campaignSlug: slug })).value
    ?.referrals.length;
  return (
    <>
      <div class="screen-views">
        <ViewTabs
          label={say('title')}
          tabs={available.map((key) => ({
            key,
            name: say(key),
            count: key === 'referrals' && codes ? count(codes) : undefined,
          }))}
          current={shown}
          href={(part) => hrefTo(['marketing'], { campaign: slug, part })}
        />
      </div>
      <Part key={`${slug} ${shown}`} part={shown} campaign={campaign} />
    </>
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
      return (
        <Lazy
          name="broadcast"
          load={() => import('../blast/broadcast.tsx')}
          props={{ campaign, surface: 'marketing' as const, what: say('announcement_hint') }}
        />
      );
    case 'reminders':
      return <CheckoutReminders />;
    default:
      return (
        <>
          <LinkBuilder slug={campaign.campaignSlug} />
          {hasPermission('money') ? <LinksInUse slug={campaign.campaignSlug} /> : null}
        </>
      );
  }
}
