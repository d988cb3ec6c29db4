// A mail to a campaign's supporters: written together, counted before it is sent, and
// watched until everybody has it.
import { useEffect, useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { Refused } from '../../site/scripts/api.ts';
import type { Summary } from '../campaigns/summary.ts';
import { change, identity } from '../changing.ts';
import { filter, place } from '../place.ts';
import { query, refresh, stale, useReading } from '../reading.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Form, Text } from '../ui/form.tsx';
import { Note, Shown } from '../ui/notice.tsx';
import { lang, moment } from '../words.ts';
import { Sending } from './sending.tsx';
import { Sent, type Message } from './sent.tsx';
import { say } from './words.ts';

type Draft = Schema['Draft'];

type Surface = Schema['DraftRequest']['surface'];

/** Where each kind of mail is sent. */
const routes: Readonly<Record<Surface, string>> = { blast: '/admin/broadcast/blast', marketing: '/admin/marketing/announcement' };

export default function Blast({ of }: { of: Summary }) {
  return <Writing of={of} surface="blast" what={say('what')} />;
}

interface Props {
  readonly of: Summary;
  readonly surface: Surface;
  readonly what: string;
}

/** A mail to many and its draft, which all who may write for the campaign share. */
export function Writing(props: Props) {
  const path = query('/admin/marketing/draft', { campaignSlug: props.of.campaignSlug, surface: props.surface });
  const [taken, setTaken] = useState(0);
  const take = async (): Promise<void> => {
    await refresh(path);
    setTaken(taken + 1);
  };
  return <Shown reading={useReading<Draft>(path)}>{(draft) => <Letter key={taken} {...props} draft={draft} path={path} take={take} />}</Shown>;
}

function Letter({ of, surface, what, draft, path, take: takeTheirs }: Props & { draft: Draft; path: string; take: () => Promise<void> }) {
  const [subject, setSubject] = useState(draft.subject);
  const [body, setBody] = useState(draft.body);
  const [label, setLabel] = useState(draft.ctaLabel);
  const [url, setUrl] = useState(draft.ctaUrl);
  const [revision, setRevision] = useState(draft.revision);
  const [theirs, setTheirs] = useState(false);
  const [counted, setCounted] = useState<Schema['Broadcasting'] | null>(null);
  const [tested, setTested] = useState('');
  const sent = place.value.filters['broadcast']; // so that its brake is there after a reload, and for a colleague
  const campaignSlug = of.campaignSlug;
  const message = { campaignSlug, subject, body, ...(label || url ? { ctaLabel: label, ctaUrl: url } : {}) };
  const unsaved = subject !== draft.subject || body !== draft.body || label !== draft.ctaLabel || url !== draft.ctaUrl;
  useEffect(() => { setCounted(null); setTested(''); }, [subject, body, label, url]); // what was counted is another mail's
  const save = async (over: string): Promise<void> => {
    try {
      const saved = await change<Draft>('/admin/marketing/draft', { campaignSlug, surface, revision: over, subject, body, ctaLabel: label, ctaUrl: url } satisfies Schema['DraftRequest']);
      setRevision(saved.revision);
      setTheirs(false);
      await refresh(path);
    } catch (error) {
      if (error instanceof Refused && error.status === 409) setTheirs(true);
      throw error;
    }
  };
  const count = async (): Promise<void> => setCounted(await change<Schema['Broadcasting']>(routes[surface], { ...message, dryRun: true } satisfies Schema['NewsRequest']));
  const test = async (): Promise<void> => {
    const { email } = await change<Schema['NewsTested']>('/admin/broadcast/test', { ...message, preferredLang: lang, changeId: identity() } satisfies Schema['NewsTestRequest']);
    setTested(email);
  };
  const take = (from: Message): void => {
    setSubject(from.subject);
    setBody(from.body);
    setLabel(from.ctaLabel);
    setUrl(from.ctaUrl);
  };
  const send = async (): Promise<void> => {
    const launched = await change<Schema['Broadcasting']>(routes[surface], { ...message, hash: counted?.hash ?? '' } satisfies Schema['NewsRequest']);
    setCounted(null);
    stale('/admin/broadcast/sent');
    filter({ broadcast: launched.broadcast?.id ?? '' });
  };
  return (
    <>
      <p>{what}</p>
      {sent ? <Sending id={sent} /> : null}
      <Form task={count} send={say('count')} beside={<><Button quiet disabled={!unsaved} task={() => save(revision)}>{say('save')}</Button><Button quiet disabled={!subject || !body} task={test}>{say('test')}</Button></>}>
        {(wrong: (field: string) => string) => (
          <>
            <Text label={say('subject')} value={subject} set={setSubject} required max={200} wrong={wrong('subject')} />
            <Text label={say('body')} help={say('body_help')} value={body} set={setBody} long required wrong={wrong('body')} />
            <Text label={say('label')} value={label} set={setLabel} max={60} wrong={wrong('ctaLabel')} />
            <Text label={say('url')} help={say('url_help')} value={url} set={setUrl} wrong={wrong('ctaUrl')} />
          </>
        )}
      </Form>
      <p class="small" role="status">{unsaved ? say('unsaved') : draft.savedAt ? say('saved', { time: moment(draft.savedAt) }) : ''}</p>
      {tested ? <p role="status">{say('tested', { email: tested })}</p> : null}
      {theirs ? <Note tone="warn"><p>{say('theirs')}</p><div class="row"><Button quiet task={takeTheirs}>{say('take')}</Button></div></Note> : null}
      <Sent slug={campaignSlug} category={surface === 'blast' ? 'blast' : 'announcement'} over={Boolean(subject || body)} take={take} />
      {counted ? (
        <Dialog title={say('send_title', { count: counted.recipientCount })} close={() => setCounted(null)}>
          <p><strong>{subject}</strong></p>
          <p>{say('send_what')}</p>
          {counted.recipientCount ? <Form task={send} send={say('send', { count: counted.recipientCount })} /> : <Note>{say('nobody')}</Note>}
        </Dialog>
      ) : null}
    </>
  );
}
