// The dialog that invites reviewers to preview a campaign that is not public.
import { useEffect, useState } from 'preact/hooks';
import { root, type Schema } from '../../site/scripts/api.ts';
import { change, newChangeID } from '../changes.ts';
import { query, refresh, useResource } from '../resources.ts';
import { session } from '../session.ts';
import { Copy } from '../ui/copy.tsx';
import { Dialog, DialogBody } from '../ui/dialog.tsx';
import { Form, TextField } from '../ui/form.tsx';
import { Notice, ResourceView } from '../ui/notice.tsx';
import { lang, moment } from '../words.ts';
import { say } from './reviewwords.ts';
import type { Summary } from './summary.ts';

type Opened = Schema['ContentFile'];
type List = Schema['PreviewReviewers'];
type Published = Schema['PreviewPublished'];

export default function SharePreview({
  campaign: { campaignSlug: slug },
  close,
}: {
  campaign: Summary;
  close: () => void;
}) {
  const file = query('/admin/content', { campaignSlug: slug });
  const list = `/admin/campaign-preview/${slug}/reviewers`;
  const opened = useResource<Opened>(file);
  const resource = useResource<List>(list);
  const reload = async (): Promise<void> => {
    await Promise.all([refresh(file), refresh(list)]);
  };
  return (
    <Dialog title={say('title')} close={close}>
      <ResourceView resource={opened}>
        {(o) => (
          <ResourceView resource={resource}>
            {(l) =>
              o.publishable ? (
                <InviteForm slug={slug} file={o} list={l} reload={reload} />
              ) : (
                <DialogBody>
                  <Notice>
                    <p>{say('unpublishable')}</p>
                  </Notice>
                </DialogBody>
              )
            }
          </ResourceView>
        )}
      </ResourceView>
    </Dialog>
  );
}

interface InviteProps {
  readonly slug: string;
  readonly file: Opened;
  readonly list: List;
  readonly reload: () => Promise<void>;
}

function InviteForm({ slug, file, list, reload }: InviteProps) {
  const others = list.emails.filter((e) => e !== session.value?.email);
  const [typed, setTyped] = useState<string | null>(null);
  const [made, setMade] = useState<Published | null>(null);
  // The dialog was opened before the form was rendered.
  useEffect(() => document.querySelector<HTMLElement>('dialog[open] .input')?.focus(), []);
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
  return (
    <Form dialog task={send} submitLabel={say('send')}>
      {(errorOf: (field: string) => string) => (
        <>
          <p>{say('what')}</p>
          {list.until ? (
            <p class="small muted">
              {others.length
                ? say('now', { who: others.join(', '), until: moment(list.until) })
                : say('only_you', { until: moment(list.until) })}{' '}
              <a href={`${root}/campaigns/${slug}/preview/`} target="_blank" rel="noopener">
                {say('open')}
              </a>
            </p>
          ) : null}
          <TextField
            label={say('reviewers')}
            hint={say('reviewers_help')}
            value={typed ?? others.join(', ')}
            set={setTyped}
            error={errorOf('reviewers') || firstAddressError(errorOf)}
          />
          <div role="status">
            {made ? (
              <Notice tone="good">
                <p>{made.reviewers.length ? say('sent', { count: made.reviewers.length }) : say('none_sent')}</p>
                <p>
                  {say('your_link')} <Copy text={made.link} />
                </p>
              </Notice>
            ) : null}
          </div>
        </>
      )}
    </Form>
  );
}

/** Returns the first error of an individual address. */
const firstAddressError = (errorOf: (field: string) => string): string =>
  Array.from({ length: 20 }, (_, i) => errorOf(`reviewers[${i}]`)).find(Boolean) ?? '';
