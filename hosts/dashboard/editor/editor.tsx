// An editor of a file: its values and draft, the save bar, and the dialogs that review, discard and
// compare. A screen renders the fields inside it.
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { useSummaries } from '../campaigns/summary.ts';
import { change, newChangeID } from '../changes.ts';
import { controlID, focusField } from '../fields/frame.tsx';
import { type MediaFolder, MediaFolderContext } from '../media/folder.ts';
import { query, refresh, refreshPrefix, useResource } from '../resources.ts';
import { hasPermissions } from '../session.ts';
import { Loading, Notice, ReadError } from '../ui/notice.tsx';
import { toast } from '../ui/toast.tsx';
import { lang } from '../words.ts';
import { type Conflict, ConflictDialog } from './conflicts.tsx';
import { DiscardDialog } from './discard.tsx';
import { type Edit, equal, type Values, valueAt, withValue } from './draft.ts';
import { type EditorForm, FormContext, findField, type Opened } from './form.ts';
import { HistoryDialog } from './history.tsx';
import { changedProblems, isPublic } from './problems.ts';
import { ReviewDialog, type Reviewed } from './review.tsx';
import { SaveBar } from './savebar.tsx';
import { clearWanted, goTo, type Target, wanted } from './target.ts';
import { type Choice, type Section, useDraft } from './usedraft.ts';
import { say } from './words.ts';

type Described = Schema['ContentDescription'];

interface EditorProps {
  /** The prefix of the file's API routes, such as /admin/content. */
  readonly path: string;
  readonly of: 'campaign' | 'addon' | 'settings';
  readonly slug?: string;
  /** The section that is open, or "" if the screen shows all. */
  readonly section: string;
  /** The subject of the publication, such as the campaign's title. */
  readonly subject: string;
  /** Renders the screen's page around its content. Actions is null until the file is loaded. */
  readonly page: (content: ComponentChildren, actions: EditorActions | null) => ComponentChildren;
  readonly children: (form: EditorForm) => ComponentChildren;
}

interface EditorActions {
  readonly form: EditorForm;
  readonly openHistory: () => void;
}

const refreshPauses = [0, 3_000, 15_000]; // milliseconds; the server serves a change after some seconds

/** Refreshes cached data from the served version of a file. */
function refreshServed(path: string): void {
  for (const prefix of [path, '/admin/summary', '/admin/campaigns', '/admin/health', '/admin/media'])
    refreshPrefix(prefix); // media: files used only by the old version were deleted with it
}

const polling = 60; // seconds between checks for changes by others

export function Editor(props: EditorProps) {
  const { path, of, slug, page } = props;
  const file = query(path, { campaignSlug: slug, lang });
  const opened = useResource<Opened>(file, polling);
  const description = useResource<Described>(query('/admin/content/schema', { of, lang }));
  if (opened.value && description.value)
    return (
      <Form
        key={opened.value.file}
        {...props}
        opened={opened.value}
        described={description.value}
        reload={() => refresh(file)}
      />
    );
  const failed = [opened, description].find((r) => r.error);
  return <>{page(failed ? <ReadError at={undefined} error={failed.error} /> : <Loading lines={8} />, null)}</>;
}

/** Returns the sections with the fields that the operator may read. */
const readableSections = (all: Described['sections']): readonly Section[] =>
  all.map((s) => ({ ...s, fields: s.fields.filter((f) => hasPermissions(f.read)) }));

interface FormProps extends EditorProps {
  readonly opened: Opened;
  readonly described: Described;
  readonly reload: () => Promise<void>;
}

type Open =
  | { readonly kind: 'review'; readonly reviewed: Reviewed }
  | { readonly kind: 'conflicts'; readonly reviewed: Reviewed }
  | { readonly kind: 'discard' }
  | { readonly kind: 'history' }
  | null;

function Form({ path, of, slug, section, subject, page, children, opened, described, reload }: FormProps) {
  const sections = useMemo(() => readableSections(described.sections), [described]);
  const draft = useDraft(opened, sections);
  const [open, setOpen] = useState<Open>(null);
  const [reported, setReported] = useState<readonly Reported[]>([]);
  const [, rerender] = useState(0); // when the focus moves, because the focused field is not counted as wrong
  const lost = useRef(false); // the save bar was removed while it had the focus
  const { values, published, changed } = draft;
  useEffect(() => {
    if (open || !lost.current) return;
    lost.current = false;
    document.querySelector<HTMLElement>('.editor-page h1')?.focus({ preventScroll: true });
  }, [open]);
  const locks = useLocks(slug, published);
  const problems = useMemo(
    () => [
      ...reported.map((r) => ({ path: r.path, words: r.words, section: r.target.tab })),
      ...sections
        .flatMap((s) => changedProblems(s.key, s.fields, published, values))
        .filter((p) => !reported.some((r) => r.path === p.path)),
    ],
    [sections, published, values, reported],
  );
  const set = (at: string, value: unknown): void => {
    draft.set(withValue(values, at, value));
    setReported(reported.filter((r) => !at.startsWith(r.path) && !r.path.startsWith(at)));
  };
  const form: EditorForm = {
    of,
    slug,
    opened,
    sections,
    values,
    published,
    changed,
    set,
    isChanged: (at) => !equal(valueAt(values, at), valueAt(published, at)),
    errorOf: (at) => reported.find((r) => r.path === at)?.words ?? '',
    problems,
    locks,
  };
  const body = { ...(slug ? { campaignSlug: slug } : {}), edits: changed };
  const ask = (edits: readonly Edit[]): Promise<Reviewed> =>
    change<Reviewed>(query(`${path}/preview`, { lang }), { ...body, edits });
  const review = async (): Promise<void> => {
    const reviewed = await ask(changed);
    setReported((reviewed.problems ?? []).map((p) => ({ path: p.field ?? '', words: p.words, target: p.place })));
    setOpen({ kind: reviewed.conflicts?.length ? 'conflicts' : 'review', reviewed });
  };
  const publish = async (reason: string, id: string): Promise<void> => {
    const count = changed.length;
    await change<Schema['ContentPublished']>(query(`${path}/publish`, { lang }), {
      ...body,
      changeId: id,
      ...(reason ? { reason } : {}),
    });
    draft.markPublished(values);
    setReported([]);
    setOpen(null);
    lost.current = true;
    await refreshFile();
    toast(say('published', { count }));
  };
  const refreshFile = async (): Promise<void> => {
    await reload();
    for (const pause of refreshPauses) setTimeout(() => refreshServed(path), pause);
  };
  const resolve = async (choices: readonly Choice[]): Promise<void> => {
    draft.resolve(choices);
    setOpen(null);
    await reload();
    toast(say('resolved', { count: choices.length }));
  };
  const discard = (keys: readonly string[]): void => {
    const count = changesIn(sections, changed)
      .filter((s) => keys.includes(s.key))
      .reduce((n, s) => n + s.changes, 0);
    const undo = draft.discard(keys);
    setReported(reported.filter((r) => !keys.includes(r.target.tab)));
    setOpen(null);
    lost.current = true;
    toast(say('discarded', { count }), undo);
  };
  const show = (target: Target): void => {
    setOpen(null);
    goTo(target, slug, of);
  };
  useEffect(focusWanted, [section, wanted.value, open]);
  const folder = useMemo<MediaFolder>(
    () => ({
      ...(slug ? { use: 'campaign', slug } : { use: of === 'addon' ? 'add-on' : 'default' }),
      writable: opened.publishable,
    }),
    [of, slug, opened.publishable],
  );
  const counted = problems.filter((p) => document.activeElement?.id !== controlID(p.path));
  const first = counted.find((p) => p.section === section) ?? counted[0];
  return (
    <FormContext.Provider value={form}>
      <MediaFolderContext.Provider value={folder}>
        <div class="editor-page" onFocusOut={() => requestAnimationFrame(() => rerender((n) => n + 1))}>
          {page(
            <>
              {opened.publishable ? null : <Notice tone="warn">{say('not_publishable')}</Notice>}
              <FileProblems opened={opened} show={show} />
              {draft.conflicts.length ? (
                <Notice
                  tone="warn"
                  action={
                    <button type="button" class="btn sm" onClick={() => void review()}>
                      {say('compare', { count: draft.conflicts.length })}
                    </button>
                  }
                >
                  <b>{say('changed_meanwhile')}</b>
                  <p class="small">{say('choose_version')}</p>
                </Notice>
              ) : null}
              {children(form)}
            </>,
            { form, openHistory: () => setOpen({ kind: 'history' }) },
          )}
        </div>
        <SaveBar
          changes={changed.length}
          errors={counted.length}
          conflicts={draft.conflicts.length}
          savedAt={draft.savedAt}
          publishable={opened.publishable}
          goToError={() => first && showProblem(form, first.path, reported, show)}
          compare={review}
          discard={() => setOpen({ kind: 'discard' })}
          review={review}
        />
        {open?.kind === 'review' ? (
          <ReviewPublisher
            subject={subject}
            reviewed={open.reviewed}
            publish={publish}
            goTo={show}
            close={() => setOpen(null)}
          />
        ) : null}
        {open?.kind === 'conflicts' ? (
          <ConflictDialog
            conflicts={open.reviewed.conflicts as readonly Conflict[]}
            others={changed.length - (open.reviewed.conflicts?.length ?? 0)}
            savedAt={draft.savedAt}
            resolve={resolve}
            close={() => setOpen(null)}
          />
        ) : null}
        {open?.kind === 'discard' ? (
          <DiscardDialog
            sections={changesIn(sections, changed)}
            open={section}
            discard={discard}
            close={() => setOpen(null)}
          />
        ) : null}
        {open?.kind === 'history' ? (
          <HistoryDialog path={path} slug={slug} changed={refreshFile} close={() => setOpen(null)} />
        ) : null}
      </MediaFolderContext.Provider>
    </FormContext.Provider>
  );
}

/** The review dialog, with an ID that stays the same for all attempts to publish. */
function ReviewPublisher({
  publish,
  ...props
}: Omit<Parameters<typeof ReviewDialog>[0], 'publish'> & { publish: (reason: string, id: string) => Promise<void> }) {
  const [id] = useState(newChangeID);
  return <ReviewDialog {...props} publish={(reason) => publish(reason, id)} />;
}

/** A problem that the server reported. */
interface Reported {
  readonly path: string;
  readonly words: string;
  readonly target: Target;
}

function useLocks(slug: string | undefined, published: Values): EditorForm['locks'] {
  const campaign = useSummaries(0).value?.campaigns.find((c) => c.campaignSlug === slug);
  return {
    started: Boolean(campaign) && campaign?.state !== 'upcoming' && isPublic(published),
    supporters: campaign?.supporterCount ?? 0,
  };
}

/** Returns the sections with changes, in order. */
const changesIn = (
  sections: readonly Section[],
  changed: readonly Edit[],
): readonly { readonly key: string; readonly label: string; readonly changes: number }[] =>
  sections
    .map((s) => ({
      key: s.key,
      label: s.label,
      changes: changed.filter((e) => s.fields.some((f) => e.path === f.path || e.path.startsWith(`${f.path}[`))).length,
    }))
    .filter((s) => s.changes > 0);

/** Opens the screen with a problem and focuses its field. */
function showProblem(
  form: EditorForm,
  path: string,
  reported: readonly Reported[],
  show: (target: Target) => void,
): void {
  if (focusField(path)) return;
  const known = reported.find((r) => r.path === path)?.target;
  const list = /^([a-z_]+)\[([^\]]*)\](?:\.(.+))?$/.exec(path);
  const section = findField(form.sections, list?.[1] ?? path)?.section.key;
  if (known) show(known);
  else if (section)
    show({ tab: section, ...(list ? { list: list[1], item: list[2], field: list[3] } : { field: path }) } as Target);
}

/** Focuses the field in the address. Fields of list entries are shown by the list. */
function focusWanted(): void {
  const target = wanted.value;
  if (!target?.field || target.list) return;
  const { field } = target;
  requestAnimationFrame(() => {
    if (focusField(field)) clearWanted();
  });
}

function FileProblems({ opened, show }: { opened: Opened; show: (target: Target) => void }) {
  if (!opened.problems?.length) return null;
  return (
    <Notice tone="bad">
      <b>{say('problems_now')}</b>
      <ul class="stack g2 small">
        {opened.problems.map((p) => (
          <li key={p.words} class="problem">
            <span>{p.words}</span>
            <button type="button" class="link" onClick={() => show(p.place)}>
              {say('go_to', { label: p.label })}
            </button>
          </li>
        ))}
      </ul>
    </Notice>
  );
}
