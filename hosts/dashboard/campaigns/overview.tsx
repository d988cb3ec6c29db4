// A campaign at a glance: its figures, how it came to them, and what would fail.
import { root } from '../../site/scripts/api.ts';
import { may } from '../session.ts';
import { Later } from '../ui/later.tsx';
import { FiguresOf } from './figures.tsx';
import { Progress } from './progress.tsx';
import type { Summary } from './summary.ts';
import { say } from './words.ts';

export function Overview({ of }: { of: Summary }) {
  return (
    <>
      <FiguresOf of={of} />
      <Progress of={of} />
      {of.published ? <p><a class="button quiet" href={`${root}/campaigns/${of.campaignSlug}/`} target="_blank" rel="noopener">{say('page')}</a></p> : null}
      {of.state === 'live' && of.pledgeCount > 0 && may('supporters') && may('money')
        ? <Later key={of.campaignSlug} name="cards" load={() => import('./cards.tsx')} props={{ of }} /> : null}
      {may('content') && !of.archived ? <Later key={`${of.campaignSlug} reviewers`} name="reviewers" load={() => import('./reviewers.tsx')} props={{ of }} /> : null}
      {may('content') ? <Later key={`${of.campaignSlug} lifecycle`} name="lifecycle" load={() => import('./lifecycle.tsx')} props={{ of }} /> : null}
    </>
  );
}
