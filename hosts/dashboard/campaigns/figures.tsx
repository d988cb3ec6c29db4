// The four figures by which a campaign is known.
import { count, money, moment, percent } from '../words.ts';
import { Figures } from '../ui/badge.tsx';
import type { Summary } from './summary.ts';
import { say } from './words.ts';

export function FiguresOf({ of }: { of: Summary }) {
  return (
    <Figures of={[
      [say('pledged'), money(of.pledgedAmount), say('share', { share: percent(of.pledgedAmount, of.goalAmount), goal: money(of.goalAmount) })],
      [say('supporters'), count(of.supporterCount), say('pledges_of', { count: of.pledgeCount })],
      [say('average'), of.supporterCount ? money(Math.round(of.pledgedAmount / of.supporterCount)) : '—', say('each')],
      [say('ends'), of.state === 'live' ? say('days', { count: of.daysLeft }) : say(of.state), of.endsAt ? moment(of.endsAt) : ''],
    ]} />
  );
}
