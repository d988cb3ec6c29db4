// The columns of a carrier's file and their roles. The server recognizes the usual names; the
// operator can choose others.
import papaparse from 'papaparse';

export const roles = ['order', 'carrier', 'tracking', 'date'] as const;
export type Role = (typeof roles)[number];

export interface CarrierTable {
  readonly heads: readonly string[];
  readonly lines: readonly (readonly string[])[];
}

/** Parses a CSV file with any of the usual separators. Empty lines at the end are left out. */
export function parseTable(csv: string): CarrierTable {
  const { data } = papaparse.parse<string[]>(csv.replace(/^\ufeff/, ''), { skipEmptyLines: 'greedy' });
  const [heads = [], ...lines] = data;
  return { heads, lines };
}

/**
 * The roles that the operator chose for columns. Other columns keep their names, which the server
 * may recognize.
 */
export type Choices = ReadonlyMap<number, Role | 'ignored'>;

/** Returns the CSV with the chosen columns named by their roles, and without the ignored ones. */
export function withRoles(table: CarrierTable, chosen: Choices): string {
  const columns = table.heads.map((head, i) => [i, chosen.get(i) ?? head] as const).filter(([, n]) => n !== 'ignored');
  return papaparse.unparse(
    [columns.map(([, name]) => name), ...table.lines.map((line) => columns.map(([i]) => line[i] ?? ''))],
    { newline: '\n' },
  );
}

/** Chooses a column's role, or none. Another column with that role is ignored. */
export function chooseRole(chosen: Choices, column: number, role: Role | undefined): Choices {
  const others = [...chosen].map(([i, r]) => [i, r === role ? 'ignored' : r] as const);
  return new Map([...others, [column, role ?? 'ignored']]);
}

/** Returns the roles of the columns that the server recognized, given by their names. */
export function recognizedRoles(table: CarrierTable, found: Readonly<Record<string, string>>): Choices {
  const chosen = new Map<number, Role>();
  for (const role of roles) {
    const at = table.heads.findIndex((h) => h.trim() === found[role]);
    if (at >= 0) chosen.set(at, role);
  }
  return chosen;
}
