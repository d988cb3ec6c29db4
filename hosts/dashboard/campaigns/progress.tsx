// The chart of a campaign's daily pledges toward its goal. Large campaigns are read in pages.
import { useEffect, useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { query, useResource } from '../resources.ts';
import { hasPermission } from '../session.ts';
import { Chart, type Day } from '../ui/chart.tsx';
import type { Summary } from './summary.ts';
import { say } from './words.ts';

const pageSize = 5000;

export function Progress({ campaign }: { campaign: Summary }) {
  return hasPermission('money') && campaign.pledgeCount > 0 ? (
    <ProgressChart key={campaign.campaignSlug} campaign={campaign} />
  ) : null;
}

function ProgressChart({ campaign }: { campaign: Summary }) {
  const [parts, setParts] = useState<ReadonlyMap<number, readonly Day[]>>(new Map());
  const [cursor, setCursor] = useState(0);
  const { value } = useResource<Schema['Analytics']>(
    query(`/admin/analytics/${campaign.campaignSlug}`, { limit: pageSize, cursor }),
  );
  useEffect(() => {
    if (!value) return;
    setParts((existing) =>
      new Map(existing).set(
        cursor,
        value.progress.map((p) => ({ day: p.day, sum: p.counted })),
      ),
    );
    if (value.next) setCursor(value.next);
  }, [value]);
  const sums = new Map<string, number>();
  for (const d of [...parts.values()].flat()) sums.set(d.day, (sums.get(d.day) ?? 0) + d.sum);
  return (
    <Chart
      title={say('progress_of', { title: campaign.campaignTitle })}
      days={[...sums].map(([day, sum]) => ({ day, sum }))}
      goal={campaign.goalAmount}
    />
  );
}
