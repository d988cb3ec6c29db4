// A chart of daily amounts toward a goal, with the same data as a table.
import { effect } from '@preact/signals';
import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks';
import { theme } from '../frame/theme.ts';
import { day as dayName, money, price } from '../words.ts';
import { drawPlot } from './plot.ts';
import { type Day, estimateTotal, type Point, runningTotals } from './series.ts';
import { say } from './words.ts';

interface Props {
  /** The chart's title, such as "Pledged over time". */
  readonly title: string;
  readonly days: readonly Day[];
  /** The first day; default is that of the oldest amount. */
  readonly from?: string;
  /** The last day with amounts, usually today. */
  readonly to: string;
  /** The deadline's day. If it is set, the total is estimated up to this day. */
  readonly until?: string;
  /** Cents; 0 draws no goal line. */
  readonly goal?: number;
  /** Whether to show running totals or the sum of each day. */
  readonly kind?: 'total' | 'days';
}

/** A line chart of running totals, or a bar chart of daily sums. The default export is for Lazy. */
export default function Chart({ title, days, from, to, until = '', goal = 0, kind = 'total' }: Props) {
  const [tableShown, showTable] = useState(false);
  const table = useId();
  const points = useMemo(() => runningTotals(days, from ?? firstDay(days) ?? to, to), [days, from, to]);
  const estimate = useMemo(() => (until > to ? estimateTotal(points, until) : undefined), [points, until, to]);
  const last = points.at(-1);
  if (!last) return null;
  const label = [
    say('shown', { title, sum: money(last.total), day: dayName(last.day) }),
    ...(goal ? [say('shown_goal', { sum: price(goal) })] : []),
    ...(estimate ? [say('shown_estimate', { low: price(estimate.low), high: price(estimate.high) })] : []),
  ].join(', ');
  return (
    <figure class="plotted">
      <Canvas points={points} kind={kind} label={label} goal={goal} until={until} estimate={estimate} />
      <figcaption class="row between wrap">
        <div class="legend">
          {estimate && kind === 'total' ? (
            <>
              <span>
                <i class="l" />
                {title}
              </span>
              <span>
                <i class="l dotted" />
                {say('estimate_legend')}
              </span>
            </>
          ) : null}
          {kind === 'days' && points.some((p) => p.returning) ? (
            <>
              <span>
                <i />
                {say('new_supporters')}
              </span>
              <span>
                <i class="second" />
                {say('returning')}
              </span>
            </>
          ) : null}
        </div>
        <button
          type="button"
          class="link small"
          aria-expanded={tableShown}
          aria-controls={table}
          onClick={() => showTable(!tableShown)}
        >
          {say(tableShown ? 'as_chart' : 'as_table')}
        </button>
      </figcaption>
      <div id={table}>{tableShown ? <DayTable title={title} points={points} /> : null}</div>
    </figure>
  );
}

const firstDay = (days: readonly Day[]): string | undefined => days.map((d) => d.day).toSorted()[0];

type Drawn = Omit<Parameters<typeof drawPlot>[1], 'hover'>;

interface Tip {
  readonly point: Point;
  readonly left: number;
  readonly top: number;
  readonly before: boolean; // to the left of the point, so that it is not cut off
}

function Canvas(plot: Drawn) {
  const element = useRef<HTMLDivElement>(null);
  const [tip, setTip] = useState<Tip>();
  useEffect(() => {
    const target = element.current;
    if (!target) return;
    const hover = (point: Point | undefined, left: number, top: number): void =>
      setTip(point && { point, left, top, before: left > target.clientWidth / 2 });
    const { redraw, remove } = drawPlot(target, { ...plot, hover });
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', redraw);
    const stop = effect(() => {
      if (theme.value) requestAnimationFrame(redraw);
    });
    void document.fonts.ready.then(redraw);
    return () => {
      stop();
      dark.removeEventListener('change', redraw);
      remove();
    };
  }, [plot.points, plot.kind, plot.goal, plot.until, plot.estimate]);
  return (
    <div class="plot">
      <div ref={element} role="img" aria-label={plot.label} />
      {tip ? (
        <div
          class={`plot-tip ${tip.before ? 'before' : ''}`}
          aria-hidden="true"
          style={{ '--x': `${tip.left}px`, '--y': `${tip.top}px` }}
        >
          <b>{dayName(tip.point.day)}</b>
          <span>
            {say('total')} {money(tip.point.total)}
          </span>
          <span class="muted">
            {say('that_day')} {money(tip.point.sum)}
          </span>
          {tip.point.returning ? (
            <span class="muted">
              {say('returning')} {money(tip.point.returning)}
            </span>
          ) : null}
        </div>
      ) : null}
    </div>
  );
}

const DayTable = ({ title, points }: { title: string; points: readonly Point[] }) => {
  const divided = points.some((p) => p.returning);
  return (
    <div class="tablewrap plot-table" tabIndex={0} role="region" aria-label={title}>
      <table class="table">
        <caption class="unseen">{title}</caption>
        <thead>
          <tr>
            <th scope="col">{say('day')}</th>
            <th scope="col" class="end">
              {say('that_day')}
            </th>
            {divided ? (
              <th scope="col" class="end">
                {say('returning')}
              </th>
            ) : null}
            <th scope="col" class="end">
              {say('total')}
            </th>
          </tr>
        </thead>
        <tbody>
          {points.map((p) => (
            <tr key={p.day}>
              <th scope="row">{dayName(p.day)}</th>
              <td class="end">{money(p.sum)}</td>
              {divided ? <td class="end">{money(p.returning ?? 0)}</td> : null}
              <td class="end">{money(p.total)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
};
