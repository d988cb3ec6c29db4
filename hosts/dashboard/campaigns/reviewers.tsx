// Invites reviewers to preview a campaign before it is published.
import { useState } from 'preact/hooks';
import { root, type Schema } from '../../site/scripts/api.ts';
import { change, newChangeID } from '../changes.ts';
import { query, refresh, useResource } from '../resources.ts';
import { session } from '../session.ts';
import { Copy } from '../ui/copy.tsx';
import { Form, TextField } from '../ui/form.tsx';
import { Notice, ResourceView } from '../ui/notice.tsx';
import { lang, moment } from '../words.ts';
import { say } from './reviewwords.ts';
import type { Summary } from './summary.ts';

type Opened = Schema['ContentFile'];
type List = Schema['PreviewReviewers'];
type Published = Schema['PreviewPublished'];

export default function Reviewers({ campaign }: { campaign: Summary }) {
  const file = query('/admin/content', { campaignSlug: campaign.campaignSlug });
  const list = `/admin/campaign-preview/${campaign.campaignSlug}/reviewers`;
  const opened = useResource<Opened>(file);
  const resource = useResource<List>(list);
  const reload = async (): Promise<void> => {
    await Promise.all([refresh(file), refresh(list)]);
  };
  return (
    <section aria-labelledby="reviewers">
      <h2 id="reviewers">{say('title')}</h2>
      <p>{say('what')}</p>
      <ResourceView resource={opened}>
        {(o) => (
          <ResourceView resource={resource}>
            {(l) => <InviteForm slug={campaign.campaignSlug} file={o} list={l} reload={reload} />}
          </ResourceView>
        )}
      </ResourceView>
    </section>
  );
}

function InviteForm({
  slug,
  file,
  list,
  reload,
}: {
  slug: string;
  file: Opened;
  list: List;
  reload: () => Promise<void>;
}) {
  const others = list.emails.filter((e) => e !== session.value?.email);
  const [typed, setTyped] = useState<string | null>(null);
  const [made, setMade] = useState<Published | null>(null);
  const send = async (): Promise<void> => {
    const reviewers = (typed ?? others.join(', ')).split(/[\s,;]+/).filter(Boolean);
    try {
      setMade(
        await change<Published>('/admin/campaign-preview/publish', {
          campaignSlug: slug,
          base: file.base,
          reviewers,
          preferredLang: lang,
          changeId: newChangeID(),
        } satisfies Schema['PreviewRequest']),
      );
      setTyped(null);
    } finally {
      await reload();
    }
  };
  if (!file.publishable) return <Notice>{say('unpublishable')}</Notice>;
  return (
    <>
      {list.until ? (
        <p>
          {others.length
            ? say('now', { who: others.join(', '), until: moment(list.until) })
            : say('only_you', { until: moment(list.until) })}{' '}
          <a href={`${root}/campaigns/${slug}/preview/`} target="_blank" rel="noopener">
            {say('open')}
          </a>
        </p>
      ) : null}
      <Form task={send} submitLabel={say('send')} quiet>
        {(errorOf: (field: string) => string) => (
          <TextField
            label={say('reviewers')}
            help={say('reviewers_help')}
            value={typed ?? others.join(', ')}
            set={setTyped}
            error={errorOf('reviewers') || firstAddressError(errorOf)}
          />
        )}
      </Form>
      {made ? (
        <div role="status">
          <Notice tone="good">
            <p>{made.reviewers.length ? say('sent', { count: made.reviewers.length }) : say('none_sent')}</p>
            <p>
              {say('your_link')} <Copy text={made.link} />
            </p>
          </Notice>
        </div>
      ) : null}
    </>
  );
}

/** Returns the first error of an individual address. */
const firstAddressError = (errorOf: (field: string) => string): string =>
  Array.from({ length: 20 }, (_, i) => errorOf(`reviewers[${i}]`)).find(Boolean) ?? '';
