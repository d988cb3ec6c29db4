// The state of a campaign in words, and its badge.
import { Badge, type Tone } from '../ui/badge.tsx';
import type { Summary } from './summary.ts';
import { say } from './words.ts';

export type Status = Summary['status'];

const tones: Readonly<Record<Status, Tone>> = {
  draft: 'outline',
  scheduled: 'info',
  live: 'live',
  funded: 'live',
  charging: 'info',
  settled: 'good',
  missed: '',
  archived: '',
};

/**
 * A campaign's state. Before the first charge, a campaign whose charges can start is shown as
 * ready.
 */
export const StateBadge = ({ campaign: { status, settlement } }: { campaign: Summary }) => (
  <Badge tone={tones[status]}>{say(status === 'charging' && !settlement ? 'status_ready' : `status_${status}`)}</Badge>
);

/** Reports whether a campaign accepts pledges now. */
export const isLive = ({ status }: Summary): boolean => status === 'live' || status === 'funded';

/** Reports whether a campaign is over: settled, or closed below its goal. */
export const isOver = ({ status }: Summary): boolean => status === 'settled' || status === 'missed';
