// Badges for a campaign's state and settlement status.
import { Badge, type Tone } from '../ui/badge.tsx';
import type { Summary } from './summary.ts';
import { say } from './words.ts';

export function StateBadge({ campaign }: { campaign: Summary }) {
  if (campaign.archived) return <Badge>{say('archived_state')}</Badge>;
  if (!campaign.published) return <Badge>{say('hidden')}</Badge>;
  return <Badge tone={campaign.state === 'live' ? 'good' : ''}>{say(campaign.state)}</Badge>;
}

const tones: Readonly<Record<string, Tone>> = { running: 'warn', done: 'good', needs_attention: 'bad' };

/** The settlement status; nothing before the deadline. */
export function SettlementBadge({ campaign }: { campaign: Summary }) {
  if (campaign.state !== 'ended') return null;
  if (!campaign.settlement)
    return <Badge>{campaign.pledgedAmount >= campaign.goalAmount ? say('not_started') : '—'}</Badge>;
  return <Badge tone={tones[campaign.settlement.status] ?? ''}>{say(campaign.settlement.status)}</Badge>;
}
