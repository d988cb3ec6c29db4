// The campaigns screen: the list, or one campaign with its sections.
import { hrefTo, route } from '../router.ts';
import { hasPermission, isSuperAdmin } from '../session.ts';
import { useCurrentInView } from '../ui/inview.ts';
import { Lazy } from '../ui/lazy.tsx';
import { Notice, ResourceView } from '../ui/notice.tsx';
import { CreateButton } from './create.tsx';
import { List } from './list.tsx';
import { Overview } from './overview.tsx';
import { SettlementBadge, StateBadge } from './state.tsx';
import { type Summary, useSummaries } from './summary.ts';
import { say } from './words.ts';

const editorSections = [
  'settings',
  'content',
  'tiers',
  'support_items',
  'add_ons',
  'stretch_goals',
  'ongoing_items',
  'diary',
  'decisions',
] as const;

type PartName = 'overview' | (typeof editorSections)[number] | 'blast' | 'settlement';

const parts = (campaign: Summary): readonly PartName[] => [
  'overview',
  ...(hasPermission('content') && !campaign.archived ? editorSections : []),
  ...(hasPermission('mails') ? (['blast'] as const) : []),
  ...(isSuperAdmin() ? (['settlement'] as const) : []),
];

export default function Campaigns() {
  const [, slug, part] = route.value.parts;
  const summaries = useSummaries();
  if (!slug) {
    return (
      <>
        <div class="row head-row">
          <h1>{say('title')}</h1>
          {isSuperAdmin() ? <CreateButton /> : null}
        </div>
        <List />
      </>
    );
  }
  return (
    <ResourceView resource={summaries}>
      {({ campaigns }) => {
        const campaign = campaigns.find((c) => c.campaignSlug === slug);
        return campaign ? (
          <CampaignScreen campaign={campaign} part={parts(campaign).find((p) => p === part) ?? 'overview'} />
        ) : (
          <Notice tone="bad">{say('unknown', { slug })}</Notice>
        );
      }}
    </ResourceView>
  );
}

function CampaignScreen({ campaign, part }: { campaign: Summary; part: PartName }) {
  const tabs = useCurrentInView(part);
  return (
    <>
      <p class="small">
        <a href={hrefTo(['campaigns'])}>← {say('all')}</a>
      </p>
      <div class="row head-row">
        <h1>{campaign.campaignTitle}</h1>
        <StateBadge campaign={campaign} />
        <SettlementBadge campaign={campaign} />
      </div>
      {parts(campaign).length > 1 ? (
        <nav class="subtabs" aria-label={say('parts')}>
          <ul ref={tabs}>
            {parts(campaign).map((p) => (
              <li key={p}>
                <a
                  href={hrefTo(['campaigns', campaign.campaignSlug, ...(p === 'overview' ? [] : [p])])}
                  aria-current={p === part ? 'page' : undefined}
                >
                  {say(`tab_${p}`)}
                </a>
              </li>
            ))}
          </ul>
        </nav>
      ) : null}
      <CampaignPart campaign={campaign} part={part} />
    </>
  );
}

function CampaignPart({ campaign, part }: { campaign: Summary; part: PartName }) {
  if (part === 'overview') return <Overview campaign={campaign} />;
  if (part === 'blast')
    return (
      <Lazy key={campaign.campaignSlug} load={() => import('../blast/blast.tsx')} name="blast" props={{ campaign }} />
    );
  if (part !== 'settlement')
    return (
      <Lazy
        key={campaign.campaignSlug}
        load={() => import('./edit.tsx')}
        name="edit"
        props={{ slug: campaign.campaignSlug, section: part }}
      />
    );
  return (
    <Lazy
      key={campaign.campaignSlug}
      load={() => import('../settlement/settlement.tsx')}
      name="settlement"
      props={{ campaign }}
    />
  );
}
