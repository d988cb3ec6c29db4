// Tables with sorting, filtering, pagination and CSV export. Sort order and page are kept in the
// URL. The filter text is not, because it may be a person's name.
import { ArrowDown, ArrowUp } from 'lucide-preact';
import type { ComponentChildren, VNode } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import { route, setFilters } from '../router.ts';
import { lang } from '../words.ts';
import { useAfterPaint } from './afterpaint.ts';
import { Button } from './button.tsx';
import { csv } from './csv.ts';
import { save } from './download.ts';
import { Icon } from './icon.tsx';
import { SearchField } from './searchfield.tsx';
import { say } from './words.ts';

export interface Column<T> {
  readonly key: string;
  readonly name: string;
  readonly cell: (row: T) => ComponentChildren;
  /** The sort key; a column without one is not sortable. */
  readonly sortKey?: (row: T) => string | number;
  readonly number?: boolean;
  /** The control in the head of a control column, for the displayed rows. It is not exported. */
  readonly control?: (rows: readonly T[]) => ComponentChildren;
}

interface Props<T> {
  readonly caption: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly id: (row: T) => string;
  /** The prefix of the table's URL parameters, for screens with several tables. */
  readonly name?: string;
  /** The label of the filter; default "Filter". */
  readonly filterName?: string;
  /** The text that the filter searches; without it there is no filter. */
  readonly filterText?: (row: T) => string;
  readonly empty?: string;
  /** Shows the column's name beside each cell on phones, for tables with many columns. */
  readonly labelled?: boolean;
  /** A class for the table's own layout on phones. */
  readonly look?: string;
  /** The order of the given rows, shown until the operator sorts. */
  readonly sorted?: { readonly key: string; readonly down: boolean };
  /** Formats the number of rows, such as "24 supporters"; "" shows none. */
  readonly counted?: (rows: number) => string;
  /** A note below the rows. */
  readonly note?: string;
  /**
   * How rows are exported: by default with a link below them. A function receives the export action
   * instead.
   */
  readonly exporter?: 'none' | ((exportRows: () => void) => void);
  /** The bar with actions on the displayed rows. */
  readonly bulk?: (rows: readonly T[], exportRows: (selected: readonly T[]) => void) => ComponentChildren;
  /** Loads more rows, if there may be any. */
  readonly loadMore?: (() => Promise<unknown>) | undefined;
}

const pageSize = 50; // rows per page

const { compare: collate } = new Intl.Collator(lang);
const compare = (a: string | number, b: string | number): number =>
  typeof a === 'number' && typeof b === 'number' ? a - b : collate(String(a), String(b));

export function Table<T extends object>({
  caption,
  columns,
  rows,
  id,
  name = '',
  filterText,
  filterName = say('find'),
  empty,
  labelled,
  look = '',
  sorted,
  counted = (n) => say('rows', { count: n }),
  note,
  exporter,
  bulk,
  loadMore,
}: Props<T>) {
  const [typed, setTyped] = useState('');
  const table = useRef<HTMLTableElement>(null);
  const param = (key: string): string => (name ? `${name}-${key}` : key);
  const { [param('sort')]: sort = '', [param('down')]: down = '', [param('page')]: page = '' } = route.value.filters;
  const search = typed.trim().toLowerCase();
  const order = columns.some((c) => c.key === sort && c.sortKey) ? { key: sort, down: Boolean(down) } : sorted;
  const by = columns.find((c) => c.key === order?.key)?.sortKey;
  const found = useMemo(() => {
    const matching = filterText && search ? rows.filter((r) => filterText(r).toLowerCase().includes(search)) : rows;
    return by ? matching.toSorted((a, b) => (order?.down ? -1 : 1) * compare(by(a), by(b))) : matching;
  }, [rows, search, order?.key, order?.down]);
  const pages = Math.max(1, Math.ceil(found.length / pageSize));
  const at = Math.min(Math.max(1, Number(page) || 1), pages);
  const chosen = useMemo(
    () => ({ rows: found.slice((at - 1) * pageSize, at * pageSize), columns }),
    [found, at, columns],
  );
  const shown = useAfterPaint(chosen);
  if (!rows.length) return <p class="in soft">{empty ?? say('nothing')}</p>;
  const goToPage = (to: number): void => setFilters({ [param('page')]: to > 1 ? String(to) : '' });
  const type = (text: string): void => {
    setTyped(text);
    if (at > 1) goToPage(1);
  };
  const sortBy = (key: string): void =>
    setFilters({
      [param('sort')]: key,
      [param('down')]: key === order?.key && !order.down ? '1' : '',
      [param('page')]: '',
    });
  const nextPage = async (): Promise<void> => {
    if (at === pages) await loadMore?.();
    goToPage(Math.floor(Math.min(found.length, at * pageSize) / pageSize) + 1); // the page on which the next rows start
  };
  const exportRows = (chosen?: ReadonlySet<number>): void => {
    if (table.current) save(csv(table.current, chosen), `${caption}.csv`);
  };
  if (typeof exporter === 'function') exporter(() => exportRows());
  const total = counted(found.length);
  const paged = pages > 1 || Boolean(loadMore);
  return (
    <>
      {filterText && rows.length > 8 ? (
        <div class="filters">
          <SearchField name={filterName} value={typed} set={type} kind="w-l" />
        </div>
      ) : null}
      {bulk?.(chosen.rows, (selected) => exportRows(new Set(selected.map((r) => shown.rows.indexOf(r)))))}
      <div class="tablewrap" tabIndex={0} role="region" aria-label={caption} aria-busy={shown !== chosen}>
        <table ref={table} class={`table cards ${labelled ? 'labelled' : ''} ${look}`}>
          <caption class="unseen">{caption}</caption>
          <thead>
            <tr>
              {columns.map((c) => (
                <Head
                  key={c.key}
                  column={c}
                  rows={chosen.rows}
                  sort={sortBy}
                  order={c.key === order?.key ? (order.down ? 'descending' : 'ascending') : undefined}
                />
              ))}
            </tr>
          </thead>
          <Body rows={shown.rows} columns={shown.columns} id={id} />
        </table>
      </div>
      {total || note || paged || !exporter ? (
        <footer class="row wrap table-foot">
          <p class="small muted grow" role="status">
            {note}
            {note && total ? ' ' : ''}
            {total}
            {pages > 1 ? ` · ${say('page', { at, pages })}` : ''}
          </p>
          {pages > 1 ? (
            <button key="back" type="button" class="btn sm" disabled={at === 1} onClick={() => goToPage(at - 1)}>
              {say('page_back')}
            </button>
          ) : null}
          {paged ? (
            <Button key="forward" small disabled={at === pages && !loadMore} task={nextPage}>
              {say(at < pages || !loadMore ? 'page_next' : 'more')}
            </Button>
          ) : null}
          {exporter ? null : (
            <button key="save" type="button" class="link small" onClick={() => exportRows()}>
              {say('export')}
            </button>
          )}
        </footer>
      ) : null}
    </>
  );
}

interface BodyProps<T> {
  readonly rows: readonly T[];
  readonly columns: readonly Column<T>[];
  readonly id: (row: T) => string;
}

/** A table body that renders each row once and reuses it when rows are added or reordered. */
function Body<T extends object>({ rows, columns, id }: BodyProps<T>) {
  const rendered = useMemo(() => new WeakMap<T, VNode>(), [columns]);
  const named = columns.find((c) => !c.control); // the rows' headers
  const draw = (row: T): VNode => {
    const created = rendered.get(row) ?? (
      <tr key={id(row)}>
        {columns.map((c) =>
          c.control ? (
            <td key={c.key} class="pick">
              {c.cell(row)}
            </td>
          ) : c === named ? (
            <th key={c.key} scope="row">
              {c.cell(row)}
            </th>
          ) : (
            <td key={c.key} class={`c-${c.key} ${c.number ? 'end' : ''}`} data-label={c.name}>
              {c.cell(row)}
            </td>
          ),
        )}
      </tr>
    );
    rendered.set(row, created);
    return created;
  };
  return useMemo(() => <tbody>{rows.map(draw)}</tbody>, [rows, rendered]);
}

interface HeadProps<T> {
  readonly column: Column<T>;
  readonly rows: readonly T[];
  readonly order: 'ascending' | 'descending' | undefined;
  readonly sort: (key: string) => void;
}

function Head<T>({ column, rows, order, sort }: HeadProps<T>) {
  if (column.control)
    return (
      <th scope="col" class="pick" data-control>
        {column.control(rows)}
        <span class="unseen">{column.name}</span>
      </th>
    );
  return (
    <th scope="col" class={column.number ? 'end' : ''} aria-sort={order}>
      {column.sortKey ? (
        <button
          type="button"
          class="sort"
          title={say('sort', { column: column.name })}
          onClick={() => sort(column.key)}
        >
          {column.name}
          {order ? <Icon of={order === 'descending' ? ArrowDown : ArrowUp} small /> : null}
        </button>
      ) : (
        column.name
      )}
    </th>
  );
}
