// A small line without axes, which shows only a trend. The figures next to it contain the same
// information.

const width = 160;
const height = 40;
const pad = 3;

/** A sparkline of a running total. It draws nothing for fewer than two values. */
export function Spark({ values }: { values: readonly number[] }) {
  const low = Math.min(...values);
  const range = Math.max(...values) - low;
  if (values.length < 2 || range <= 0) return null;
  const points = values.map((v, i) => {
    const x = (i / (values.length - 1)) * width;
    const y = height - pad - ((v - low) / range) * (height - 2 * pad);
    return `${x.toFixed(1)} ${y.toFixed(1)}`;
  });
  const line = `M${points.join('L')}`;
  return (
    <svg class="spark" viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
      <path class="a" d={`${line}L${width} ${height}L0 ${height}z`} />
      <path d={line} />
    </svg>
  );
}
