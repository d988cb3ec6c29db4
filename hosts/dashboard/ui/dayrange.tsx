// A filter by days in the platform's time zone: a common period, or a first and a last day.
import { useState } from 'preact/hooks';
import { now } from '../session.ts';
import { dateOf } from '../words.ts';
import { Choice } from './choice.tsx';
import { daysBefore } from './days.ts';
import { say } from './words.ts';

export interface Days {
  /** Such as 2026-11-30; "" for no limit. */
  readonly from: string;
  readonly to: string;
}

interface Props extends Days {
  readonly set: (days: Days) => void;
}

const periods = [1, 7, 30]; // days until today

export function DayRange({ from, to, set }: Props) {
  const today = dateOf(now());
  const period = to === today ? periods.find((n) => daysBefore(today, n - 1) === from) : undefined;
  const limited = Boolean(from || to);
  const [custom, setCustom] = useState(limited && !period);
  const choose = (value: string): void => {
    setCustom(value === 'custom');
    if (value !== 'custom')
      set(value ? { from: daysBefore(today, Number(value) - 1), to: today } : { from: '', to: '' });
  };
  return (
    <>
      <Choice
        name={say('dates')}
        value={custom ? 'custom' : period ? String(period) : limited ? 'custom' : ''}
        set={choose}
        choices={[
          ['', say('any_time')],
          ...periods.map((n) => [String(n), n === 1 ? say('today') : say('last_days', { count: n })] as const),
          ['custom', say('custom_days')],
        ]}
      />
      {custom || (limited && !period) ? (
        <fieldset class="dayrange">
          <legend class="unseen">{say('dates')}</legend>
          <Day label={say('from_day')} value={from} max={to} set={(day) => set({ from: day, to })} />
          <Day label={say('until_day')} value={to} min={from} set={(day) => set({ from, to: day })} />
        </fieldset>
      ) : null}
    </>
  );
}

interface DayProps {
  readonly label: string;
  readonly value: string;
  readonly min?: string;
  readonly max?: string;
  readonly set: (day: string) => void;
}

const Day = ({ label, value, min, max, set }: DayProps) => (
  <label>
    <span class="small muted">{label}</span>
    <input
      class="input"
      type="date"
      value={value}
      {...(min ? { min } : {})}
      {...(max ? { max } : {})}
      onChange={(e) => set(e.currentTarget.value)}
    />
  </label>
);
