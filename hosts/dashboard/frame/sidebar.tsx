// The sidebar: platform, search, navigation with the open campaign's sections, and the account.
import { ChevronDown, Search, SquareArrowOutUpRight } from 'lucide-preact';
import { root } from '../../site/scripts/api.ts';
import { useFields } from '../campaigns/data.ts';
import { Picture } from '../campaigns/progress.tsx';
import { campaignSections, countOf, sectionName } from '../campaigns/sections.ts';
import { type Summary, useSummaries } from '../campaigns/summary.ts';
import { hasDraft } from '../editor/draftstore.ts';
import { useTasks } from '../home/tasks.ts';
import { say as sayHome } from '../home/words.ts';
import { hrefTo, route, tab } from '../router.ts';
import { type TabName, visibleTabs } from '../tabs.ts';
import { Icon } from '../ui/icon.tsx';
import { Menu } from '../ui/menu.tsx';
import { brand } from '../ui/page.tsx';
import { AccountMenu } from './account.tsx';
import { icons } from './icons.ts';
import { openPalette } from './palette.tsx';
import { say } from './words.ts';

export function Sidebar() {
  return (
    <div class="side">
      <a class="brand" href={hrefTo(['home'])}>
        <Mark />
        <span class="clip">{brand}</span>
      </a>
      <button type="button" class="jump" aria-keyshortcuts="Control+K" onClick={openPalette}>
        <Icon of={Search} small />
        <span class="grow start">{say('search')}</span>
        <kbd>Ctrl K</kbd>
      </button>
      <nav class="nav" aria-label={say('main')}>
        <Tab name="home" />
        {visibleTabs().map((name) => (
          <Tab key={name} name={name as Exclude<TabName, 'account'>} />
        ))}
      </nav>
      <div class="foot nav">
        <a href={`${root}/`} target="_blank" rel="noopener">
          <Icon of={SquareArrowOutUpRight} />
          <span>{say('view_site')}</span>
        </a>
        <AccountMenu />
      </div>
    </div>
  );
}

/** The platform's logo, or the product's mark. */
export function Mark() {
  const logo = document.body.dataset.logo;
  return (
    <span class="mark">
      {logo ? (
        <img src={logo} alt="" />
      ) : (
        <svg viewBox="0 0 24 24" width="18" height="18" fill="none" aria-hidden="true">
          <path d="M4 15a8 8 0 1116 0" stroke="#ffc247" stroke-width="2.4" stroke-linecap="round" />
          <path d="M2.5 19h19" stroke="#fff" stroke-width="2.4" stroke-linecap="round" />
        </svg>
      )}
    </span>
  );
}

function Tab({ name }: { name: Exclude<TabName, 'account'> }) {
  const [, slug] = route.value.parts;
  const current = tab.value === name;
  const inside = name === 'campaigns' && current && slug;
  return (
    <>
      <a href={hrefTo([name])} aria-current={inside ? 'true' : current ? 'page' : undefined}>
        <Icon of={icons[name]} />
        <span>{say(name)}</span>
        {name === 'home' ? <OpenTasks /> : null}
      </a>
      {inside ? <CampaignSections slug={slug} /> : null}
    </>
  );
}

/** The number of tasks that need attention. */
function OpenTasks() {
  const count = useTasks()?.length;
  if (!count) return null;
  return (
    <span class="n alert">
      <span aria-hidden="true">{count}</span>
      <span class="unseen">{sayHome('open_tasks', { count })}</span>
    </span>
  );
}

function CampaignSections({ slug }: { slug: string }) {
  const campaigns = useSummaries(0).value?.campaigns ?? [];
  const campaign = campaigns.find((c) => c.campaignSlug === slug);
  if (!campaign) return null;
  return (
    <div class="subnav" role="group" aria-label={campaign.campaignTitle}>
      <Menu
        label={say('switch_campaign', { title: campaign.campaignTitle })}
        class="switch-camp"
        button={
          <>
            <Picture campaign={campaign} />
            <span class="grow clip">{campaign.campaignTitle}</span>
            <Icon of={ChevronDown} small />
          </>
        }
      >
        {campaigns.map((c) => (
          <a
            key={c.campaignSlug}
            href={hrefTo(['campaigns', c.campaignSlug])}
            aria-current={c.campaignSlug === slug ? 'true' : undefined}
          >
            <Picture campaign={c} />
            <span class="grow clip">{c.campaignTitle}</span>
          </a>
        ))}
      </Menu>
      <SectionLinks campaign={campaign} counts />
    </div>
  );
}

/**
 * The links to a campaign's sections. A dot marks sections with unpublished changes. Other sections
 * can show their number of entries.
 */
export function SectionLinks({ campaign, counts }: { campaign: Summary; counts?: boolean }) {
  const [, slug, part = 'overview'] = route.value.parts;
  const fields = useFields(campaign);
  return (
    <>
      {campaignSections(campaign).map((section) => (
        <a
          key={section}
          href={hrefTo(['campaigns', campaign.campaignSlug, ...(section === 'overview' ? [] : [section])])}
          aria-current={slug === campaign.campaignSlug && section === part ? 'page' : undefined}
        >
          {sectionName(section)}
          {hasDraft(`campaigns/${campaign.campaignSlug}.md`, section) ? (
            <span class="dot" role="img" aria-label={say('unpublished')} />
          ) : counts && fields && countOf(fields, section) ? (
            <span class="n" aria-hidden="true">
              {countOf(fields, section)}
            </span>
          ) : null}
        </a>
      ))}
    </>
  );
}
