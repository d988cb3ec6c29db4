// Tables that sort and filter what is on screen. The address keeps how, never what was
// typed: that may be a name.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { filter, place } from '../place.ts';
import { say } from './words.ts';

export interface Column<T> {
  readonly key: string;
  readonly name: string;
  readonly cell: (row: T) => ComponentChildren;
  /** What it sorts by; without it, it doesn't. */
  readonly by?: (row: T) => string | number;
  readonly number?: boolean;
}

interface Props<T> {
  readonly caption: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly id: (row: T) => string;
  /** What a row is found by, where the table filters. */
  readonly text?: (row: T) => string;
  readonly empty?: string;
  readonly more?: ComponentChildren;
}

const compare = (a: string | number, b: string | number): number => (typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b)));

export function Table<T>({ caption, columns, rows, id, text, empty, more }: Props<T>) {
  const [typed, setTyped] = useState('');
  const { sort = '', down = '' } = place.value.filters;
  const sorted = columns.find((c) => c.key === sort && c.by);
  const wanted = typed.trim().toLowerCase();
  let shown = text && wanted ? rows.filter((r) => text(r).toLowerCase().includes(wanted)) : [...rows];
  if (sorted?.by) {
    const by = sorted.by;
    shown = shown.toSorted((a, b) => (down ? -1 : 1) * compare(by(a), by(b)));
  }
  if (!rows.length) return <p class="empty">{empty ?? say('nothing')}</p>;
  return (
    <>
      {text && rows.length > 8 ? <label class="table-filter">{say('find')}<input type="search" value={typed} onInput={(e) => setTyped(e.currentTarget.value)} /></label> : null}
      <div class="table" tabIndex={0} role="region" aria-label={caption}>
        <table>
          <caption class="unseen">{caption}</caption>
          <thead>
            <tr>{columns.map((c) => <Head key={c.key} column={c} sorted={sorted?.key === c.key} down={down !== ''} />)}</tr>
          </thead>
          <tbody>
            {shown.map((r) => <tr key={id(r)}>{columns.map((c, i) => (i === 0 ? <th key={c.key} scope="row">{c.cell(r)}</th> : <td key={c.key} class={c.number ? 'number' : ''}>{c.cell(r)}</td>))}</tr>)}
          </tbody>
        </table>
      </div>
      <p class="small rows" role="status">{say('rows', { count: shown.length })}</p>
      {more}
    </>
  );
}

function Head<T>({ column, sorted, down }: { column: Column<T>; sorted: boolean; down: boolean }) {
  const order = sorted ? (down ? 'descending' : 'ascending') : undefined;
  const turn = (): void => filter({ sort: column.key, down: sorted && !down ? '1' : '' });
  return (
    <th scope="col" class={column.number ? 'number' : ''} aria-sort={order}>
      {column.by ? <button type="button" class="sort" title={say('sort', { column: column.name })} onClick={turn}>{column.name}{sorted ? (down ? ' ↓' : ' ↑') : ''}</button> : column.name}
    </th>
  );
}
