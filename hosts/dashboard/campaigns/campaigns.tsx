// The campaigns, and one of them with its parts.
import { place, to } from '../place.ts';
import { may, platform } from '../session.ts';
import { useCurrentInView } from '../ui/inview.ts';
import { Later } from '../ui/later.tsx';
import { Note, Shown } from '../ui/notice.tsx';
import { Create } from './create.tsx';
import { List } from './list.tsx';
import { Overview } from './overview.tsx';
import { Settled, State } from './state.tsx';
import { useSummaries, type Summary } from './summary.ts';
import { say } from './words.ts';

const edited = ['settings', 'content', 'tiers', 'support_items', 'add_ons', 'stretch_goals', 'ongoing_items', 'diary', 'decisions'] as const;

type PartName = 'overview' | (typeof edited)[number] | 'blast' | 'settlement';

const parts = (of: Summary): readonly PartName[] => ['overview', ...(may('content') && !of.archived ? edited : []), ...(may('mails') ? (['blast'] as const) : []), ...(platform() ? (['settlement'] as const) : [])];

export default function Campaigns() {
  const [, slug, part] = place.value.parts;
  const summaries = useSummaries();
  if (!slug) {
    return (
      <>
        <div class="row head-row"><h1>{say('title')}</h1>{platform() ? <Create /> : null}</div>
        <List />
      </>
    );
  }
  return (
    <Shown reading={summaries}>
      {({ campaigns }) => {
        const of = campaigns.find((c) => c.campaignSlug === slug);
        return of ? <One of={of} part={parts(of).find((p) => p === part) ?? 'overview'} /> : <Note tone="bad">{say('unknown', { slug })}</Note>;
      }}
    </Shown>
  );
}

function One({ of, part }: { of: Summary; part: PartName }) {
  const tabs = useCurrentInView(part);
  return (
    <>
      <p class="small"><a href={to(['campaigns'])}>← {say('all')}</a></p>
      <div class="row head-row"><h1>{of.campaignTitle}</h1><State of={of} /><Settled of={of} /></div>
      {parts(of).length > 1 ? <nav class="subtabs" aria-label={say('parts')}>
        <ul ref={tabs}>{parts(of).map((p) => <li key={p}><a href={to(['campaigns', of.campaignSlug, ...(p === 'overview' ? [] : [p])])} aria-current={p === part ? 'page' : undefined}>{say(`tab_${p}`)}</a></li>)}</ul>
      </nav> : null}
      <PartOf of={of} part={part} />
    </>
  );
}

function PartOf({ of, part }: { of: Summary; part: PartName }) {
  if (part === 'overview') return <Overview of={of} />;
  if (part === 'blast') return <Later key={of.campaignSlug} load={() => import('../blast/blast.tsx')} name="blast" props={{ of }} />;
  if (part !== 'settlement') return <Later key={of.campaignSlug} load={() => import('./edit.tsx')} name="edit" props={{ slug: of.campaignSlug, section: part }} />;
  return <Later key={of.campaignSlug} load={() => import('../settlement/settlement.tsx')} name="settlement" props={{ of }} />;
}
