// The newest pledges, on the home screen and on a campaign's overview.
import { hrefTo } from '../router.ts';
import { hasPermission } from '../session.ts';
import { ago, price } from '../words.ts';
import type { LatestPledge } from './summary.ts';
import { say } from './words.ts';

/** The link to the supporters of a campaign, or of all. */
export const SupportersLink = ({ slug = '' }: { slug?: string }) =>
  hasPermission('supporters') ? (
    <a class="link small" href={hrefTo(['supporters'], { campaign: slug })}>
      {say('view_supporters')}
    </a>
  ) : null;

/** One of the newest pledges: amount, what it is for, and when. */
export const PledgeItem = ({ pledge: p, place }: { pledge: LatestPledge; place: string }) => (
  <li>
    <b class="nowrap">{price(p.pledgedAmount)}</b>
    <span class="grow pledge-of">
      {place ? <span class="clip">{place}</span> : null}
      <span class="clip muted">
        {[
          ...(p.rewards.length ? p.rewards : [say('contribution')]),
          ...(p.addOns ? [say('add_ons_count', { count: p.addOns })] : []),
        ].join(', ')}
        {p.pledgeStatus === 'cancelled' ? ` (${say('canceled')})` : ''}
      </span>
    </span>
    <span class="small muted nowrap">{ago(p.createdAt)}</span>
  </li>
);
