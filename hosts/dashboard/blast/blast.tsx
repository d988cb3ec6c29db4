// The editor for emails to a campaign's supporters: a shared draft, a recipient count before
// sending, and the delivery status after it.
import { useEffect, useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { APIError } from '../../site/scripts/api.ts';
import type { Summary } from '../campaigns/summary.ts';
import { change, newChangeID } from '../changes.ts';
import { query, refresh, refreshPrefix, useResource } from '../resources.ts';
import { route, setFilters } from '../router.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Form, TextField } from '../ui/form.tsx';
import { Notice, ResourceView } from '../ui/notice.tsx';
import { lang, moment } from '../words.ts';
import { BroadcastProgress } from './sending.tsx';
import { type Message, SentBroadcasts } from './sent.tsx';
import { say } from './words.ts';

type Draft = Schema['Draft'];

type Surface = Schema['DraftRequest']['surface'];

/** The API route that sends each kind of email. */
const routes: Readonly<Record<Surface, string>> = {
  blast: '/admin/broadcast/blast',
  marketing: '/admin/marketing/announcement',
};

export default function Blast({ campaign }: { campaign: Summary }) {
  return <BroadcastEditor campaign={campaign} surface="blast" what={say('what')} />;
}

interface Props {
  readonly campaign: Summary;
  readonly surface: Surface;
  readonly what: string;
}

/** A broadcast and its draft, which all operators of the campaign share. */
export function BroadcastEditor(props: Props) {
  const path = query('/admin/marketing/draft', { campaignSlug: props.campaign.campaignSlug, surface: props.surface });
  const [taken, setTaken] = useState(0);
  const take = async (): Promise<void> => {
    await refresh(path);
    setTaken(taken + 1);
  };
  return (
    <ResourceView resource={useResource<Draft>(path)}>
      {(draft) => <DraftForm key={taken} {...props} draft={draft} path={path} take={take} />}
    </ResourceView>
  );
}

function DraftForm({
  campaign,
  surface,
  what,
  draft,
  path,
  take: takeTheirs,
}: Props & { draft: Draft; path: string; take: () => Promise<void> }) {
  const [subject, setSubject] = useState(draft.subject);
  const [body, setBody] = useState(draft.body);
  const [label, setLabel] = useState(draft.ctaLabel);
  const [url, setUrl] = useState(draft.ctaUrl);
  const [revision, setRevision] = useState(draft.revision);
  const [theirs, setTheirs] = useState(false);
  const [counted, setCounted] = useState<Schema['Broadcasting'] | null>(null);
  const [tested, setTested] = useState('');
  const sent = route.value.filters.broadcast; // in the URL, so that the pause button is still there after a reload or for a colleague
  const campaignSlug = campaign.campaignSlug;
  const message = { campaignSlug, subject, body, ...(label || url ? { ctaLabel: label, ctaUrl: url } : {}) };
  const unsaved = subject !== draft.subject || body !== draft.body || label !== draft.ctaLabel || url !== draft.ctaUrl;
  useEffect(() => {
    setCounted(null);
    setTested('');
  }, [subject, body, label, url]); // the count and the test were for another text
  const save = async (over: string): Promise<void> => {
    try {
      const saved = await change<Draft>('/admin/marketing/draft', {
        campaignSlug,
        surface,
        revision: over,
        subject,
        body,
        ctaLabel: label,
        ctaUrl: url,
      } satisfies Schema['DraftRequest']);
      setRevision(saved.revision);
      setTheirs(false);
      await refresh(path);
    } catch (error) {
      if (error instanceof APIError && error.status === 409) setTheirs(true);
      throw error;
    }
  };
  const count = async (): Promise<void> =>
    setCounted(
      await change<Schema['Broadcasting']>(routes[surface], {
        ...message,
        dryRun: true,
      } satisfies Schema['NewsRequest']),
    );
  const test = async (): Promise<void> => {
    const { email } = await change<Schema['NewsTested']>('/admin/broadcast/test', {
      ...message,
      preferredLang: lang,
      changeId: newChangeID(),
    } satisfies Schema['NewsTestRequest']);
    setTested(email);
  };
  const take = (from: Message): void => {
    setSubject(from.subject);
    setBody(from.body);
    setLabel(from.ctaLabel);
    setUrl(from.ctaUrl);
  };
  const send = async (): Promise<void> => {
    const launched = await change<Schema['Broadcasting']>(routes[surface], {
      ...message,
      hash: counted?.hash ?? '',
    } satisfies Schema['NewsRequest']);
    setCounted(null);
    refreshPrefix('/admin/broadcast/sent');
    setFilters({ broadcast: launched.broadcast?.id ?? '' });
  };
  return (
    <>
      <p>{what}</p>
      {sent ? <BroadcastProgress id={sent} /> : null}
      <Form
        task={count}
        submitLabel={say('count')}
        actions={
          <>
            <Button quiet disabled={!unsaved} task={() => save(revision)}>
              {say('save')}
            </Button>
            <Button quiet disabled={!subject || !body} task={test}>
              {say('test')}
            </Button>
          </>
        }
      >
        {(errorOf: (field: string) => string) => (
          <>
            <TextField
              label={say('subject')}
              value={subject}
              set={setSubject}
              required
              max={200}
              error={errorOf('subject')}
            />
            <TextField
              label={say('body')}
              help={say('body_help')}
              value={body}
              set={setBody}
              long
              required
              error={errorOf('body')}
            />
            <TextField label={say('label')} value={label} set={setLabel} max={60} error={errorOf('ctaLabel')} />
            <TextField label={say('url')} help={say('url_help')} value={url} set={setUrl} error={errorOf('ctaUrl')} />
          </>
        )}
      </Form>
      <p class="small" role="status">
        {unsaved ? say('unsaved') : draft.savedAt ? say('saved', { time: moment(draft.savedAt) }) : ''}
      </p>
      {tested ? <p role="status">{say('tested', { email: tested })}</p> : null}
      {theirs ? (
        <Notice tone="warn">
          <p>{say('theirs')}</p>
          <div class="row">
            <Button quiet task={takeTheirs}>
              {say('take')}
            </Button>
          </div>
        </Notice>
      ) : null}
      <SentBroadcasts
        slug={campaignSlug}
        category={surface === 'blast' ? 'blast' : 'announcement'}
        over={Boolean(subject || body)}
        take={take}
      />
      {counted ? (
        <Dialog title={say('send_title', { count: counted.recipientCount })} close={() => setCounted(null)}>
          <p>
            <strong>{subject}</strong>
          </p>
          <p>{say('send_what')}</p>
          {counted.recipientCount ? (
            <Form task={send} submitLabel={say('send', { count: counted.recipientCount })} />
          ) : (
            <Notice>{say('nobody')}</Notice>
          )}
        </Dialog>
      ) : null}
    </>
  );
}
