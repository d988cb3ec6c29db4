// Draws a chart of daily amounts with uPlot. Loaded on demand by chart.tsx.
import uPlot from 'uplot';
import { compactPrice, day as dayName, lang, price } from '../words.ts';
import type { Estimate, Point } from './series.ts';
import { say } from './words.ts';

interface Plot {
  readonly points: readonly Point[];
  /** Whether to draw the running total as a line, or the sum of each day as a bar. */
  readonly kind: 'total' | 'days';
  readonly label: string;
  /** Cents; 0 draws no goal line. */
  readonly goal: number;
  /** The deadline's day; "" if the chart ends with its last point. */
  readonly until: string;
  readonly estimate: Estimate | undefined;
  /** Shows the point under the pointer, or none. */
  readonly hover: (point: Point | undefined, left: number, top: number) => void;
}

const seconds = (day: string): number => Date.parse(day) / 1000;
const dayOf = (at: number): string => new Date(at * 1000).toISOString().slice(0, 10);

/** Returns the color of a design token as a value that a canvas accepts. */
function colorOf(element: HTMLElement, token: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${token})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/**
 * Draws a chart into an element. The returned functions redraw it in the current colors and remove
 * it.
 */
export function drawPlot(element: HTMLElement, plot: Plot): { redraw: () => void; remove: () => void } {
  const color = (token: string) => (): string => colorOf(element, token);
  const { points, estimate, goal } = plot;
  const total = plot.kind === 'total';
  const today = points.at(-1)?.day ?? '';
  const projected = total && estimate && plot.until > today ? estimate : undefined;
  const last = total && plot.until > today ? plot.until : today;
  const xs = points.map((p) => seconds(p.day));
  const nothing = points.map(() => null);
  const fromToday = (end: number): (number | null)[] => [...nothing.slice(1), points.at(-1)?.total ?? 0, end];
  const divided = !total && points.some((p) => p.returning);
  const bar = (token: string): uPlot.Series => ({
    label: plot.label,
    fill: color(token),
    paths: uPlot.paths.bars?.({ size: [0.7, 28] }) ?? (() => null),
    points: { show: false },
  });
  const data: uPlot.AlignedData = projected
    ? [
        [...xs, seconds(last)],
        [...points.map((p) => p.total), null],
        fromToday(projected.high),
        fromToday(projected.low),
      ]
    : divided
      ? [xs, points.map((p) => p.sum), points.map((p) => p.returning ?? 0)]
      : [xs, points.map((p) => (total ? p.total : p.sum))];
  const highest = Math.max(...points.map((p) => (total ? p.total : p.sum)), total ? goal : 0, projected?.high ?? 0, 1);
  const font = `12px ${getComputedStyle(element).fontFamily}`;
  const dotted = { stroke: color('--accent'), width: 2, dash: [2, 5], points: { show: false } };
  const axis = { stroke: color('--text-3'), font, ticks: { show: false } };
  const edge = total ? 0 : 43_200; // half a day, which is half the width of a bar
  const noGrid = { show: false };
  const u = new uPlot(
    {
      width: element.clientWidth,
      height: heightOf(element),
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
      padding: [18, 26, 0, 0],
      scales: {
        x: {
          time: true,
          range: () => [seconds(points[0]?.day ?? today) - edge, Math.max(seconds(last), seconds(today) + 1) + edge],
        },
        y: { range: () => [0, total ? highest * 1.12 : topAmount(highest)] },
      },
      axes: [
        {
          ...axis,
          size: 32,
          gap: 8,
          grid: noGrid,
          splits: (self) => daySplits(self, points[0]?.day ?? today, today, last),
          values: (_, at) => at.map((t) => nameOf(dayOf(t), today, last)),
        },
        {
          ...axis,
          size: axisWidth,
          splits: () => amountSplits(highest, total ? highest * 1.12 : topAmount(highest)),
          values: (_, at) => at.map(compactPrice),
          grid: { stroke: color('--line'), width: 1 },
        },
      ],
      series: [
        {},
        total
          ? {
              label: plot.label,
              stroke: color('--accent'),
              width: 2.2,
              fill: color('--accent-soft'),
              points: { show: false },
            }
          : bar('--accent-fill'),
        ...(divided ? [bar('--accent-2')] : []), // over the lower part of the first bars
        ...(projected ? [dotted, dotted] : []),
      ],
      bands: projected ? [{ series: [2, 3], fill: () => colorOf(element, '--accent-soft') }] : [],
      hooks: {
        draw: [
          (self) =>
            total && drawMarks(self, (token) => colorOf(element, token), font, { ...plot, estimate: projected }),
        ],
        setCursor: [
          (self) => {
            const at = self.cursor.idx;
            const point = at === null || at === undefined || (self.cursor.left ?? -1) < 0 ? undefined : points[at];
            plot.hover(point, self.valToPos(seconds(point?.day ?? today), 'x'), self.cursor.top ?? 0);
          },
        ],
      },
    },
    data,
    element,
  );
  const resize = new ResizeObserver(() => u.setSize({ width: element.clientWidth, height: heightOf(element) }));
  resize.observe(element);
  return {
    redraw: () => u.redraw(),
    remove: () => {
      resize.disconnect();
      u.destroy();
    },
  };
}

const axisWidth = lang === 'es' ? 78 : 58; // pixels
const heightOf = (element: HTMLElement): number => (element.clientWidth < 480 ? 230 : 300);

const nameOf = (day: string, today: string, last: string): string =>
  day === today && today !== last ? say('today') : dayName(day);

/**
 * Returns the first day, today, the last day, and as many days in between as there is room for
 * labels.
 */
function daySplits(u: uPlot, first: string, today: string, last: string): number[] {
  const width = u.width - axisWidth;
  const [from, to] = [seconds(first), seconds(last)];
  const room = ((to - from) / Math.max(width, 1)) * 64; // the time span covered by the width of a label
  const splits = [from, to].filter((at, i) => i === 0 || at - from > room);
  const fits = (at: number): boolean => splits.every((s) => Math.abs(s - at) >= room);
  if (fits(seconds(today))) splits.push(seconds(today));
  const step = Math.max(1, Math.round((to - from) / 86_400 / 4)) * 86_400;
  for (let at = from + step; at < to; at += step) if (fits(at)) splits.push(at);
  return splits.sort((a, b) => a - b);
}

/** Returns a round amount in cents, about a quarter of the highest amount. */
function amountStep(highest: number): number {
  const rough = highest / 4;
  const size = 10 ** Math.floor(Math.log10(rough));
  return Math.max(100, size * ([1, 2, 2.5, 3, 4, 5, 10].find((n) => n * size >= rough) ?? 10));
}

/**
 * Returns the first round amount at or above the highest, so that a grid line is at the top of the
 * chart.
 */
const topAmount = (highest: number): number => Math.ceil(highest / amountStep(highest)) * amountStep(highest);

/** Returns about four round amounts, in cents, up to the top of the chart. */
const amountSplits = (highest: number, top: number): number[] =>
  Array.from({ length: Math.floor(top / amountStep(highest)) + 1 }, (_, i) => i * amountStep(highest));

/** Draws the goal line, the deadline, the estimate and the current time over the plot. */
function drawMarks(
  u: uPlot,
  color: (token: string) => string,
  font: string,
  { points, goal, until, estimate }: Plot,
): void {
  const { ctx, bbox } = u;
  const ratio = devicePixelRatio;
  const today = points.at(-1);
  if (!today) return;
  const right = bbox.left + bbox.width;
  ctx.save();
  ctx.font = font.replace('12px', `600 ${12 * ratio}px`);
  ctx.strokeStyle = color('--text-2');
  ctx.fillStyle = color('--text');
  ctx.lineWidth = ratio;
  ctx.setLineDash([4 * ratio, 4 * ratio]);
  const line = (x0: number, y0: number, x1: number, y1: number): void => {
    ctx.beginPath();
    ctx.moveTo(x0, y0);
    ctx.lineTo(x1, y1);
    ctx.stroke();
  };
  if (goal) {
    const y = u.valToPos(goal, 'y', true);
    line(bbox.left, y, right, y);
    ctx.textAlign = 'left';
    ctx.fillText(say('goal', { sum: price(goal) }), bbox.left + 6 * ratio, y - 6 * ratio);
  }
  if (until > today.day) line(right, bbox.top, right, bbox.top + bbox.height);
  if (estimate) {
    ctx.textAlign = 'right';
    const y = Math.max(u.valToPos(estimate.high, 'y', true) - 10 * ratio, 12 * ratio);
    const [low, high] = [compactPrice(estimate.low), compactPrice(estimate.high)];
    const words = low === high ? say('estimate_single', { sum: high }) : say('estimate', { low, high });
    ctx.fillText(words, right - 6 * ratio, y);
  }
  ctx.setLineDash([]);
  ctx.beginPath();
  ctx.arc(u.valToPos(seconds(today.day), 'x', true), u.valToPos(today.total, 'y', true), 6 * ratio, 0, 2 * Math.PI);
  ctx.fillStyle = color('--lamp');
  ctx.strokeStyle = color('--surface');
  ctx.lineWidth = 2 * ratio;
  ctx.fill();
  ctx.stroke();
  ctx.restore();
}
