// The editor of a message: its audience and words, a preview, a test, and the confirmation.
import { Mail } from 'lucide-preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { APIError } from '../../site/scripts/api.ts';
import type { Summary } from '../campaigns/summary.ts';
import { change, newChangeID } from '../changes.ts';
import { refreshPrefix } from '../resources.ts';
import { now } from '../session.ts';
import { Button, useTask } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Form, TextField } from '../ui/form.tsx';
import { Icon } from '../ui/icon.tsx';
import { ErrorMessage, Notice } from '../ui/notice.tsx';
import { toast } from '../ui/toast.tsx';
import { lang } from '../words.ts';
import { asRequested, isEveryone } from './audience.ts';
import { AudienceField, useReach } from './audience.tsx';
import { Checks } from './beforesending.tsx';
import { BodyField } from './body.tsx';
import { Confirm, type Counted } from './confirm.tsx';
import { LinkField } from './linkfield.tsx';
import { type Content, contentOf, isEmpty, isSame, type Message, noContent } from './message.ts';
import { MailPreview, type RequestedWords, useMail } from './preview.tsx';
import { type Draft, type Surface, useSharedDraft } from './shareddraft.ts';
import { say } from './words.ts';

/** The API route that sends each kind of message. */
const routes: Readonly<Record<Surface, string>> = {
  blast: '/admin/broadcast/blast',
  marketing: '/admin/marketing/announcement',
};

interface Props {
  readonly campaign: Summary;
  readonly surface: Surface;
  readonly category: Message['category'];
  /** The API path of the draft. */
  readonly path: string;
  readonly draft: Draft;
  /** A sent message to start from. */
  readonly reused: Content | null;
  /** Called once the message is being sent. */
  readonly sent: () => void;
}

export function Composer({ campaign, surface, category, path, draft, reused, sent }: Props) {
  const slug = campaign.campaignSlug;
  const [content, setContent] = useState<Content>(contentOf(draft));
  const [testedAt, setTestedAt] = useState('');
  const [replacing, setReplacing] = useState<Content | null>(null);
  const saved = useSharedDraft(slug, surface, path, draft, content);
  const subject = useRef<HTMLDivElement>(null);
  const { audience, ctaLabel, ctaUrl, ...text } = content;
  const words = { ...text, ...(ctaLabel || ctaUrl ? { ctaLabel, ctaUrl } : {}) };
  const complete = Boolean(text.subject.trim() && text.body.trim());
  const mail = useMail(slug, words, complete);
  const reach = useReach(slug, audience);
  const sending = useSending(routes[surface], { campaignSlug: slug, ...words, audience });
  const set = (changed: Partial<Content>): void => {
    setContent({ ...content, ...changed });
    setTestedAt(''); // the test had a different text
  };
  const take = (from: Content): void => {
    set(from);
    setReplacing(null);
    queueMicrotask(() => subject.current?.querySelector('input')?.focus());
  };
  useEffect(() => {
    if (!reused) return;
    if (isEmpty(content) || isSame(content, reused)) take(reused);
    else setReplacing(reused);
  }, [reused]);
  const test = async (): Promise<void> => {
    const { email } = await change<Schema['NewsTested']>('/admin/broadcast/test', {
      campaignSlug: slug,
      ...words,
      preferredLang: lang,
      changeId: newChangeID(),
    } satisfies Schema['NewsTestRequest']);
    setTestedAt(new Date(now()).toISOString());
    toast(say('tested', { email }));
  };
  const send = async (): Promise<void> => {
    await sending.send();
    setContent(noContent);
    setTestedAt('');
    await saved.clear();
    refreshPrefix('/admin/broadcast/sent');
    sent();
  };
  const incomplete = complete ? false : say('incomplete');
  return (
    <>
      <div class="cols with-preview">
        <div class="stack g6" onFocusOut={() => void saved.save()}>
          <section class="card fsec" aria-label={say('audience')}>
            <AudienceField
              slug={slug}
              reach={reach}
              audience={audience}
              set={(next) => set({ audience: next })}
              error={sending.errorOf('audience')}
            />
            <div ref={subject}>
              <TextField
                label={say('subject')}
                {...(text.subject ? { hint: say('subject_hint', { count: [...text.subject].length }) } : {})}
                value={text.subject}
                set={(value) => set({ subject: value })}
                required
                error={sending.errorOf('subject')}
              />
            </div>
          </section>
          <section class="card fsec" aria-label={say('body')}>
            <BodyField
              slug={slug}
              value={text.body}
              set={(body) => set({ body })}
              error={sending.errorOf('body') || sending.errorOf('content')}
            />
            <div class="grid2">
              <TextField
                label={say('label')}
                note={say('optional')}
                value={ctaLabel}
                set={(value) => set({ ctaLabel: value })}
                max={60}
                error={sending.errorOf('label')}
              />
              <LinkField value={ctaUrl} set={(value) => set({ ctaUrl: value })} error={sending.errorOf('url')} />
            </div>
          </section>
          <section class="card fsec" aria-label={say('before_sending')}>
            <header>
              <h2>{say('before_sending')}</h2>
            </header>
            <Checks slug={slug} category={category} words={content} testedAt={testedAt} />
          </section>
        </div>
        <MailPreview mail={mail} complete={complete} />
      </div>
      {saved.conflict ? (
        <Notice
          tone="warn"
          action={
            <Button small task={async () => take(await saved.takeTheirs())}>
              {say('take')}
            </Button>
          }
        >
          <b>{say('theirs')}</b>
          <p class="small">{say('theirs_what')}</p>
        </Notice>
      ) : null}
      {sending.error ? <ErrorMessage error={sending.error} /> : null}
      <div class="savebar" role="region" aria-label={say('draft')}>
        <div class="state">
          <span class="pulse" aria-hidden="true" />
          <span role="status">
            {say('draft')} <small>{saved.state}</small>
            {complete ? null : <small class="block">{say('incomplete')}</small>}
          </span>
        </div>
        <span class="grow desk" />
        <Button task={test} disabled={incomplete}>
          <Icon of={Mail} />
          {say('test')}
        </Button>
        <Button kind="primary" task={sending.count} disabled={incomplete}>
          {say('review')}
        </Button>
      </div>
      {sending.counted ? (
        <Confirm
          counted={sending.counted}
          slug={slug}
          category={category}
          content={content}
          from={mail.value?.from ?? ''}
          rewardNames={reach.value?.rewardNames}
          testedAt={testedAt}
          send={send}
          close={sending.close}
        />
      ) : null}
      {replacing ? (
        <Dialog title={say('use_title')} close={() => setReplacing(null)}>
          <Form dialog task={async () => take(replacing)} submitLabel={say('use_go')}>
            <p>{say('use_what')}</p>
          </Form>
        </Dialog>
      ) : null}
    </>
  );
}

type Request = RequestedWords & Pick<Content, 'audience'> & { readonly campaignSlug: string };

/** The dry run of a message, and the sending of exactly the message that was counted. */
function useSending(route: string, message: Request) {
  const [counted, setCounted] = useState<Counted | null>(null);
  const id = useRef(newChangeID()); // a message that is accidentally sent twice has the same ID
  const counting = useTask();
  const current = JSON.stringify(message);
  const [refused, setRefused] = useState(''); // the message that the error refers to
  const post = (more: Partial<Schema['NewsRequest']>): Promise<Counted> => {
    const { audience, ...words } = message;
    return change<Counted>(route, {
      ...words,
      ...(isEveryone(audience) ? {} : { audience: asRequested(audience) }),
      changeId: id.current,
      ...more,
    } satisfies Schema['NewsRequest']);
  };
  /** Counts the recipients. A message with the subject of an earlier one is counted as a resend. */
  const dryRun = async (): Promise<void> => {
    const first = await post({ dryRun: true });
    setCounted(first.earlier ? await post({ dryRun: true, resend: true }) : first);
  };
  const send = async (): Promise<void> => {
    if (!counted) return;
    try {
      await post({ hash: counted.hash ?? '', ...(counted.earlier ? { resend: true } : {}) });
    } catch (error) {
      if (error instanceof APIError && error.status === 409) await dryRun(); // refresh the figures in the dialog
      throw error;
    }
    id.current = newChangeID();
    setCounted(null);
  };
  const count = (): Promise<boolean> => {
    setRefused(current);
    return counting.run(dryRun);
  };
  const error = refused === current ? counting.error : null; // an edited message may be valid
  return {
    counted,
    error,
    /** Returns the server's error for a field or for one of its entries. */
    errorOf: (field: string): string =>
      error instanceof APIError && error.problem.field?.startsWith(field) ? error.problem.error : '',
    count,
    send,
    close: () => setCounted(null),
  };
}
