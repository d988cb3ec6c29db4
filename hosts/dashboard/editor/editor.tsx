// A file's fields as a form. Unpublished input survives a reload, and the changes are listed for
// review before they are published.
import { useMemo, useState } from 'preact/hooks';
import { APIError, type Schema } from '../../site/scripts/api.ts';
import { change, newChangeID } from '../changes.ts';
import { query, refresh, refreshPrefix, useResource } from '../resources.ts';
import { hasPermissions } from '../session.ts';
import { Button, useTask } from '../ui/button.tsx';
import { ErrorMessage, Notice, ResourceView } from '../ui/notice.tsx';
import { lang } from '../words.ts';
import { type Conflict, Conflicts } from './conflicts.tsx';
import { Fields } from './controls.tsx';
import { type MediaFolder, MediaFolderContext } from './files.ts';
import { History } from './history.tsx';
import { PagePreview } from './page.tsx';
import { Review, type Reviewed } from './review.tsx';
import { useDraft } from './usedraft.ts';
import { say } from './words.ts';

type Opened = Schema['ContentFile'];
type Described = Schema['ContentDescription'];

interface Props {
  /** The prefix of the file's API routes, such as /admin/content. */
  readonly path: string;
  readonly of: 'campaign' | 'addon' | 'settings';
  /** The section to show; '' shows all. */
  readonly section: string;
  readonly slug?: string;
}

export function Editor(props: Props) {
  const { path, of, slug } = props;
  const file = query(path, { campaignSlug: slug });
  const description = useResource<Described>(query('/admin/content/schema', { of, lang }));
  return (
    <ResourceView resource={useResource<Opened>(file)}>
      {(opened) => (
        <ResourceView resource={description}>
          {(d) => <Form {...props} opened={opened} sections={d.sections} reload={() => refresh(file)} />}
        </ResourceView>
      )}
    </ResourceView>
  );
}

/** Returns the sections with the fields that the operator may read. */
const readableSections = (all: Described['sections']): Described['sections'] =>
  all.map((s) => ({ ...s, fields: s.fields.filter((f) => hasPermissions(f.read)) }));

interface FormProps extends Props {
  readonly opened: Opened;
  readonly sections: Described['sections'];
  readonly reload: () => Promise<void>;
}

function Form({ path, of, section, slug, opened, sections, reload }: FormProps) {
  const visible = useMemo(() => readableSections(sections), [sections]);
  const fields = useMemo(() => visible.flatMap((s) => s.fields), [visible]);
  const draft = useDraft(opened, fields);
  const [reviewed, setReviewed] = useState<Reviewed | null>(null);
  const [done, setDone] = useState('');
  const [previewOpen, setDrawn] = useState(false);
  const task = useTask();
  const { changed } = draft;
  const shown = visible.filter((s) => (!section || s.key === section) && s.fields.length > 0);
  const home = useMemo<MediaFolder>(
    () => ({
      ...(slug ? { use: 'campaign', slug } : { use: of === 'addon' ? 'add-on' : 'default' }),
      writable: opened.publishable,
    }),
    [of, slug, opened.publishable],
  );
  const body = { ...(slug ? { campaignSlug: slug } : {}), edits: changed };
  const review = (): Promise<boolean> =>
    task.run(async () => setReviewed(await change<Reviewed>(`${path}/preview`, body)));
  const publish = async (reason: string, id: string): Promise<void> => {
    await change<Schema['ContentPublished']>(`${path}/publish`, {
      ...body,
      changeId: id,
      ...(reason ? { reason } : {}),
    });
    draft.published();
    setReviewed(null);
    setDone(say('published'));
    refreshPrefix(path);
    refreshPrefix('/admin/summary');
    refreshPrefix('/admin/media'); // files that only this version used were deleted with it
    await reload();
  };
  const leave = async (): Promise<void> => {
    draft.discard();
    setReviewed(null);
    await reload();
  };
  const settle = (conflict: Conflict, mine: boolean): void => {
    draft.resolve(conflict.path, conflict.is, mine);
    setReviewed(null);
  };
  const errorOf = (field: string): string =>
    reviewed?.problems?.find((p) => p.field === field)?.message ??
    (task.error instanceof APIError && task.error.problem.field === field ? task.error.problem.error : '');
  return (
    <>
      {done ? (
        <div role="status">
          <Notice tone="good">{done}</Notice>
        </div>
      ) : null}
      {opened.publishable ? null : <Notice>{say('not_publishable')}</Notice>}
      {opened.problems?.length ? (
        <Notice tone="warn">
          <strong>{say('problems_now')}</strong>
          <ul>
            {opened.problems.map((p) => (
              <li key={p.message}>
                {p.line ? `${p.line}: ` : ''}
                {p.message}
              </li>
            ))}
          </ul>
        </Notice>
      ) : null}
      <div class={previewOpen ? 'beside' : ''}>
        <form
          class="editor"
          onSubmit={(e) => {
            e.preventDefault();
            void review();
          }}
        >
          {shown.map((s) => (
            <section key={s.key} aria-label={s.label}>
              {section ? null : <h2>{s.label}</h2>}
              <MediaFolderContext.Provider value={home}>
                <Fields
                  fields={s.fields}
                  values={draft.values}
                  set={(v) => {
                    draft.set(v);
                    setDone('');
                  }}
                  errorOf={errorOf}
                />
              </MediaFolderContext.Provider>
            </section>
          ))}
          <div class="publish-bar row" role="status">
            <span>{changed.length ? say('changed', { count: changed.length }) : say('unchanged')}</span>
            <button type="submit" disabled={!changed.length || task.busy} aria-busy={task.busy}>
              {say('review')}
            </button>
            {changed.length ? (
              <Button quiet task={leave}>
                {say('discard')}
              </Button>
            ) : null}
            {slug ? (
              <button type="button" class="quiet" aria-expanded={previewOpen} onClick={() => setDrawn(!previewOpen)}>
                {say(previewOpen ? 'hide_page' : 'show_page')}
              </button>
            ) : null}
          </div>
          {task.error ? <ErrorMessage error={task.error} /> : null}
        </form>
        {previewOpen && slug ? <PagePreview slug={slug} edits={changed} /> : null}
      </div>
      {reviewed?.conflicts?.length ? (
        <Conflicts conflicts={reviewed.conflicts} settle={settle} />
      ) : reviewed ? (
        <Review reviewed={reviewed} publish={publish} id={newChangeID()} close={() => setReviewed(null)} />
      ) : null}
      <History path={path} {...(slug ? { slug } : {})} reload={reload} />
    </>
  );
}
