// Address formats by country, which formats.mjs generates from libaddressinput's data. The server
// uses the same files for validation.
import formats from '../../../pledge/formats.txt';
import regions from '../../../pledge/regions.txt';

/** The parts of an address. A: street, C: city, S: state, Z: postal code. */
export type Letter = 'A' | 'C' | 'S' | 'Z';

export interface Format {
  readonly rows: readonly (readonly Letter[])[];
  readonly required: string; // the letters of required parts
  readonly labels: Readonly<Partial<Record<Letter, string>>>; // labels that differ from the default
}

const byCountry = (text: string): Map<string, string> =>
  new Map(
    text
      .trim()
      .split('\n')
      .map((line) => [line.slice(0, 2), line.slice(3)]),
  );

const formatsByCountry = byCountry(formats);
const regionsByCountry = byCountry(regions);

// Places without permanent residents or regular mail. Forms do not offer them, but the service accepts
// addresses there.
const uninhabited = new Set(['AQ', 'BV', 'GS', 'HM', 'IO', 'TF', 'UM']);

/** The countries that forms offer, as ISO 3166 alpha-2. */
export const formCountries: readonly string[] = [...formatsByCountry.keys()].filter((code) => !uninhabited.has(code));

export function formatOf(country: string): Format {
  const [rows = 'A,C', required = 'AC', ...called] = (formatsByCountry.get(country) ?? '').split(' ').filter(Boolean);
  const names = called
    .map((pair) => pair.split('=') as [string, string])
    .map(([letter, name]) => [letter.toUpperCase(), name] as const);
  return { rows: rows.split(',').map((row) => [...row] as Letter[]), required, labels: Object.fromEntries(names) };
}

/** Returns the regions of a country as [code, name], or [] if its addresses use no region codes. */
export function regionsOf(country: string): readonly (readonly [string, string])[] {
  const all = regionsByCountry.get(country);
  return all ? all.split('|').map((pair) => pair.split('=') as [string, string]) : [];
}
