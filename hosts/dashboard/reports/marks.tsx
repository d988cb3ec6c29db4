// Updates the status of parcels and shows the results, with the reasons for rejections.
import type { Schema } from '../../site/scripts/api.ts';
import { change, newChangeID } from '../changes.ts';
import { Badge, type Tone } from '../ui/badge.tsx';
import { Notice } from '../ui/notice.tsx';
import { say } from './parcelwords.ts';

export type Result = Schema['Marked']['results'][number];
export type ParcelUpdate = Schema['MarkRequest']['marks'][number];
export type Status = ParcelUpdate['status'];

export const statuses = ['to_pack', 'packed', 'sent'] as const;

const tones: Readonly<Record<Status, Tone>> = { to_pack: '', packed: 'info', sent: 'good' };

export const ParcelStatus = ({ status }: { status: Status }) => <Badge tone={tones[status]}>{say(status)}</Badge>;

/** Updates parcels of a campaign, and returns a result for each. */
export async function updateParcels(
  slug: string,
  marks: readonly ParcelUpdate[],
  notify: boolean,
): Promise<readonly Result[]> {
  const request: Schema['MarkRequest'] = { campaignSlug: slug, changeId: newChangeID(), marks: [...marks], notify };
  return (await change<Schema['Marked']>('/admin/fulfilment/mark', request)).results;
}

export function UpdateResults({ results }: { results: readonly Result[] | null }) {
  if (!results) return <div role="status" />;
  const withOutcome = (outcome: Result['outcome']): readonly Result[] => results.filter((r) => r.outcome === outcome);
  const [marked, unchanged, refused] = [withOutcome('marked'), withOutcome('unchanged'), withOutcome('refused')];
  return (
    <div role="status">
      <Notice tone={refused.length ? 'warn' : 'good'}>
        <p>
          {say('marked', { count: marked.length })}{' '}
          {unchanged.length ? say('unchanged', { count: unchanged.length }) : ''}{' '}
          {refused.length ? say('refused', { count: refused.length }) : ''}
        </p>
        {refused.length ? (
          <ul>
            {refused.map((r) => (
              <li key={r.orderId}>
                {r.orderId}: {r.problem?.error}
              </li>
            ))}
          </ul>
        ) : null}
      </Notice>
    </div>
  );
}
