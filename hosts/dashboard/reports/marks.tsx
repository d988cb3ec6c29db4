// What became of marks: said at once, with why some are refused.
import type { Schema } from '../../site/scripts/api.ts';
import { change, identity } from '../changing.ts';
import { Badge, type Tone } from '../ui/badge.tsx';
import { Note } from '../ui/notice.tsx';
import { say } from './parcelwords.ts';

export type Result = Schema['Marked']['results'][number];
export type Mark = Schema['MarkRequest']['marks'][number];
export type Status = Mark['status'];

export const statuses = ['to_pack', 'packed', 'sent'] as const;

const tones: Readonly<Record<Status, Tone>> = { to_pack: 'warn', packed: '', sent: 'good' };

export const ParcelStatus = ({ of }: { of: Status }) => <Badge tone={tones[of]}>{say(of)}</Badge>;

/** Marks parcels of a campaign, each once. */
export async function mark(slug: string, marks: readonly Mark[], notify: boolean): Promise<readonly Result[]> {
  const request: Schema['MarkRequest'] = { campaignSlug: slug, changeId: identity(), marks: [...marks], notify };
  return (await change<Schema['Marked']>('/admin/fulfilment/mark', request)).results;
}

export function Outcome({ results }: { results: readonly Result[] | null }) {
  if (!results) return <div role="status" />;
  const of = (outcome: Result['outcome']): readonly Result[] => results.filter((r) => r.outcome === outcome);
  const [marked, unchanged, refused] = [of('marked'), of('unchanged'), of('refused')];
  return (
    <div role="status">
      <Note tone={refused.length ? 'warn' : 'good'}>
        <p>{say('marked', { count: marked.length })} {unchanged.length ? say('unchanged', { count: unchanged.length }) : ''} {refused.length ? say('refused', { count: refused.length }) : ''}</p>
        {refused.length ? <ul>{refused.map((r) => <li key={r.orderId}>{r.orderId}: {r.problem?.error}</li>)}</ul> : null}
      </Note>
    </div>
  );
}
