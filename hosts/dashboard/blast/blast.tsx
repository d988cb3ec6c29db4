// The blast screen: a message to a campaign's supporters, and the messages that were sent.

import { useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { CampaignCrumb } from '../campaigns/crumb.tsx';
import type { Summary } from '../campaigns/summary.ts';
import { query, useResource } from '../resources.ts';
import { hrefTo, route, setFilters } from '../router.ts';
import { ResourceView } from '../ui/notice.tsx';
import { Page } from '../ui/page.tsx';
import { Composer } from './composer.tsx';
import { type Message, type Words, wordsOf } from './message.ts';
import { SentBroadcasts } from './sent.tsx';
import { say } from './words.ts';

type Surface = Schema['DraftRequest']['surface'];

export default function Blast({ campaign }: { campaign: Summary }) {
  return (
    <Page
      title={say('title')}
      crumb={<CampaignCrumb campaign={campaign} />}
      lede={say('lede', { title: campaign.campaignTitle })}
    >
      <BroadcastEditor campaign={campaign} surface="blast" />
    </Page>
  );
}

interface Props {
  readonly campaign: Summary;
  readonly surface: Surface;
  /** What the message is for, if the page does not say it. */
  readonly what?: string;
}

const categories: Readonly<Record<Surface, Message['category']>> = { blast: 'blast', marketing: 'announcement' };

/** The editor of a message and the list of sent ones, as two views of one screen. */
export function BroadcastEditor({ campaign, surface, what }: Props) {
  const slug = campaign.campaignSlug;
  const path = query('/admin/marketing/draft', { campaignSlug: slug, surface });
  const [reused, setReused] = useState<Words | null>(null);
  const { parts, filters } = route.value;
  const sent = filters.view === 'sent';
  const use = (message: Message): void => {
    setReused(wordsOf(message));
    setFilters({ view: '' });
  };
  return (
    <>
      {what ? <p class="soft">{what}</p> : null}
      <nav class="viewtabs broadcast-views" aria-label={say('views')}>
        <a href={hrefTo(parts, { ...filters, view: '' })} aria-current={sent ? undefined : 'page'}>
          {say('compose')}
        </a>
        <a href={hrefTo(parts, { ...filters, view: 'sent' })} aria-current={sent ? 'page' : undefined}>
          {say('sent')}
        </a>
      </nav>
      <div class="stack g6" hidden={sent}>
        <ResourceView resource={useResource<Schema['Draft']>(path)}>
          {(draft) => (
            <Composer
              campaign={campaign}
              surface={surface}
              category={categories[surface]}
              path={path}
              draft={draft}
              reused={reused}
            />
          )}
        </ResourceView>
      </div>
      {sent ? <SentBroadcasts slug={slug} category={categories[surface]} use={use} /> : null}
    </>
  );
}
