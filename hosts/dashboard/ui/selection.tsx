// Selection of table rows, and the bar with actions on the selected rows.
import { type Signal, signal } from '@preact/signals';
import { X } from 'lucide-preact';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { Icon } from './icon.tsx';
import type { Column } from './table.tsx';
import { say } from './words.ts';

/** The IDs of the selected rows. */
export type Selection = Signal<ReadonlySet<string>>;

export const useSelection = (): Selection => useMemo(() => signal<ReadonlySet<string>>(new Set<string>()), []);

/** Returns the column with the checkboxes. `label` names a row's checkbox. */
export const selectionColumn = <T extends object>(
  selection: Selection,
  id: (row: T) => string,
  label: (row: T) => string,
): Column<T> => ({
  key: 'select',
  name: say('select'),
  control: (rows) => <SelectAll selection={selection} ids={rows.map(id)} />,
  cell: (row) => <RowCheckbox selection={selection} id={id(row)} label={label(row)} />,
});

/** A checkbox that reads the selection itself, so that a click does not render the row again. */
function RowCheckbox({ selection, id, label }: { selection: Selection; id: string; label: string }) {
  const select = (on: boolean): void => {
    const next = new Set(selection.value);
    if (on) next.add(id);
    else next.delete(id);
    selection.value = next;
  };
  return (
    <input
      type="checkbox"
      class="check"
      aria-label={label}
      checked={selection.value.has(id)}
      onChange={(e) => select(e.currentTarget.checked)}
    />
  );
}

/** The checkbox for all displayed rows. */
function SelectAll({ selection, ids }: { selection: Selection; ids: readonly string[] }) {
  const selected = ids.filter((id) => selection.value.has(id)).length;
  const all = selected > 0 && selected === ids.length;
  return (
    <input
      type="checkbox"
      class={`check select-all ${selected && !all ? 'some' : ''}`}
      aria-label={say('select_all')}
      checked={all}
      indeterminate={selected > 0 && !all}
      onChange={(e) => {
        selection.value = new Set(e.currentTarget.checked ? ids : []);
      }}
    />
  );
}

interface BarProps<T> {
  readonly selection: Selection;
  /** The displayed rows. Actions apply to these rows only. */
  readonly rows: readonly T[];
  readonly id: (row: T) => string;
  /** The actions on the selected rows. */
  readonly children: (selected: readonly T[]) => ComponentChildren;
}

/**
 * The bar above a table with the actions on the selected rows. On phones it also contains the
 * checkbox for all rows, because tables have no head there.
 */
export function BulkBar<T extends object>({ selection, rows, id, children }: BarProps<T>) {
  const bar = useRef<HTMLDivElement>(null);
  const wasSelected = useRef(false);
  const selected = rows.filter((r) => selection.value.has(id(r)));
  const none = selected.length === 0;
  // The actions disappear together with the selection, and would take the focus with them.
  useEffect(() => {
    if (none && wasSelected.current && document.activeElement === document.body) focusVisible(bar.current);
    wasSelected.current = !none;
  }, [none]);
  return (
    <div ref={bar} class={`bulk ${none ? 'none' : ''}`}>
      {none ? (
        <div class="opt">
          <SelectAll selection={selection} ids={rows.map(id)} />
          <span aria-hidden="true">{say('select_all')}</span>
        </div>
      ) : (
        <button
          type="button"
          class="btn plain icon sm"
          aria-label={say('clear_selection')}
          onClick={() => {
            selection.value = new Set();
          }}
        >
          <Icon of={X} small />
        </button>
      )}
      <b class="small grow" role="status">
        {none ? '' : say('selected', { count: selected.length })}
      </b>
      {none ? null : children(selected)}
    </div>
  );
}

/** Focuses the checkbox for all rows: the one in the table's head, or in the bar on phones. */
function focusVisible(bar: HTMLElement | null): void {
  const all = bar?.parentElement?.querySelectorAll<HTMLElement>('.select-all') ?? [];
  [...all].find((e) => e.offsetParent)?.focus();
}
