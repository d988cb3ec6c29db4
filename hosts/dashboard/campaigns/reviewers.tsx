// Who may look at the campaign before everybody does.
import { useState } from 'preact/hooks';
import { root, type Schema } from '../../site/scripts/api.ts';
import { change, identity } from '../changing.ts';
import { query, refresh, useReading } from '../reading.ts';
import { session } from '../session.ts';
import { Copy } from '../ui/copy.tsx';
import { Form, Text } from '../ui/form.tsx';
import { Note, Shown } from '../ui/notice.tsx';
import { lang, moment } from '../words.ts';
import type { Summary } from './summary.ts';
import { say } from './reviewwords.ts';

type Opened = Schema['ContentFile'];
type List = Schema['PreviewReviewers'];
type Published = Schema['PreviewPublished'];

export default function Reviewers({ of }: { of: Summary }) {
  const file = query('/admin/content', { campaignSlug: of.campaignSlug });
  const list = `/admin/campaign-preview/${of.campaignSlug}/reviewers`;
  const opened = useReading<Opened>(file);
  const reading = useReading<List>(list);
  const again = async (): Promise<void> => {
    await Promise.all([refresh(file), refresh(list)]);
  };
  return (
    <section aria-labelledby="reviewers">
      <h2 id="reviewers">{say('title')}</h2>
      <p>{say('what')}</p>
      <Shown reading={opened}>{(o) => <Shown reading={reading}>{(l) => <Inviting slug={of.campaignSlug} file={o} list={l} again={again} />}</Shown>}</Shown>
    </section>
  );
}

function Inviting({ slug, file, list, again }: { slug: string; file: Opened; list: List; again: () => Promise<void> }) {
  const others = list.emails.filter((e) => e !== session.value?.email);
  const [typed, setTyped] = useState<string | null>(null);
  const [made, setMade] = useState<Published | null>(null);
  const send = async (): Promise<void> => {
    const reviewers = (typed ?? others.join(', ')).split(/[\s,;]+/).filter(Boolean);
    try {
      setMade(await change<Published>('/admin/campaign-preview/publish', { campaignSlug: slug, base: file.base, reviewers, preferredLang: lang, changeId: identity() } satisfies Schema['PreviewRequest']));
      setTyped(null);
    } finally {
      await again();
    }
  };
  if (!file.publishable) return <Note>{say('unpublishable')}</Note>;
  return (
    <>
      {list.until ? <p>{others.length ? say('now', { who: others.join(', '), until: moment(list.until) }) : say('only_you', { until: moment(list.until) })} <a href={`${root}/campaigns/${slug}/preview/`} target="_blank" rel="noopener">{say('open')}</a></p> : null}
      <Form task={send} send={say('send')} quiet>
        {(wrong: (field: string) => string) => <Text label={say('reviewers')} help={say('reviewers_help')} value={typed ?? others.join(', ')} set={setTyped} wrong={wrong('reviewers') || ofOne(wrong)} />}
      </Form>
      {made ? (
        <div role="status">
          <Note tone="good">
            <p>{made.reviewers.length ? say('sent', { count: made.reviewers.length }) : say('none_sent')}</p>
            <p>{say('your_link')} <Copy text={made.link} /></p>
          </Note>
        </div>
      ) : null}
    </>
  );
}

/** What is wrong with one of the addresses. */
const ofOne = (wrong: (field: string) => string): string => Array.from({ length: 20 }, (_, i) => wrong(`reviewers[${i}]`)).find(Boolean) ?? '';
