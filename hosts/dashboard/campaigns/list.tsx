// The list of campaigns: current, finished and archived ones.
import { Flag } from 'lucide-preact';
import { useState } from 'preact/hooks';
import { hrefTo, route, setFilters } from '../router.ts';
import { isSuperAdmin, now } from '../session.ts';
import { Empty } from '../ui/empty.tsx';
import { ResourceView } from '../ui/notice.tsx';
import { Page } from '../ui/page.tsx';
import { SearchField } from '../ui/searchfield.tsx';
import { count } from '../words.ts';
import { CampaignMenu } from './actions.tsx';
import { categoryName } from './category.ts';
import { CreateButton } from './createbutton.tsx';
import { Picture, PledgedRow } from './progress.tsx';
import { isLive, isOver, StateBadge } from './state.tsx';
import { type Summary, useSummaries } from './summary.ts';
import { timeWords } from './time.ts';
import { say } from './words.ts';

const views = ['current', 'over', 'archived'] as const;
type View = (typeof views)[number];

const viewOf = (c: Summary): View => (c.status === 'archived' ? 'archived' : isOver(c) ? 'over' : 'current');

/** Orders campaigns: those that accept pledges by their deadline, then those being charged, then the others. */
export function byUrgency(a: Summary, b: Summary): number {
  const rank = (c: Summary): number => (isLive(c) ? 0 : c.status === 'charging' ? 1 : 2);
  const date = (c: Summary): string => (isLive(c) ? c.endsAt : c.startsAt) ?? '9';
  return rank(a) - rank(b) || date(a).localeCompare(date(b));
}

const latestFirst = (a: Summary, b: Summary): number => (b.endsAt ?? '').localeCompare(a.endsAt ?? '');

export function CampaignList() {
  const summaries = useSummaries();
  return (
    <Page title={say('title')} actions={isSuperAdmin() ? <CreateButton /> : null}>
      <ResourceView resource={summaries}>
        {({ campaigns }) => (campaigns.length ? <Views campaigns={campaigns} /> : <NoCampaigns />)}
      </ResourceView>
    </Page>
  );
}

/** The screen of an operator without campaigns. */
export const NoCampaigns = () => (
  <section class="card" aria-label={say('title')}>
    {isSuperAdmin() ? (
      <Empty icon={Flag} title={say('none_yet')} action={<CreateButton />}>
        {say('none_yet_what')}
      </Empty>
    ) : (
      <Empty icon={Flag} title={say('none_assigned')}>
        {say('none_assigned_what')}
      </Empty>
    )}
  </section>
);

function Views({ campaigns }: { campaigns: readonly Summary[] }) {
  const [typed, setTyped] = useState('');
  const view = views.find((v) => v === route.value.filters.view) ?? 'current';
  const search = typed.trim().toLowerCase();
  const found = campaigns
    .filter((c) =>
      search ? `${c.campaignTitle} ${c.campaignSlug}`.toLowerCase().includes(search) : viewOf(c) === view,
    )
    .toSorted(view === 'current' ? byUrgency : latestFirst);
  return (
    <section class="card" aria-label={say('title')}>
      <div class="tabs-and-search">
        <div class="viewtabs" role="group" aria-label={say('state')}>
          {views.map((v) => (
            <button
              key={v}
              type="button"
              aria-current={!search && v === view ? 'true' : undefined}
              onClick={() => {
                setTyped('');
                setFilters({ view: v === 'current' ? '' : v });
              }}
            >
              {say(`view_${v}`)} <span class="n">{count(campaigns.filter((c) => viewOf(c) === v).length)}</span>
            </button>
          ))}
        </div>
        <SearchField name={say('search')} value={typed} set={setTyped} kind="campaign-search" />
      </div>
      {found.length ? (
        <CampaignTable campaigns={found} />
      ) : (
        <p class="empty" role="status">
          {search ? say('no_match', { query: typed }) : say(`none_${view}`)}
        </p>
      )}
    </section>
  );
}

const CampaignTable = ({ campaigns }: { campaigns: readonly Summary[] }) => (
  <div class="tablewrap" tabIndex={0} role="region" aria-label={say('title')}>
    <table class="table cards">
      <caption class="unseen">{say('title')}</caption>
      <thead>
        <tr>
          <th scope="col">{say('name')}</th>
          <th scope="col">{say('state')}</th>
          <th scope="col">{say('pledged')}</th>
          <th scope="col" class="end">
            {say('supporters')}
          </th>
          <th scope="col">{say('ends')}</th>
          <th scope="col" class="end">
            <span class="unseen">{say('actions')}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {campaigns.map((c) => (
          <Row key={c.campaignSlug} campaign={c} />
        ))}
      </tbody>
    </table>
  </div>
);

function Row({ campaign: c }: { campaign: Summary }) {
  const [when, day] = timeWords(c, now());
  return (
    <tr>
      <th scope="row">
        <a class="row g3 plain-link" href={hrefTo(['campaigns', c.campaignSlug])}>
          <Picture campaign={c} />
          <span class="grow">
            <b>{c.campaignTitle}</b>
            {c.category ? <span class="small muted block">{categoryName(c.category)}</span> : null}
          </span>
        </a>
      </th>
      <td class="ph-end">
        <StateBadge campaign={c} />
      </td>
      <td class="ph-full pledged-cell">
        <PledgedRow campaign={c} />
      </td>
      <td class="end hide">{count(c.supporterCount)}</td>
      <td class="nowrap hide">
        <b>{when}</b>
        {day ? <span class="small muted block">{day}</span> : null}
      </td>
      <td class="end hide">
        <CampaignMenu campaign={c} />
      </td>
    </tr>
  );
}
