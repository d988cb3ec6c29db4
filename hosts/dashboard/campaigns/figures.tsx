// A campaign's key figures.

import { KeyFigures } from '../ui/badge.tsx';
import { count, moment, money, percent } from '../words.ts';
import type { Summary } from './summary.ts';
import { say } from './words.ts';

export function CampaignFigures({ campaign }: { campaign: Summary }) {
  return (
    <KeyFigures
      figures={[
        [
          say('pledged'),
          money(campaign.pledgedAmount),
          say('share', {
            share: percent(campaign.pledgedAmount, campaign.goalAmount),
            goal: money(campaign.goalAmount),
          }),
        ],
        [say('supporters'), count(campaign.supporterCount), say('pledges_of', { count: campaign.pledgeCount })],
        [
          say('average'),
          campaign.supporterCount ? money(Math.round(campaign.pledgedAmount / campaign.supporterCount)) : '—',
          say('each'),
        ],
        [
          say('ends'),
          campaign.state === 'live' ? say('days', { count: campaign.daysLeft }) : say(campaign.state),
          campaign.endsAt ? moment(campaign.endsAt) : '',
        ],
      ]}
    />
  );
}
