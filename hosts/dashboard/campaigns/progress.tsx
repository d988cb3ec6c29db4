// A campaign's pledged amount against its goal, in one row.
import { now } from '../session.ts';
import { Gauge } from '../ui/gauge.tsx';
import { percent, price } from '../words.ts';
import type { Summary } from './summary.ts';
import { passedShare } from './time.ts';
import { say } from './words.ts';

/** A campaign's pledged amount against its goal; before it opens, only the goal. */
export const PledgedRow = ({ campaign: c }: { campaign: Summary }) =>
  c.pledgedAmount === 0 && (c.status === 'draft' || c.status === 'scheduled') ? (
    <p class="pledged-row muted">{say('goal_of', { goal: price(c.goalAmount) })}</p>
  ) : (
    <div class="stack g2 pledged-row">
      <div class="row between">
        <span>
          <b>{price(c.pledgedAmount)}</b>{' '}
          <span class="small muted">{say('of_goal', { goal: price(c.goalAmount) })}</span>
        </span>
        <b class="small">{percent(c.pledgedAmount, c.goalAmount)}</b>
      </div>
      <Gauge pledged={c.pledgedAmount} goal={c.goalAmount} passed={passedShare(c, now())} />
    </div>
  );

/**
 * A campaign's picture, or its first letter. It has no alternative text, because the title is next
 * to it.
 */
export const Picture = ({ campaign }: { campaign: Summary }) =>
  campaign.heroImage ? (
    <img
      class="pic"
      src={campaign.heroImage}
      alt=""
      loading="lazy"
      onError={(e) => e.currentTarget.classList.add('none')}
    />
  ) : (
    <span class="pic none" aria-hidden="true">
      {campaign.campaignTitle.trim().charAt(0).toUpperCase()}
    </span>
  );
