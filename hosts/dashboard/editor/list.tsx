// A list field inside a form. Its entries open in place, and are moved with a handle or from a
// menu.
import { Ellipsis, Plus } from 'lucide-preact';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { FieldError } from '../ui/form.tsx';
import { Icon } from '../ui/icon.tsx';
import { Menu } from '../ui/menu.tsx';
import { keepKey, keyOf, moveEntry } from '../ui/order.ts';
import { Sortable } from '../ui/sortable.tsx';
import type { Field, Value, Values } from './draft.ts';
import { say } from './words.ts';

interface Props {
  readonly field: Field;
  readonly value: Value;
  readonly set: (value: Value) => void;
  readonly error: string;
  /** Renders the fields of an entry. `at` is the entry's name in paths: its ID or its index. */
  readonly renderEntry: (entry: Values, set: (entry: Values) => void, at: string) => ComponentChildren;
}

export function List({ field: f, value, set, error, renderEntry }: Props) {
  const root = useRef<HTMLFieldSetElement>(null);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const added = useRef('');
  useLayoutEffect(() => {
    if (!added.current) return;
    root.current
      ?.querySelector<HTMLElement>(`[data-entry="${added.current}"] :is(input, textarea, button.btn)`)
      ?.focus();
    added.current = '';
  });
  if (value !== undefined && !Array.isArray(value)) return <p class="soft">{say('by_hand', { name: f.label })}</p>;
  const entries = (value ?? []) as readonly Values[];
  const change = (next: readonly Value[]): void => set(next.length ? next : undefined);
  const toggle = (key: string): void => {
    const next = new Set(open);
    if (!next.delete(key)) next.add(key);
    setOpen(next);
  };
  const add = (): void => {
    const entry = structuredClone(f.new ?? {}) as Values;
    added.current = keyOf(entry);
    setOpen(new Set([...open, keyOf(entry)]));
    change([...entries, entry]);
  };
  const remove = (at: number): void => {
    change(entries.filter((_, i) => i !== at));
    root.current?.querySelector<HTMLElement>('.add-entry')?.focus();
  };
  const label = say(addLabels[f.path] ?? 'add');
  return (
    <fieldset ref={root} class="stack g2">
      <legend class="label">{f.label}</legend>
      {f.help ? <p class="hint">{f.help}</p> : null}
      {error ? <FieldError text={error} /> : null}
      {entries.length ? (
        <Sortable
          class="stack g2"
          label={f.label}
          entries={entries}
          keyOf={keyOf}
          nameOf={titleOf}
          move={(from, to) => change(moveEntry(entries, from, to))}
          itemClass={() => 'item folding'}
        >
          {(entry, i, moves) => {
            const key = keyOf(entry);
            const title = titleOf(entry);
            const shown = open.has(key);
            return (
              <>
                {moves.handle}
                <button type="button" class="open-entry clip" aria-expanded={shown} onClick={() => toggle(key)}>
                  {title}
                </button>
                <div class="row act">
                  <Menu
                    label={say('entry_actions', { name: title })}
                    class="btn plain icon sm"
                    button={<Icon of={Ellipsis} small />}
                  >
                    {moves.buttons}
                    <button type="button" class="bad" onClick={() => remove(i)}>
                      {say('remove')}
                    </button>
                  </Menu>
                </div>
                {shown ? (
                  <div class="folded stack" data-entry={key}>
                    {renderEntry(
                      entry,
                      (v) => change(entries.map((e, n) => (n === i ? keepKey(entry, v) : e))),
                      String(entry['#'] ?? entry.id ?? i),
                    )}
                  </div>
                ) : null}
              </>
            );
          }}
        </Sortable>
      ) : null}
      {f.maxLength && entries.length >= f.maxLength ? null : (
        <button
          type="button"
          class="btn sm start add-entry"
          aria-label={label === say('add') ? say('add_to', { name: f.label }) : undefined}
          onClick={add}
        >
          <Icon of={Plus} small />
          {label}
        </button>
      )}
    </fieldset>
  );
}

/** The labels of the buttons that add an entry, for lists with a specific word for it. */
const addLabels: Readonly<Record<string, 'add_question' | 'add_link'>> = {
  faq: 'add_question',
  creator_links: 'add_link',
};

function titleOf(entry: Values): string {
  const title = entry.name ?? entry.title ?? entry.label ?? entry.question ?? entry.alt ?? entry.url ?? entry.src;
  return typeof title === 'string' && title ? title : say('unnamed');
}
