// How addresses are written, country by country: libaddressinput's data, as formats.mjs
// writes it. The service judges by the same file.
import formats from '../../../pledge/formats.txt';
import regions from '../../../pledge/regions.txt';

/** A: street, C: city, S: state, Z: postal code. */
export type Letter = 'A' | 'C' | 'S' | 'Z';

export interface Format {
  readonly rows: readonly (readonly Letter[])[];
  readonly needed: string; // the letters of what mail cannot do without
  readonly called: Readonly<Partial<Record<Letter, string>>>; // where that is not the usual
}

const byCountry = (text: string): Map<string, string> => new Map(text.trim().split('\n').map((line) => [line.slice(0, 2), line.slice(3)]));

const known = byCountry(formats);
const chosen = byCountry(regions);

/** ISO 3166 alpha-2. */
export const countries: readonly string[] = [...known.keys()];

export function format(country: string): Format {
  const [rows = 'A,C', needed = 'AC', ...called] = (known.get(country) ?? '').split(' ').filter(Boolean);
  const names = called.map((pair) => pair.split('=') as [string, string]).map(([letter, name]) => [letter.toUpperCase(), name] as const);
  return { rows: rows.split(',').map((row) => [...row] as Letter[]), needed, called: Object.fromEntries(names) };
}

/** The regions of countries whose mail goes by their codes: [code, name]. */
export function regionsOf(country: string): readonly (readonly [string, string])[] {
  const all = chosen.get(country);
  return all ? all.split('|').map((pair) => pair.split('=') as [string, string]) : [];
}
