// A campaign's overview: key figures, progress, card checks, reviewers and lifecycle.
import { root } from '../../site/scripts/api.ts';
import { hasPermission } from '../session.ts';
import { Lazy } from '../ui/lazy.tsx';
import { CampaignFigures } from './figures.tsx';
import { Progress } from './progress.tsx';
import type { Summary } from './summary.ts';
import { say } from './words.ts';

export function Overview({ campaign }: { campaign: Summary }) {
  return (
    <>
      <CampaignFigures campaign={campaign} />
      <Progress campaign={campaign} />
      {campaign.published ? (
        <p>
          <a class="button quiet" href={`${root}/campaigns/${campaign.campaignSlug}/`} target="_blank" rel="noopener">
            {say('page')}
          </a>
        </p>
      ) : null}
      {campaign.state === 'live' &&
      campaign.pledgeCount > 0 &&
      hasPermission('supporters') &&
      hasPermission('money') ? (
        <Lazy key={campaign.campaignSlug} name="cards" load={() => import('./cards.tsx')} props={{ campaign }} />
      ) : null}
      {hasPermission('content') && !campaign.archived ? (
        <Lazy
          key={`${campaign.campaignSlug} reviewers`}
          name="reviewers"
          load={() => import('./reviewers.tsx')}
          props={{ campaign }}
        />
      ) : null}
      {hasPermission('content') ? (
        <Lazy
          key={`${campaign.campaignSlug} lifecycle`}
          name="lifecycle"
          load={() => import('./lifecycle.tsx')}
          props={{ campaign }}
        />
      ) : null}
    </>
  );
}
