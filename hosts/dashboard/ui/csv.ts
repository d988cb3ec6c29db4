// Exports a displayed table for spreadsheets.

/** Returns a table as CSV, without the buttons in its cells and decorative content (aria-hidden). */
export function csv(table: HTMLTableElement): Blob {
  const lines = [...table.rows].map((row) => [...row.cells].map((cell) => quoteField(cellText(cell))).join(','));
  return new Blob([`\ufeff${lines.join('\r\n')}\r\n`], { type: 'text/csv;charset=utf-8' });
}

function cellText(cell: HTMLTableCellElement): string {
  const copy = cell.cloneNode(true) as HTMLElement;
  for (const e of copy.querySelectorAll('button:not(.sort), [aria-hidden=true]')) e.remove();
  return (copy.textContent ?? '').replace(/\s+/g, ' ').trim();
}

/** Quotes a field, and escapes values that a spreadsheet would run as a formula. */
function quoteField(text: string): string {
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return `"${harmless.replaceAll('"', '""')}"`;
}
