// Exports a displayed table for spreadsheets.

/**
 * Returns a table as CSV, without control columns (data-control), buttons in cells and decorative
 * content (aria-hidden). `chosen` contains the indices of the rows to export; default all.
 */
export function csv(table: HTMLTableElement, chosen?: ReadonlySet<number>): Blob {
  const [head, ...rows] = table.rows;
  if (!head) return new Blob();
  const columns = [...head.cells].flatMap((cell, i) => (cell.dataset.control === undefined ? [i] : []));
  const lines = [head, ...rows.filter((_, i) => !chosen || chosen.has(i))].map((row) =>
    columns.map((i) => quoteField(cellText(row.cells[i]))).join(','),
  );
  return new Blob([`\ufeff${lines.join('\r\n')}\r\n`], { type: 'text/csv;charset=utf-8' });
}

function cellText(cell: HTMLTableCellElement | undefined): string {
  if (!cell) return '';
  const copy = cell.cloneNode(true) as HTMLElement;
  for (const e of copy.querySelectorAll('button:not(.sort), [aria-hidden=true]')) e.remove();
  for (const e of copy.querySelectorAll('*')) e.append(' '); // parts on separate lines become separate words
  return (copy.textContent ?? '').replace(/\s+/g, ' ').trim();
}

/** Quotes a field, and escapes values that a spreadsheet would run as a formula. */
function quoteField(text: string): string {
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return `"${harmless.replaceAll('"', '""')}"`;
}
