// A list field whose entries can be expanded, reordered, added and removed.
import type { ComponentChildren } from 'preact';
import { useContext } from 'preact/hooks';
import type { Control } from './control.ts';
import type { Value, Values } from './draft.ts';
import { MediaFolderContext } from './files.ts';
import { say } from './words.ts';

interface Props extends Control {
  /** Renders the fields of an entry. */
  readonly renderEntry: (entry: Values, type: string, set: (entry: Values) => void) => ComponentChildren;
}

export function List({ field: f, value, set, error, renderEntry }: Props) {
  const home = useContext(MediaFolderContext);
  const entries = Array.isArray(value) ? (value as readonly Value[]) : [];
  const change = (next: readonly Value[]): void => set(next.length ? next : undefined);
  const replace = (i: number, entry: Value): void => change(entries.map((e, n) => (n === i ? entry : e)));
  const move = (i: number, by: -1 | 1): void => {
    const next = [...entries];
    const [moved] = next.splice(i, 1);
    next.splice(i + by, 0, moved);
    change(next);
  };
  if (value !== undefined && !Array.isArray(value)) return <p class="note">{say('by_hand', { name: f.label })}</p>;
  return (
    <fieldset class="entries">
      <legend>{f.label}</legend>
      {f.help ? <p class="hint">{f.help}</p> : null}
      {error ? <p class="wrong">{error}</p> : null}
      {entries.map((entry, i) => (
        <details key={i} open={expanded.has(entry as object)}>
          <summary>
            {i + 1}. {titleOf(entry)}
          </summary>
          <div class="row entry-tools">
            <button type="button" class="quiet small-button" disabled={i === 0} onClick={() => move(i, -1)}>
              {say('up')}
            </button>
            <button
              type="button"
              class="quiet small-button"
              disabled={i === entries.length - 1}
              onClick={() => move(i, 1)}
            >
              {say('down')}
            </button>
            <button type="button" class="quiet small-button" onClick={() => change(entries.filter((_, n) => n !== i))}>
              {say('remove')}
            </button>
          </div>
          <MediaFolderContext.Provider
            value={home.slug && f.path === 'campaign_add_ons' ? { ...home, use: 'campaign-add-on' } : home}
          >
            {renderEntry(entry as Values, typeOf(entry), (v) => replace(i, markExpanded(v)))}
          </MediaFolderContext.Provider>
        </details>
      ))}
      {f.maxLength && entries.length >= f.maxLength ? null : (
        <button
          type="button"
          class="quiet"
          onClick={() => change([...entries, markExpanded(structuredClone(f.new ?? {}))])}
        >
          {say('add')}
        </button>
      )}
    </fieldset>
  );
}

/** Entries that were just added or edited; they stay expanded when they are rendered again. */
const expanded = new WeakSet<object>();

function markExpanded<T>(entry: T): T {
  expanded.add(entry as object);
  return entry;
}

function titleOf(entry: Value): string {
  const e = entry as Readonly<Record<string, unknown>>;
  const title = e.name ?? e.title ?? e.label ?? e.question ?? e.text ?? e.src ?? e.type;
  return typeof title === 'string' && title ? title.slice(0, 80) : say('unnamed');
}

const typeOf = (entry: Value): string => {
  const { type } = entry as { type?: unknown };
  return typeof type === 'string' ? type : '';
};
