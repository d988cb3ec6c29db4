// Tables that sort, filter, page and export what is on screen. The address keeps how, never
// what was typed: that may be a name.
import type { ComponentChildren, VNode } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import { filter, place } from '../place.ts';
import { lang } from '../words.ts';
import { useAfterPaint } from './afterpaint.ts';
import { Button } from './button.tsx';
import { csv } from './csv.ts';
import { save } from './download.ts';
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
  /** What the address knows it by, where a screen has several. */
  readonly name?: string;
  /** What a row is found by, where the table filters. */
  readonly text?: (row: T) => string;
  readonly empty?: string;
  /** Asks for more rows than there are, where there may be more. */
  readonly more?: (() => Promise<unknown>) | undefined;
}

const height = 50; // rows of a page

const { compare: collate } = new Intl.Collator(lang);
const compare = (a: string | number, b: string | number): number => (typeof a === 'number' && typeof b === 'number' ? a - b : collate(String(a), String(b)));

export function Table<T extends object>({ caption, columns, rows, id, name = '', text, empty, more }: Props<T>) {
  const [typed, setTyped] = useState('');
  const table = useRef<HTMLTableElement>(null);
  const own = (key: string): string => (name ? `${name}-${key}` : key);
  const { [own('sort')]: sort = '', [own('down')]: down = '', [own('page')]: page = '' } = place.value.filters;
  const wanted = typed.trim().toLowerCase();
  const by = columns.find((c) => c.key === sort)?.by;
  const found = useMemo(() => {
    const matching = text && wanted ? rows.filter((r) => text(r).toLowerCase().includes(wanted)) : rows;
    return by ? matching.toSorted((a, b) => (down ? -1 : 1) * compare(by(a), by(b))) : matching;
  }, [rows, wanted, sort, down]);
  const pages = Math.max(1, Math.ceil(found.length / height));
  const at = Math.min(Math.max(1, Number(page) || 1), pages);
  const chosen = useMemo(() => ({ rows: found.slice((at - 1) * height, at * height), columns }), [found, at, columns]);
  const shown = useAfterPaint(chosen);
  if (!rows.length) return <p class="empty">{empty ?? say('nothing')}</p>;
  const turn = (to: number): void => filter({ [own('page')]: to > 1 ? String(to) : '' });
  const type = (e: { currentTarget: HTMLInputElement }): void => {
    setTyped(e.currentTarget.value);
    if (at > 1) turn(1);
  };
  const sortBy = (key: string): void => filter({ [own('sort')]: key, [own('down')]: key === sort && !down ? '1' : '', [own('page')]: '' });
  const forward = async (): Promise<void> => {
    if (at === pages) await more?.();
    turn(Math.floor(Math.min(found.length, at * height) / height) + 1); // the page on which the next rows begin
  };
  return (
    <>
      {text && rows.length > 8 ? <label class="table-filter">{say('find')}<input type="search" value={typed} onInput={type} /></label> : null}
      <div class="table" tabIndex={0} role="region" aria-label={caption} aria-busy={shown !== chosen}>
        <table ref={table}>
          <caption class="unseen">{caption}</caption>
          <thead>
            <tr>{columns.map((c) => <Head key={c.key} column={c} sort={sortBy} order={by && c.key === sort ? (down ? 'descending' : 'ascending') : undefined} />)}</tr>
          </thead>
          <Body rows={shown.rows} columns={shown.columns} id={id} />
        </table>
      </div>
      <div class="row rows">
        <p class="small" role="status">{say('rows', { count: found.length })}{pages > 1 ? ` · ${say('page', { at, pages })}` : ''}</p>
        {pages > 1 ? <button key="back" type="button" class="quiet small-button" disabled={at === 1} onClick={() => turn(at - 1)}>{say('page_back')}</button> : null}
        {pages > 1 || more ? <Button key="forward" quiet small disabled={at === pages && !more} task={forward}>{say(at < pages || !more ? 'page_next' : 'more')}</Button> : null}
        <button key="save" type="button" class="link small" onClick={() => table.current && save(csv(table.current), `${caption}.csv`)}>{say('export')}</button>
      </div>
    </>
  );
}

interface BodyProps<T> {
  readonly rows: readonly T[];
  readonly columns: readonly Column<T>[];
  readonly id: (row: T) => string;
}

/** Rows that are drawn once: where others come or the order is another, they are only moved. */
function Body<T extends object>({ rows, columns, id }: BodyProps<T>) {
  const drawn = useMemo(() => new WeakMap<T, VNode>(), [columns]);
  const draw = (row: T): VNode => {
    const made = drawn.get(row) ?? <tr key={id(row)}>{columns.map((c, i) => (i === 0 ? <th key={c.key} scope="row">{c.cell(row)}</th> : <td key={c.key} class={c.number ? 'number' : ''}>{c.cell(row)}</td>))}</tr>;
    drawn.set(row, made);
    return made;
  };
  return useMemo(() => <tbody>{rows.map(draw)}</tbody>, [rows, drawn]);
}

interface HeadProps<T> {
  readonly column: Column<T>;
  readonly order: 'ascending' | 'descending' | undefined;
  readonly sort: (key: string) => void;
}

function Head<T>({ column, order, sort }: HeadProps<T>) {
  return (
    <th scope="col" class={column.number ? 'number' : ''} aria-sort={order}>
      {column.by ? <button type="button" class="sort" title={say('sort', { column: column.name })} onClick={() => sort(column.key)}>{column.name}</button> : column.name}
    </th>
  );
}
