// The goal gauge: the pledged amount against the goal, with a notch for the elapsed time.
import { percent } from '../words.ts';
import { say } from './words.ts';

interface Props {
  /** Cents. */
  readonly pledged: number;
  /** Cents. */
  readonly goal: number;
  /** The elapsed share of the campaign's time, from 0 to 1; undefined draws no notch. */
  readonly passed?: number | undefined;
  readonly thick?: boolean;
}

/**
 * The fill is the pledged amount, the lamp the amount beyond the goal, and the notch the elapsed
 * time.
 */
export function Gauge({ pledged, goal, passed, thick }: Props) {
  const beyond = goal > 0 && pledged > goal;
  const filled = goal > 0 ? (beyond ? goal / pledged : pledged / goal) : 0;
  const label = [
    say('of_goal', { share: percent(pledged, goal) }),
    ...(passed === undefined ? [] : [say('time_passed', { share: percent(passed * 100, 100) })]),
  ].join(', ');
  return (
    <div
      class={`gauge ${thick ? 'thick' : ''}`}
      role="img"
      aria-label={label}
      style={{ '--v': share(filled), '--goal': share(filled), '--t': share(passed ?? 0) }}
    >
      <i />
      {beyond ? <b /> : null}
      {passed === undefined ? null : <s />}
    </div>
  );
}

const share = (part: number): string => `${(Math.min(Math.max(part, 0), 1) * 100).toFixed(1)}%`;
