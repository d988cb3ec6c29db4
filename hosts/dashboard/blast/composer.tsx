// The editor of a message: a draft that the campaign's operators share, a test, a recipient count
// and the confirmation.
import { Mail, Users } from 'lucide-preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { APIError } from '../../site/scripts/api.ts';
import { getWithSession } from '../../site/scripts/operator.ts';
import type { Summary } from '../campaigns/summary.ts';
import { change, newChangeID } from '../changes.ts';
import { refresh, refreshPrefix, useResource } from '../resources.ts';
import { setFilters } from '../router.ts';
import { now } from '../session.ts';
import { Button, useTask } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Checkbox, Form, LabelledField, TextField } from '../ui/form.tsx';
import { Icon } from '../ui/icon.tsx';
import { ErrorMessage, Notice } from '../ui/notice.tsx';
import { toast } from '../ui/toast.tsx';
import { lang, moment } from '../words.ts';
import { Checks } from './beforesending.tsx';
import { isEmpty, isSame, type Message, type News, noWords, sentPath, type Words, wordsOf } from './message.ts';
import { say } from './words.ts';

type Draft = Schema['Draft'];
type Counted = Schema['Broadcasting'];
type Surface = Schema['DraftRequest']['surface'];

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
  /** The words of a sent message to start from. */
  readonly reused: Words | null;
}

export function Composer({ campaign, surface, category, path, draft, reused }: Props) {
  const slug = campaign.campaignSlug;
  const [words, setWords] = useState<Words>(wordsOf(draft));
  const [counted, setCounted] = useState<Counted | null>(null);
  const [testedAt, setTestedAt] = useState('');
  const [replacing, setReplacing] = useState<Words | null>(null);
  const saved = useSharedDraft(slug, surface, path, draft, words);
  const review = useTask();
  const subject = useRef<HTMLDivElement>(null);
  const set = (changed: Partial<Words>): void => {
    setWords({ ...words, ...changed });
    setTestedAt(''); // the test was of another text
  };
  const take = (from: Words): void => {
    set(from);
    setReplacing(null);
    queueMicrotask(() => subject.current?.querySelector('input')?.focus());
  };
  useEffect(() => {
    if (!reused) return;
    if (isEmpty(words) || isSame(words, reused)) take(reused);
    else setReplacing(reused);
  }, [reused]);
  const { ctaLabel, ctaUrl, ...text } = words;
  const message = { campaignSlug: slug, ...text, ...(ctaLabel || ctaUrl ? { ctaLabel, ctaUrl } : {}) };
  const countRecipients = async (): Promise<void> =>
    setCounted(await change<Counted>(routes[surface], { ...message, dryRun: true } satisfies Schema['NewsRequest']));
  const test = async (): Promise<void> => {
    const { email } = await change<Schema['NewsTested']>('/admin/broadcast/test', {
      ...message,
      preferredLang: lang,
      changeId: newChangeID(),
    } satisfies Schema['NewsTestRequest']);
    setTestedAt(new Date(now()).toISOString());
    toast(say('tested', { email }));
  };
  const send = async (): Promise<void> => {
    await change<Counted>(routes[surface], {
      ...message,
      hash: counted?.hash ?? '',
    } satisfies Schema['NewsRequest']);
    setWords(noWords);
    setTestedAt('');
    await saved.clear();
    refreshPrefix('/admin/broadcast/sent');
    setCounted(null);
    setFilters({ view: 'sent' });
  };
  const errorOf = (field: string): string =>
    review.error instanceof APIError && review.error.problem.field === field ? review.error.problem.error : '';
  const incomplete = words.subject.trim() && words.body.trim() ? false : say('incomplete');
  return (
    <>
      <div class="cols c21">
        <div class="stack g6" onFocusOut={() => void saved.save()}>
          <section class="card fsec" aria-label={say('message')}>
            <div class="field">
              <span class="label" id="audience">
                {say('audience')}
              </span>
              <div class="tags" role="group" aria-labelledby="audience">
                <span class="tag whole">{say('all_supporters')}</span>
              </div>
              <p class="hint row">
                <Icon of={Users} small />
                <span>
                  <b>{say('supporters', { count: campaign.supporterCount })}</b> {say('without_unsubscribed')}
                </span>
              </p>
            </div>
            <div ref={subject}>
              <TextField
                label={say('subject')}
                hint={say('subject_hint', { count: [...words.subject].length })}
                value={words.subject}
                set={(value) => set({ subject: value })}
                required
                max={200}
                error={errorOf('subject')}
              />
            </div>
            <TextField
              label={say('body')}
              hint={say('body_hint')}
              value={words.body}
              set={(body) => set({ body })}
              long
              required
              error={errorOf('body')}
            />
            <div class="grid2">
              <TextField
                label={say('label')}
                note={say('optional')}
                value={words.ctaLabel}
                set={(value) => set({ ctaLabel: value })}
                max={60}
                error={errorOf('ctaLabel')}
              />
              <LinkField value={words.ctaUrl} set={(value) => set({ ctaUrl: value })} error={errorOf('ctaUrl')} />
            </div>
          </section>
        </div>
        <Card title={say('before_sending')}>
          <Checks slug={slug} category={category} words={words} testedAt={testedAt} />
        </Card>
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
      {review.error ? <ErrorMessage error={review.error} /> : null}
      <div class="savebar" role="region" aria-label={say('draft')}>
        <div class="state">
          <span class="pulse" aria-hidden="true" />
          <span role="status">
            {say('draft')} <small>{saved.state}</small>
          </span>
        </div>
        <span class="grow desk" />
        <Button task={test} disabled={incomplete}>
          <Icon of={Mail} />
          {say('test')}
        </Button>
        <Button kind="primary" task={() => review.run(countRecipients)} disabled={incomplete}>
          {say('review')}
        </Button>
      </div>
      {counted ? (
        <Confirm
          counted={counted}
          slug={slug}
          category={category}
          words={words}
          testedAt={testedAt}
          send={send}
          close={() => setCounted(null)}
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

interface ConfirmProps {
  readonly counted: Counted;
  readonly slug: string;
  readonly category: Message['category'];
  readonly words: Words;
  readonly testedAt: string;
  readonly send: () => Promise<void>;
  readonly close: () => void;
}

/** Asks before sending. A message that was sent before needs an explicit repetition. */
function Confirm({ counted, slug, category, words, testedAt, send, close }: ConfirmProps) {
  const [again, setAgain] = useState(false);
  const n = counted.recipientCount;
  const earlier = useResource<News>(sentPath(slug)).value?.sent.find(
    (m) => m.category === category && isSame(m, words),
  );
  if (!n)
    return (
      <Dialog title={say('nobody')} close={close}>
        <Form dialog task={async () => close()} submitLabel={say('keep_editing')} kind="">
          <p>{say('nobody_what')}</p>
        </Form>
      </Dialog>
    );
  return (
    <Dialog title={say('send_title', { count: n })} close={close}>
      <Form
        dialog
        task={send}
        submitLabel={say('send', { count: n })}
        disabled={earlier !== undefined && !again}
        actions={
          <button type="button" class="btn" onClick={close}>
            {say('keep_editing')}
          </button>
        }
      >
        <p class="small muted">{say('send_what')}</p>
        {earlier ? (
          <Notice tone="warn">
            <b>{say('sent_before', { time: moment(earlier.sentAt), count: earlier.recipientCount })}</b>
            <Checkbox label={say('send_again', { count: n })} on={again} set={setAgain} />
          </Notice>
        ) : null}
        <dl class="stack g2 facts">
          <Fact name={say('subject')}>{words.subject}</Fact>
          <Fact name={say('audience')}>{say('all_supporters')}</Fact>
          {words.ctaLabel ? (
            <Fact name={say('label')}>
              {words.ctaLabel} <span class="muted">{words.ctaUrl}</span>
            </Fact>
          ) : null}
        </dl>
        <Checks slug={slug} category={category} words={words} testedAt={testedAt} />
      </Form>
    </Dialog>
  );
}

const Fact = ({ name, children }: { name: string; children: preact.ComponentChildren }) => (
  <div class="row between top">
    <dt class="muted">{name}</dt>
    <dd>{children}</dd>
  </div>
);

/** The address of the button. Paths of the site are typed without their slash. */
function LinkField({ value, set, error }: { value: string; set: (value: string) => void; error: string }) {
  const onSite = !/^[a-z][a-z+.-]*:/i.test(value);
  return (
    <LabelledField label={say('url')} hint={onSite ? undefined : say('url_outside')} error={error}>
      {(a) => (
        <div class="affix">
          {onSite ? <span aria-hidden="true">/</span> : null}
          <input
            {...a}
            value={onSite ? value.replace(/^\//, '') : value}
            onInput={(e) => set(asAddress(e.currentTarget.value))}
          />
        </div>
      )}
    </LabelledField>
  );
}

function asAddress(typed: string): string {
  const text = typed.trim();
  return !text || /^[a-z][a-z+.-]*:/i.test(text) ? text : `/${text.replace(/^\/+/, '')}`;
}

interface SharedDraft {
  readonly save: () => Promise<void>;
  /** Deletes the draft after its message was sent. */
  readonly clear: () => Promise<void>;
  /** A colleague has saved the draft meanwhile. */
  readonly conflict: boolean;
  readonly takeTheirs: () => Promise<Words>;
  /** A sentence on when the draft was saved. */
  readonly state: string;
}

const idle = 10_000; // milliseconds without a change after which the draft is saved

/** Saves a message as the draft that all operators of the campaign share, when a field is left and after a pause. */
function useSharedDraft(campaignSlug: string, surface: Surface, path: string, draft: Draft, words: Words): SharedDraft {
  const [stored, setStored] = useState(draft);
  const [conflict, setConflict] = useState(false);
  const saving = useTask();
  const latest = useRef({ words, stored, conflict });
  latest.current = { words, stored, conflict };
  const save = async (): Promise<void> => {
    const { words: current, stored: last, conflict: blocked } = latest.current;
    if (blocked || isSame(current, last)) return;
    await saving.run(async () => {
      try {
        const result = await change<Draft>('/admin/marketing/draft', {
          campaignSlug,
          surface,
          revision: last.revision,
          ...current,
        } satisfies Schema['DraftRequest']);
        setStored(result);
        void refresh(path);
      } catch (error) {
        if (error instanceof APIError && error.status === 409) setConflict(true);
        else throw error;
      }
    });
  };
  const clear = async (): Promise<void> => {
    const { revision } = latest.current.stored;
    setStored({ ...noWords, revision: '' });
    try {
      if (revision)
        await change('/admin/marketing/draft/clear', {
          campaignSlug,
          surface,
          revision,
        } satisfies Schema['ClearRequest']);
    } catch (error) {
      if (!(error instanceof APIError && error.status === 409)) throw error; // a colleague has written another draft
    }
    await refresh(path);
  };
  const takeTheirs = async (): Promise<Words> => {
    const theirs = await getWithSession<Draft>(path);
    setStored(theirs);
    setConflict(false);
    return wordsOf(theirs);
  };
  useEffect(() => {
    const timer = setTimeout(() => void save(), idle);
    return () => clearTimeout(timer);
  }, [words]);
  useEffect(() => () => void save(), []);
  return { save, clear, conflict, takeTheirs, state: draftState(stored, words, saving.error !== null) };
}

function draftState(stored: Draft, words: Words, failed: boolean): string {
  if (isEmpty(words) && isEmpty(wordsOf(stored))) return say('draft_empty');
  if (failed) return say('draft_failed');
  return isSame(words, stored) && stored.savedAt
    ? say('draft_saved', { time: moment(stored.savedAt) })
    : say('draft_unsaved');
}
