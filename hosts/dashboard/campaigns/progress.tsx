// What a campaign was pledged day by day, toward its goal. Large campaigns come in parts.
import { useEffect, useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { query, useReading } from '../reading.ts';
import { may } from '../session.ts';
import { Chart, type Day } from '../ui/chart.tsx';
import type { Summary } from './summary.ts';
import { say } from './words.ts';

const part = 5000;

export function Progress({ of }: { of: Summary }) {
  return may('money') && of.pledgeCount > 0 ? <Drawn key={of.campaignSlug} of={of} /> : null;
}

function Drawn({ of }: { of: Summary }) {
  const [parts, setParts] = useState<ReadonlyMap<number, readonly Day[]>>(new Map());
  const [cursor, setCursor] = useState(0);
  const { value } = useReading<Schema['Analytics']>(query(`/admin/analytics/${of.campaignSlug}`, { limit: part, cursor }));
  useEffect(() => {
    if (!value) return;
    setParts((known) => new Map(known).set(cursor, value.progress.map((p) => ({ day: p.day, sum: p.counted }))));
    if (value.next) setCursor(value.next);
  }, [value]);
  const sums = new Map<string, number>();
  for (const d of [...parts.values()].flat()) sums.set(d.day, (sums.get(d.day) ?? 0) + d.sum);
  return <Chart title={say('progress_of', { title: of.campaignTitle })} days={[...sums].map(([day, sum]) => ({ day, sum }))} goal={of.goalAmount} />;
}
