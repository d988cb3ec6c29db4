// A line chart of a daily running total, with the same data as a table for screen readers.
import { day, money } from '../words.ts';
import { say } from './words.ts';

export interface Day {
  readonly day: string; // such as 2026-11-03
  readonly sum: number; // cents of that day
}

interface Props {
  readonly title: string;
  readonly days: readonly Day[];
  /** In cents; 0 draws no goal line. */
  readonly goal?: number;
}

const width = 720;
const height = 220;
const pad = { left: 76, right: 12, top: 14, bottom: 26 };

export function Chart({ title, days, goal = 0 }: Props) {
  const points = runningTotals(days);
  const last = points.at(-1);
  if (!last || points.length < 2) return null; // one point makes no line
  const highest = Math.max(last.total, goal) || 1;
  const first = Date.parse(points[0]?.day ?? last.day);
  const span = Math.max(Date.parse(last.day) - first, 86_400_000);
  const x = (iso: string): number => pad.left + ((Date.parse(iso) - first) / span) * (width - pad.left - pad.right);
  const y = (cents: number): number => height - pad.bottom - (cents / highest) * (height - pad.top - pad.bottom);
  const line = points.map((p, i) => `${i ? 'L' : 'M'}${x(p.day).toFixed(1)} ${y(p.total).toFixed(1)}`).join('');
  return (
    <figure class="chart">
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={`${title}: ${money(last.total)}`}>
        <line class="axis" x1={pad.left} x2={width - pad.right} y1={y(0)} y2={y(0)} />
        <text x={pad.left - 8} y={y(0) + 4} text-anchor="end">
          {money(0)}
        </text>
        <path
          class="area"
          d={`${line}L${x(last.day).toFixed(1)} ${y(0)}L${x(points[0]?.day ?? last.day).toFixed(1)} ${y(0)}Z`}
        />
        <path class="line" d={line} />
        {goal ? (
          <>
            <line class="goal" x1={pad.left} x2={width - pad.right} y1={y(goal)} y2={y(goal)} />
            <text x={pad.left - 8} y={y(goal) + 4} text-anchor="end">
              {money(goal)}
            </text>
          </>
        ) : null}
        <text x={pad.left} y={height - 6}>
          {day(points[0]?.day ?? last.day)}
        </text>
        <text x={width - pad.right} y={height - 6} text-anchor="end">
          {day(last.day)}
        </text>
      </svg>
      <details>
        <summary>{say('as_table')}</summary>
        <div class="table">
          <table>
            <caption class="unseen">{title}</caption>
            <thead>
              <tr>
                <th scope="col">{say('day')}</th>
                <th scope="col" class="number">
                  {say('sum')}
                </th>
                <th scope="col" class="number">
                  {say('so_far')}
                </th>
              </tr>
            </thead>
            <tbody>
              {points.map((p) => (
                <tr key={p.day}>
                  <th scope="row">{day(p.day)}</th>
                  <td class="number">{money(p.sum)}</td>
                  <td class="number">{money(p.total)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}

interface Point extends Day {
  readonly total: number;
}

/** Returns the days in order with their running totals. */
function runningTotals(days: readonly Day[]): readonly Point[] {
  let total = 0;
  return days
    .toSorted((a, b) => a.day.localeCompare(b.day))
    .map((d) => {
      total += d.sum;
      return { ...d, total };
    });
}
