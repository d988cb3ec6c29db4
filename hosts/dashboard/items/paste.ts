// Rows pasted from a spreadsheet.
import type { Values } from '../editor/draft.ts';

/** Reports whether a pasted text is a table: it has more than one line or cell. */
export const isTable = (text: string): boolean => /\t|\n/.test(text.trim());

/** Returns the cells of a text that was copied from a spreadsheet, row by row, without blank rows. */
export const cellsOf = (text: string): readonly (readonly string[])[] =>
  text
    .split(/\r?\n/)
    .filter((line) => line.trim())
    .map((line) => line.split('\t').map((cell) => cell.trim().replace(/^"(.*)"$/, '$1')));

/** The columns of a table, with functions that parse their cells. */
export interface Column {
  readonly path: string;
  readonly parse: (cell: string) => unknown;
}

/**
 * Fills cells into rows, starting at a row and a column, as a spreadsheet does. Rows are added at
 * the end, up to a maximum number of rows. Empty cells clear the values.
 */
export function fill(
  rows: readonly Values[],
  cells: readonly (readonly string[])[],
  from: { readonly row: number; readonly column: number },
  columns: readonly Column[],
  most: number,
): readonly Values[] {
  const next = [...rows];
  cells.forEach((line, i) => {
    const at = from.row + i;
    if (at >= most) return;
    const row: Record<string, unknown> = { ...(next[at] ?? {}) };
    line.forEach((cell, j) => {
      const column = columns[from.column + j];
      if (!column) return;
      const value = cell ? column.parse(cell) : undefined;
      if (value === undefined) delete row[column.path];
      else row[column.path] = value;
    });
    next[at] = row;
  });
  return next;
}
