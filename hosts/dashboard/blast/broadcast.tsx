// The editor of a message to a campaign's supporters, and the sent messages.

import { useEffect, useRef, useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import type { Summary } from '../campaigns/summary.ts';
import { query, useResource } from '../resources.ts';
import { hrefTo, route, setFilters } from '../router.ts';
import { ResourceView } from '../ui/notice.tsx';
import { ViewTabs } from '../ui/viewtabs.tsx';
import { Composer } from './composer.tsx';
import { type Content, contentOf, type Message } from './message.ts';
import { SentBroadcasts } from './sent.tsx';
import type { Surface } from './shareddraft.ts';
import { say } from './words.ts';

interface Props {
  readonly campaign: Summary;
  readonly surface: Surface;
  /** The purpose of the message, for a screen with its own tabs. */
  readonly what?: string;
}

const categories: Readonly<Record<Surface, Message['category']>> = { blast: 'blast', marketing: 'announcement' };

const views = ['compose', 'sent'] as const;

/** The editor of a message and the list of sent ones, as two views of one screen. */
export default function BroadcastEditor({ campaign, surface, what }: Props) {
  const slug = campaign.campaignSlug;
  const path = query('/admin/marketing/draft', { campaignSlug: slug, surface });
  const [reused, setReused] = useState<Content | null>(null);
  const [sentNow, setSentNow] = useState(0); // number of messages sent from this page
  const results = useRef<HTMLDivElement>(null);
  const { parts, filters } = route.value;
  const view = filters.view === 'sent' ? 'sent' : 'compose';
  const hrefOf = (key: (typeof views)[number]): string =>
    hrefTo(parts, { ...filters, view: key === 'sent' ? 'sent' : '' });
  const use = (message: Message): void => {
    setReused(contentOf(message));
    setFilters({ view: '' });
  };
  useEffect(() => {
    if (sentNow) results.current?.focus();
  }, [sentNow]);
  return (
    <>
      {what ? (
        <div class="row between wrap">
          <p class="soft prose">{what}</p>
          <nav class="seg" aria-label={say('views')}>
            {views.map((key) => (
              <a key={key} href={hrefOf(key)} aria-current={key === view ? 'page' : undefined}>
                {say(key)}
              </a>
            ))}
          </nav>
        </div>
      ) : (
        <div class="screen-views">
          <ViewTabs
            label={say('views')}
            tabs={views.map((key) => ({ key, name: say(key) }))}
            current={view}
            href={hrefOf}
          />
        </div>
      )}
      <div class="stack g6" hidden={view === 'sent'}>
        <ResourceView resource={useResource<Schema['Draft']>(path)}>
          {(draft) => (
            <Composer
              campaign={campaign}
              surface={surface}
              category={categories[surface]}
              path={path}
              draft={draft}
              reused={reused}
              sent={() => {
                setFilters({ view: 'sent' });
                setSentNow(sentNow + 1);
              }}
            />
          )}
        </ResourceView>
      </div>
      {view === 'sent' ? (
        <div ref={results} class="stack g6" role="region" aria-label={say('sent')} tabIndex={-1}>
          <SentBroadcasts slug={slug} category={categories[surface]} use={use} />
        </div>
      ) : null}
    </>
  );
}
