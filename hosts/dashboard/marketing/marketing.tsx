// Telling of a campaign: links that say where somebody came from, codes to scan, frames for
// other sites, and news to its supporters.
import type { Summary } from '../campaigns/summary.ts';
import { OfCampaign } from '../campaigns/choose.tsx';
import { Writing } from '../blast/blast.tsx';
import { filter, place } from '../place.ts';
import { Frame } from './frame.tsx';
import { Link } from './link.tsx';
import { Referrals } from './referrals.tsx';
import { Stopped } from './stopped.tsx';
import { say } from './words.ts';

const parts = ['links', 'referrals', 'frame', 'announcement', 'stopped'] as const;

export default function Marketing() {
  const shown = parts.find((p) => p === place.value.filters['part']) ?? 'links';
  return (
    <>
      <h1>{say('title')}</h1>
      <OfCampaign>
        {(of) => (
          <>
            <nav class="subtabs" aria-label={say('title')}>
              <ul>{parts.map((p) => <li key={p}><a href={`#/marketing?${new URLSearchParams({ campaign: of.campaignSlug, part: p }).toString()}`} aria-current={p === shown ? 'page' : undefined} onClick={(e) => { e.preventDefault(); filter({ part: p, campaign: of.campaignSlug }); }}>{say(p)}</a></li>)}</ul>
            </nav>
            <Part key={`${of.campaignSlug} ${shown}`} part={shown} of={of} />
          </>
        )}
      </OfCampaign>
    </>
  );
}

function Part({ part, of }: { part: (typeof parts)[number]; of: Summary }) {
  switch (part) {
    case 'referrals':
      return <Referrals slug={of.campaignSlug} />;
    case 'frame':
      return <Frame slug={of.campaignSlug} />;
    case 'stopped':
      return <Stopped slug={of.campaignSlug} />;
    case 'announcement':
      return <Writing of={of} surface="marketing" what={say('announcement_what')} />;
    default:
      return <Link slug={of.campaignSlug} />;
  }
}
