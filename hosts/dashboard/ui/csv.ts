// What a table shows, as a file for a spreadsheet.

/** A table as CSV: what can be pressed in its cells, and what screen readers alone are told, is left out. */
export function csv(table: HTMLTableElement): Blob {
  const lines = [...table.rows].map((row) => [...row.cells].map((cell) => field(shown(cell))).join(','));
  return new Blob([`\ufeff${lines.join('\r\n')}\r\n`], { type: 'text/csv;charset=utf-8' });
}

function shown(cell: HTMLTableCellElement): string {
  const copy = cell.cloneNode(true) as HTMLElement;
  for (const e of copy.querySelectorAll('button:not(.sort), [aria-hidden=true]')) e.remove();
  return (copy.textContent ?? '').replace(/\s+/g, ' ').trim();
}

/** Quoted, and no formula whatever somebody called themselves. */
function field(text: string): string {
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return `"${harmless.replaceAll('"', '""')}"`;
}
