// The parts of a form: the list of its sections, and a card for each.
import { Eye, History as HistoryIcon } from 'lucide-preact';
import type { ComponentChildren, ComponentType } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Icon } from '../ui/icon.tsx';
import { type EditorForm, findField, useForm } from './form.ts';
import { FormField } from './formfield.tsx';
import { say } from './words.ts';

/** A part of a form with its own heading. */
export interface Part {
  readonly key: string;
  readonly label: string;
  readonly help?: string | undefined;
  /** The paths of its fields. */
  readonly paths: readonly string[];
}

/** Returns the parts of a section by the groups of its description. */
export function partsOf(form: EditorForm, key: string): readonly Part[] {
  const section = form.sections.find((s) => s.key === key);
  if (!section) return [];
  const pathsIn = (group: string): readonly string[] =>
    section.fields.filter((f) => (f.section ?? '') === group).map((f) => f.path);
  return [
    { key: section.key, label: section.label, paths: pathsIn('') },
    ...(section.groups ?? []).map((g) => ({ key: g.key, label: g.label, help: g.help, paths: pathsIn(g.key) })),
  ].filter((p) => p.paths.length > 0);
}

const partID = (key: string): string => `part-${key}`;

/** The list of a form's parts. It marks the one in view, and those with changes or errors. */
export function PartList({ parts, of = '' }: { parts: readonly Part[]; of?: string }) {
  const form = useForm();
  const at = usePartInView(parts);
  const chips = useCurrentChip(at);
  const go = (key: string) => (e: Event) => {
    e.preventDefault();
    const heading = document.querySelector<HTMLElement>(`#${partID(key)} h2`);
    document.getElementById(partID(key))?.scrollIntoView({ block: 'start' });
    heading?.focus({ preventScroll: true });
  };
  return (
    <nav ref={chips} class="secnav" aria-label={of || say('sections')}>
      {parts.map((p) => (
        <a key={p.key} href={location.hash} aria-current={p.key === at ? 'true' : undefined} onClick={go(p.key)}>
          {p.label}
          <Mark form={form} paths={p.paths} />
        </a>
      ))}
    </nav>
  );
}

/** Scrolls a list, which is a row of chips on narrow screens, to the current one. */
export function useCurrentChip(at: string) {
  const list = useRef<HTMLElement>(null);
  useEffect(() => {
    const current = list.current?.querySelector<HTMLElement>('[aria-current]');
    if (list.current && current)
      list.current.scrollLeft = current.offsetLeft - (list.current.clientWidth - current.offsetWidth) / 2;
  }, [at]);
  return list;
}

/** A mark for changes or errors in fields. */
export function Mark({ form, paths }: { form: EditorForm; paths: readonly string[] }) {
  const within = (path: string): boolean => paths.some((p) => path === p || path.startsWith(`${p}[`));
  const wrong = form.problems.some((p) => within(p.path));
  if (!wrong && !form.changed.some((e) => within(e.path))) return null;
  return (
    <span class={`dot ${wrong ? 'bad' : ''}`}>
      <span class="unseen">{say(wrong ? 'has_error' : 'is_changed')}</span>
    </span>
  );
}

function usePartInView(parts: readonly Part[]): string {
  const [at, setAt] = useState(parts[0]?.key ?? '');
  const keys = parts.map((p) => p.key).join(' ');
  useEffect(() => {
    const look = (): void => {
      const top = innerHeight / 3;
      const passed = parts.filter(
        (p) => (document.getElementById(partID(p.key))?.getBoundingClientRect().top ?? 1e9) < top,
      );
      const end = innerHeight + scrollY >= document.documentElement.scrollHeight - 4;
      setAt((end ? parts.at(-1) : passed.at(-1))?.key ?? parts[0]?.key ?? '');
    };
    addEventListener('scroll', look, { passive: true });
    look();
    return () => removeEventListener('scroll', look);
  }, [keys]);
  return at;
}

/** A card with the fields of a part. */
function PartCard({ part, children }: { part: Part; children?: ComponentChildren }) {
  const id = useId();
  const { sections } = useForm();
  const sameName = (path: string): boolean => findField(sections, path)?.field.label === part.label;
  return (
    <section class="card fsec" id={partID(part.key)} aria-labelledby={id}>
      <header>
        <h2 id={id} tabIndex={-1}>
          {part.label}
        </h2>
        {part.help ? <p class="small muted">{part.help}</p> : null}
      </header>
      {children ?? part.paths.map((path) => <FormField key={path} path={path} labelHidden={sameName(path)} />)}
    </section>
  );
}

/** Cards for parts. A layout replaces the plain stack of a part's fields. */
export const PartCards = ({
  parts,
  layouts = {},
}: {
  parts: readonly Part[];
  layouts?: Readonly<Record<string, ComponentType<{ part: Part }>>>;
}) => (
  <>
    {parts.map((p) => {
      const Layout = layouts[p.key];
      return (
        <PartCard key={p.key} part={p}>
          {Layout ? <Layout part={p} /> : undefined}
        </PartCard>
      );
    })}
  </>
);

/**
 * The buttons of an editor's page: its history, and the preview if there is no room next to the
 * form.
 */
export const EditorButtons = ({
  openHistory,
  openPreview,
}: {
  openHistory: () => void;
  openPreview?: (() => void) | undefined;
}) => (
  <>
    <button type="button" class="btn brief-phone" onClick={openHistory}>
      <Icon of={HistoryIcon} />
      <span class="word">{say('history')}</span>
    </button>
    {openPreview ? (
      <button type="button" class="btn" onClick={openPreview}>
        <Icon of={Eye} />
        {say('preview')}
      </button>
    ) : null}
  </>
);
