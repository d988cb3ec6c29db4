// A month and a year, as two lists, because browsers lack a usable control for months.
import { lang } from '../words.ts';
import { FieldFrame, type FieldProps } from './frame.tsx';
import { say } from './words.ts';
import { today } from './zone.ts';

const names = new Intl.DateTimeFormat(lang === 'es' ? 'es-ES' : 'en-US', { month: 'long', timeZone: 'UTC' });
const monthNames = Array.from({ length: 12 }, (_, m) => names.format(Date.UTC(2026, m, 15)));
const shownYears = 10;

/** A field for a month in the format of files, such as 2027-05. */
export function MonthField(p: FieldProps<string>) {
  const [year = '', month = ''] = (p.value ?? '').split('-');
  const first = today().year;
  const years = [
    ...new Set([...(year ? [year] : []), ...Array.from({ length: shownYears }, (_, i) => String(first + i))]),
  ];
  const set = (y: string, m: string): void => p.set(y || m ? `${y}-${m}` : undefined);
  const half = Boolean(p.value) && !(year && month);
  return (
    <FieldFrame props={p} problem={half ? say('not_month') : (p.check?.(p.value) ?? '')}>
      {({ readOnly, ...a }) => (
        <span class="row">
          <select
            {...a}
            class={`select ${readOnly ? 'readonly' : ''}`}
            disabled={readOnly}
            value={month}
            onChange={(e) => set(e.currentTarget.value && year === '' ? String(first) : year, e.currentTarget.value)}
          >
            <option value="">{say('month')}</option>
            {monthNames.map((name, i) => (
              <option key={name} value={String(i + 1).padStart(2, '0')}>
                {name}
              </option>
            ))}
          </select>
          <select
            class={`select ${readOnly ? 'readonly' : ''}`}
            aria-label={`${p.label}: ${say('year')}`}
            disabled={readOnly}
            value={year}
            onChange={(e) => set(e.currentTarget.value, e.currentTarget.value ? month : '')}
          >
            <option value="">{say('year')}</option>
            {years.toSorted().map((y) => (
              <option key={y} value={y}>
                {y}
              </option>
            ))}
          </select>
        </span>
      )}
    </FieldFrame>
  );
}
