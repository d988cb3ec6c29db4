// What a campaign's state is called, wherever it's shown.
import { Badge, type Tone } from '../ui/badge.tsx';
import type { Summary } from './summary.ts';
import { say } from './words.ts';

export function State({ of }: { of: Summary }) {
  if (of.archived) return <Badge>{say('archived_state')}</Badge>;
  if (!of.published) return <Badge>{say('hidden')}</Badge>;
  return <Badge tone={of.state === 'live' ? 'good' : ''}>{say(of.state)}</Badge>;
}

const tones: Readonly<Record<string, Tone>> = { running: 'warn', done: 'good', needs_attention: 'bad' };

/** How settlement stands, nothing before the deadline. */
export function Settled({ of }: { of: Summary }) {
  if (of.state !== 'ended') return null;
  if (!of.settlement) return <Badge>{of.pledgedAmount >= of.goalAmount ? say('not_started') : '—'}</Badge>;
  return <Badge tone={tones[of.settlement.status] ?? ''}>{say(of.settlement.status)}</Badge>;
}
