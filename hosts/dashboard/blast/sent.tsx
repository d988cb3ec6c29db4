// Earlier broadcasts with their texts and delivery results.
import { useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { getWithSession } from '../../site/scripts/operator.ts';
import { query, useResource } from '../resources.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ResourceView } from '../ui/notice.tsx';
import { count, moment } from '../words.ts';
import { say } from './words.ts';

type News = Schema['SentNews'];
export type Message = News['sent'][number];

interface Props {
  readonly slug: string;
  readonly category: Message['category'];
  /** Set if the editor has text that copying a message would overwrite. */
  readonly over: boolean;
  readonly take: (message: Message) => void;
}

export function SentBroadcasts({ slug, category, over, take }: Props) {
  const [older, setOlder] = useState<readonly News[]>([]);
  const [asked, setAsked] = useState<Message | null>(null);
  const copyMessage = (message: Message): void => {
    if (over && !asked) {
      setAsked(message);
      return;
    }
    setAsked(null);
    take(message);
  };
  return (
    <section aria-labelledby="sent">
      <h2 id="sent">{say('sent')}</h2>
      <ResourceView resource={useResource<News>(query('/admin/broadcast/sent', { campaignSlug: slug }))}>
        {(first) => {
          const pages = [first, ...older];
          const all = pages.flatMap((p) => p.sent).filter((m) => m.category === category);
          const next = pages.at(-1)?.next ?? 0;
          const more = async (): Promise<void> =>
            setOlder([
              ...older,
              await getWithSession<News>(query('/admin/broadcast/sent', { campaignSlug: slug, cursor: next })),
            ]);
          return (
            <>
              {all.length ? (
                all.map((m) => <SentMessage key={m.n} message={m} useAgain={copyMessage} />)
              ) : (
                <p>{say('none_sent')}</p>
              )}
              {next ? (
                <Button quiet task={more}>
                  {say('more_sent')}
                </Button>
              ) : null}
            </>
          );
        }}
      </ResourceView>
      {asked ? (
        <Dialog title={say('use_title')} close={() => setAsked(null)}>
          <p>{say('use_what')}</p>
          <div class="row">
            <button type="button" onClick={() => copyMessage(asked)}>
              {say('use_again')}
            </button>
          </div>
        </Dialog>
      ) : null}
    </section>
  );
}

function SentMessage({ message, useAgain }: { message: Message; useAgain: (message: Message) => void }) {
  return (
    <details class="sent">
      <summary>
        {message.subject} <Badge>{say(`phase_${message.phase}`)}</Badge>{' '}
        <span class="hint">{moment(message.sentAt)}</span>
      </summary>
      <p class="small">
        {[
          say('recipients', { count: message.recipientCount }),
          ...Object.entries(message.states).map(([state, n]) => `${say(`state_${state as 'accepted'}`)}: ${count(n)}`),
        ].join(' · ')}
      </p>
      <div class="sheet written">{message.body}</div>
      {message.ctaLabel ? (
        <dl>
          <dt>{say('label')}</dt>
          <dd>{message.ctaLabel}</dd>
          <dt>{say('url')}</dt>
          <dd>
            <code>{message.ctaUrl}</code>
          </dd>
        </dl>
      ) : null}
      <p>
        <button type="button" class="quiet small-button" onClick={() => useAgain(message)}>
          {say('use_again')}
        </button>
      </p>
    </details>
  );
}
