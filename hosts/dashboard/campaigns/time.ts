// The times of a campaign, by the server's clock.
import { deadline, moment, timeOfDay, weekday } from '../words.ts';
import type { Summary } from './summary.ts';
import { say } from './words.ts';

const units = [
  ['days', 86_400_000],
  ['hours', 3_600_000],
  ['minutes', 60_000],
] as const;

/**
 * Returns the largest whole unit of a time span, as on the public page: days, then hours, then
 * minutes.
 */
export function largestUnit(milliseconds: number): {
  readonly unit: (typeof units)[number][0];
  readonly count: number;
} {
  const [unit, size] = units.find(([, s]) => milliseconds >= s) ?? units[2];
  return { unit, count: Math.max(1, Math.floor(milliseconds / size)) };
}

/** Formats the time until a moment: "12 days". */
export function timeUntil(at: string, now: number): string {
  const { unit, count } = largestUnit(Date.parse(at) - now);
  return say(unit, { count });
}

/** Returns the share of a campaign's time that has passed, from 0 to 1; undefined unless it accepts pledges. */
export function passedShare({ state, startsAt, endsAt }: Summary, now: number): number | undefined {
  if (state !== 'live' || !startsAt || !endsAt) return undefined;
  const [from, to] = [Date.parse(startsAt), Date.parse(endsAt)];
  return to > from ? Math.min(1, Math.max(0, (now - from) / (to - from))) : undefined;
}

/** Describes when a campaign ends or opens: two short lines. */
export function timeWords(c: Summary, now: number): readonly [string, string] {
  if (c.status === 'draft' || c.status === 'scheduled') {
    const opens =
      c.startsAt && Date.parse(c.startsAt) > now
        ? say('opens_in', { time: timeUntil(c.startsAt, now) })
        : say('not_open');
    return [opens, c.endsAt ? say('ends_on', { day: lastDay(c.endsAt) }) : say('no_deadline')];
  }
  if (!c.endsAt) return [say('no_deadline'), ''];
  if (c.state === 'live') return [say('ends_in', { time: timeUntil(c.endsAt, now) }), lastDay(c.endsAt)];
  return [say('ended'), lastDay(c.endsAt)];
}

/** Formats the last day on which a campaign accepts pledges. */
export const lastDay = (endsAt: string): string => weekday(Date.parse(endsAt) - 1000);

/** Formats a time of day with its zone: "11:59 PM MST". */
export const clock = (at: string | number): string => `${timeOfDay(at)} ${moment(at).split(' ').at(-1) ?? ''}`;

/** Formats a deadline as the campaign's page states it. */
export const deadlineWords = ({ endsAt }: Summary): string => (endsAt ? deadline(endsAt) : say('no_deadline'));
