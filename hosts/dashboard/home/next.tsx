// The card with the next scheduled events of the campaigns.
import { Picture } from '../campaigns/progress.tsx';
import { useSummaries } from '../campaigns/summary.ts';
import { clock } from '../campaigns/time.ts';
import { hrefTo } from '../router.ts';
import { isSuperAdmin, now } from '../session.ts';
import { Card } from '../ui/card.tsx';
import { daysAway, weekday } from '../words.ts';
import { type Event, scheduledEvents } from './next.ts';
import { say } from './words.ts';

const shown = 4; // events

export function NextCard() {
  const events = scheduledEvents(useSummaries(0).value?.campaigns ?? [], now()).slice(0, shown);
  return (
    <Card title={say('next')} flush>
      {events.length ? (
        <ul class="rows">
          {events.map((e) => (
            <EventItem key={`${e.kind} ${e.campaign.campaignSlug}`} event={e} />
          ))}
        </ul>
      ) : (
        <p class="in soft">{say('next_none')}</p>
      )}
    </Card>
  );
}

function EventItem({ event: { kind, at, campaign: c } }: { event: Event }) {
  const last = kind === 'ends' || kind === 'drops' ? at - 1000 : at; // the last second before it
  const money = kind === 'charges' || kind === 'drops';
  return (
    <li>
      <a
        class="row g3 grow plain-link event"
        href={hrefTo(['campaigns', c.campaignSlug, ...(money && isSuperAdmin() ? ['settlement'] : [])])}
      >
        <Picture campaign={c} />
        <span class="grow">
          <span class="block">
            <b>{c.campaignTitle}</b>{' '}
            <span class="soft">
              {kind === 'opens' || kind === 'ends' ? '' : '· '}
              {say(kind === 'charges' && c.status === 'live' ? 'next_charges_if' : `next_${kind}`)}
            </span>
          </span>
          <span class="small muted block">
            <span class="nowrap">
              {weekday(last)}, {clock(last)}
            </span>{' '}
            · <span class="nowrap">{daysAway(last)}</span>
          </span>
        </span>
      </a>
    </li>
  );
}
