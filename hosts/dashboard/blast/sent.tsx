// What was sent before, as it was written, with what became of it.
import { useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { read } from '../../site/scripts/operator.ts';
import { query, useReading } from '../reading.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Shown } from '../ui/notice.tsx';
import { count, moment } from '../words.ts';
import { say } from './words.ts';

type News = Schema['SentNews'];
export type Message = News['sent'][number];

interface Props {
  readonly slug: string;
  readonly category: Message['category'];
  /** Something is written that would be replaced. */
  readonly over: boolean;
  readonly take: (message: Message) => void;
}

export function Sent({ slug, category, over, take }: Props) {
  const [older, setOlder] = useState<readonly News[]>([]);
  const [asked, setAsked] = useState<Message | null>(null);
  const again = (message: Message): void => {
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
      <Shown reading={useReading<News>(query('/admin/broadcast/sent', { campaignSlug: slug }))}>
        {(first) => {
          const pages = [first, ...older];
          const all = pages.flatMap((p) => p.sent).filter((m) => m.category === category);
          const next = pages.at(-1)?.next ?? 0;
          const more = async (): Promise<void> => setOlder([...older, await read<News>(query('/admin/broadcast/sent', { campaignSlug: slug, cursor: next }))]);
          return (
            <>
              {all.length ? all.map((m) => <One key={m.n} of={m} again={again} />) : <p>{say('none_sent')}</p>}
              {next ? <Button quiet task={more}>{say('more_sent')}</Button> : null}
            </>
          );
        }}
      </Shown>
      {asked ? (
        <Dialog title={say('use_title')} close={() => setAsked(null)}>
          <p>{say('use_what')}</p>
          <div class="row"><button type="button" onClick={() => again(asked)}>{say('use_again')}</button></div>
        </Dialog>
      ) : null}
    </section>
  );
}

function One({ of, again }: { of: Message; again: (message: Message) => void }) {
  return (
    <details class="sent">
      <summary>{of.subject} <Badge>{say(`phase_${of.phase}`)}</Badge> <span class="hint">{moment(of.sentAt)}</span></summary>
      <p class="small">{[say('recipients', { count: of.recipientCount }), ...Object.entries(of.states).map(([state, n]) => `${say(`state_${state as 'accepted'}`)}: ${count(n)}`)].join(' · ')}</p>
      <div class="sheet written">{of.body}</div>
      {of.ctaLabel ? <dl><dt>{say('label')}</dt><dd>{of.ctaLabel}</dd><dt>{say('url')}</dt><dd><code>{of.ctaUrl}</code></dd></dl> : null}
      <p><button type="button" class="quiet small-button" onClick={() => again(of)}>{say('use_again')}</button></p>
    </details>
  );
}
