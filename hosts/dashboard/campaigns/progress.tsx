// A campaign's pledged amount against its goal, in one row.
import { Image } from 'lucide-preact';
import { now } from '../session.ts';
import { Gauge } from '../ui/gauge.tsx';
import { Icon } from '../ui/icon.tsx';
import { percent, price } from '../words.ts';
import type { Summary } from './summary.ts';
import { passedShare } from './time.ts';
import { say } from './words.ts';

export const PledgedRow = ({ campaign: c }: { campaign: Summary }) => (
  <div class="stack g2 pledged-row">
    <div class="row between">
      <span>
        <b>{price(c.pledgedAmount)}</b> <span class="small muted">{say('of_goal', { goal: price(c.goalAmount) })}</span>
      </span>
      <b class="small">{percent(c.pledgedAmount, c.goalAmount)}</b>
    </div>
    <Gauge pledged={c.pledgedAmount} goal={c.goalAmount} passed={passedShare(c, now())} />
  </div>
);

/** A campaign's picture. It has no alternative text, because the title stands beside it. */
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
    <span class="pic none">
      <Icon of={Image} />
    </span>
  );
