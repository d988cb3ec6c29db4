// A file's fields as a form: what is typed stays here until it is published, also when the
// page is closed; what would change is said in words before it does.
import { useEffect, useMemo, useState } from 'preact/hooks';
import { Refused, type Schema } from '../../site/scripts/api.ts';
import { change, identity } from '../changing.ts';
import { query, refresh, stale, useReading } from '../reading.ts';
import { Button, useTask } from '../ui/button.tsx';
import { Note, Shown, Wrong } from '../ui/notice.tsx';
import { lang } from '../words.ts';
import { Conflicts } from './conflicts.tsx';
import { Fields } from './controls.tsx';
import { at, edits, kept, put, type Edit, type Field, type Values } from './draft.ts';
import { History } from './history.tsx';
import { Review } from './review.tsx';
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
  const [done, setDone] = useState(''); // outlives the form, which is another once its file is
  const description = useReading<Described>(query('/admin/content/schema', { of, lang }));
  return (
    <Shown reading={useReading<Opened>(file)}>
      {(opened) => <Shown reading={description}>{(d) => <Form key={opened.base} {...props} opened={opened} sections={d.sections} again={() => refresh(file)} done={done} setDone={setDone} />}</Shown>}
    </Shown>
  );
}

interface FormProps extends Props {
  readonly opened: Opened;
  readonly sections: Described['sections'];
  readonly again: () => Promise<void>;
  readonly done: string;
  readonly setDone: (what: string) => void;
}

function Form({ path, section, slug, opened, sections, again, done, setDone }: FormProps) {
  const fields = useMemo(() => sections.flatMap((s) => s.fields), [sections]);
  const store = `draft ${opened.file}`;
  const [restoredEdits] = useState(() => restored(store, fields));
  const [was, setWas] = useState<Values>(() => restoredEdits.reduce((v, e) => put(v, e.path, e.was ?? undefined), opened.fields as Values));
  const [values, setValues] = useState<Values>(() => restoredEdits.reduce((v, e) => put(v, e.path, e.value ?? undefined), opened.fields as Values));
  const [reviewed, setReviewed] = useState<Reviewed | null>(null);
  const task = useTask();
  const changed = edits(fields, was, values);
  useEffect(() => keep(store, fields, was, values), [values, was]);
  const shown = sections.filter((s) => (!section || s.key === section) && s.fields.length > 0);
  const draft = { ...(slug ? { campaignSlug: slug } : {}), edits: changed };
  const review = (): Promise<boolean> => task.run(async () => setReviewed(await change<Reviewed>(`${path}/preview`, draft)));
  const publish = async (reason: string, id: string): Promise<void> => {
    await change<Schema['ContentPublished']>(`${path}/publish`, { ...draft, changeId: id, ...(reason ? { reason } : {}) });
    localStorage.removeItem(store);
    setReviewed(null);
    setDone(say('published'));
    stale(path);
    stale('/admin/summary');
    await again();
  };
  const leave = (): void => {
    setValues(was);
    setReviewed(null);
  };
  /** Takes what the file has now as what the form rests on; and as the value, where it is not kept. */
  const settle = (conflict: Conflict, mine: boolean): void => {
    setWas(put(was, conflict.path, conflict.is));
    if (!mine) setValues(put(values, conflict.path, conflict.is));
    setReviewed(null);
  };
  const wrong = (field: string): string => reviewed?.problems?.find((p) => p.field === field)?.message ?? (task.error instanceof Refused && task.error.problem.field === field ? task.error.problem.error : '');
  return (
    <>
      {done ? <div role="status"><Note tone="good">{done}</Note></div> : null}
      {opened.publishable ? null : <Note>{say('not_publishable')}</Note>}
      {opened.problems?.length ? <Note tone="warn"><strong>{say('problems_now')}</strong><ul>{opened.problems.map((p) => <li key={p.message}>{p.line ? `${p.line}: ` : ''}{p.message}</li>)}</ul></Note> : null}
      <form class="editor" onSubmit={(e) => { e.preventDefault(); void review(); }}>
        {shown.map((s) => (
          <section key={s.key} aria-label={s.label}>
            {section ? null : <h2>{s.label}</h2>}
            <Fields fields={s.fields} values={values} set={(v) => { setValues(v); setDone(''); }} wrong={wrong} />
          </section>
        ))}
        <div class="publish-bar row" role="status">
          <span>{changed.length ? say('changed', { count: changed.length }) : say('unchanged')}</span>
          <button type="submit" disabled={!changed.length || task.busy} aria-busy={task.busy}>{say('review')}</button>
          {changed.length ? <Button quiet task={async () => leave()}>{say('discard')}</Button> : null}
        </div>
        {task.error ? <Wrong error={task.error} /> : null}
      </form>
      {reviewed?.conflicts?.length ? <Conflicts conflicts={reviewed.conflicts} settle={settle} /> : reviewed ? <Review of={reviewed} publish={publish} id={identity()} close={() => setReviewed(null)} /> : null}
      <History path={path} {...(slug ? { slug } : {})} again={again} />
    </>
  );
}

/** Keeps what was changed beyond the page, but for addresses of people. */
function keep(store: string, fields: readonly Field[], was: Values, values: Values): void {
  const changed = changes(fields, was, values);
  if (changed.length) localStorage.setItem(store, JSON.stringify(changed));
  else localStorage.removeItem(store);
}

/** The changed fields, each whole. */
function changes(fields: readonly Field[], was: Values, values: Values): readonly Edit[] {
  return fields.filter(kept).filter((f) => edits([f], was, values).length > 0).map((f) => ({ path: f.path, was: at(was, f.path) ?? null, value: at(values, f.path) ?? null }));
}

/** What was kept, with the values that it rests on: what others have changed since is then a conflict. */
function restored(store: string, fields: readonly Field[]): readonly Edit[] {
  try {
    const found = JSON.parse(localStorage.getItem(store) ?? '[]') as readonly Edit[];
    return found.filter((e) => fields.some((f) => f.path === e.path));
  } catch {
    return []; // not ours
  }
}
