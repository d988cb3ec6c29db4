// A file's fields as a form: what is typed stays here until it is published, also when the
// page is closed; what would change is said in words before it does.
import { useMemo, useState } from 'preact/hooks';
import { Refused, type Schema } from '../../site/scripts/api.ts';
import { change, identity } from '../changing.ts';
import { query, refresh, stale, useReading } from '../reading.ts';
import { holds } from '../session.ts';
import { Button, useTask } from '../ui/button.tsx';
import { Note, Shown, Wrong } from '../ui/notice.tsx';
import { lang } from '../words.ts';
import { Conflicts } from './conflicts.tsx';
import { Fields } from './controls.tsx';
import { Files, type Home } from './files.ts';
import { History } from './history.tsx';
import { Page } from './page.tsx';
import { Review } from './review.tsx';
import { useDraft } from './usedraft.ts';
import { say } from './words.ts';

type Opened = Schema['ContentFile'];
type Described = Schema['ContentDescription'];
export type Reviewed = Schema['ContentReview'];
export type Conflict = NonNullable<Reviewed['conflicts']>[number];

interface Props {
  /** Where the file's routes begin, such as /admin/content. */
  readonly path: string;
  readonly of: 'campaign' | 'addon' | 'settings';
  /** The section that is shown; '' shows all. */
  readonly section: string;
  readonly slug?: string;
}

export function Editor(props: Props) {
  const { path, of, slug } = props;
  const file = query(path, { campaignSlug: slug });
  const description = useReading<Described>(query('/admin/content/schema', { of, lang }));
  return (
    <Shown reading={useReading<Opened>(file)}>
      {(opened) => <Shown reading={description}>{(d) => <Form {...props} opened={opened} sections={d.sections} again={() => refresh(file)} />}</Shown>}
    </Shown>
  );
}

/** The sections with the fields that who is signed in may see. */
const readable = (all: Described['sections']): Described['sections'] => all.map((s) => ({ ...s, fields: s.fields.filter((f) => holds(f.read)) }));

interface FormProps extends Props {
  readonly opened: Opened;
  readonly sections: Described['sections'];
  readonly again: () => Promise<void>;
}

function Form({ path, of, section, slug, opened, sections, again }: FormProps) {
  const visible = useMemo(() => readable(sections), [sections]);
  const fields = useMemo(() => visible.flatMap((s) => s.fields), [visible]);
  const draft = useDraft(opened, fields);
  const [reviewed, setReviewed] = useState<Reviewed | null>(null);
  const [done, setDone] = useState('');
  const [drawn, setDrawn] = useState(false);
  const task = useTask();
  const { changed } = draft;
  const shown = visible.filter((s) => (!section || s.key === section) && s.fields.length > 0);
  const home = useMemo<Home>(() => ({ ...(slug ? { use: 'campaign', slug } : { use: of === 'addon' ? 'add-on' : 'default' }), open: opened.publishable }), [of, slug, opened.publishable]);
  const body = { ...(slug ? { campaignSlug: slug } : {}), edits: changed };
  const review = (): Promise<boolean> => task.run(async () => setReviewed(await change<Reviewed>(`${path}/preview`, body)));
  const publish = async (reason: string, id: string): Promise<void> => {
    await change<Schema['ContentPublished']>(`${path}/publish`, { ...body, changeId: id, ...(reason ? { reason } : {}) });
    draft.published();
    setReviewed(null);
    setDone(say('published'));
    stale(path);
    stale('/admin/summary');
    stale('/admin/media'); // what the file named alone went with it
    await again();
  };
  const leave = async (): Promise<void> => {
    draft.discard();
    setReviewed(null);
    await again();
  };
  const settle = (conflict: Conflict, mine: boolean): void => {
    draft.settle(conflict.path, conflict.is, mine);
    setReviewed(null);
  };
  const wrong = (field: string): string => reviewed?.problems?.find((p) => p.field === field)?.message ?? (task.error instanceof Refused && task.error.problem.field === field ? task.error.problem.error : '');
  return (
    <>
      {done ? <div role="status"><Note tone="good">{done}</Note></div> : null}
      {opened.publishable ? null : <Note>{say('not_publishable')}</Note>}
      {opened.problems?.length ? <Note tone="warn"><strong>{say('problems_now')}</strong><ul>{opened.problems.map((p) => <li key={p.message}>{p.line ? `${p.line}: ` : ''}{p.message}</li>)}</ul></Note> : null}
      <div class={drawn ? 'beside' : ''}>
      <form class="editor" onSubmit={(e) => { e.preventDefault(); void review(); }}>
        {shown.map((s) => (
          <section key={s.key} aria-label={s.label}>
            {section ? null : <h2>{s.label}</h2>}
            <Files.Provider value={home}><Fields fields={s.fields} values={draft.values} set={(v) => { draft.set(v); setDone(''); }} wrong={wrong} /></Files.Provider>
          </section>
        ))}
        <div class="publish-bar row" role="status">
          <span>{changed.length ? say('changed', { count: changed.length }) : say('unchanged')}</span>
          <button type="submit" disabled={!changed.length || task.busy} aria-busy={task.busy}>{say('review')}</button>
          {changed.length ? <Button quiet task={leave}>{say('discard')}</Button> : null}
          {slug ? <button type="button" class="quiet" aria-expanded={drawn} onClick={() => setDrawn(!drawn)}>{say(drawn ? 'hide_page' : 'show_page')}</button> : null}
        </div>
        {task.error ? <Wrong error={task.error} /> : null}
      </form>
      {drawn && slug ? <Page slug={slug} edits={changed} /> : null}
      </div>
      {reviewed?.conflicts?.length ? <Conflicts conflicts={reviewed.conflicts} settle={settle} /> : reviewed ? <Review of={reviewed} publish={publish} id={identity()} close={() => setReviewed(null)} /> : null}
      <History path={path} {...(slug ? { slug } : {})} again={again} />
    </>
  );
}
