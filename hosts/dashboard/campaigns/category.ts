import { lang } from '../words.ts';

/** The Spanish names of the categories. Campaign files contain the English names in title case. */
const spanish: Readonly<Record<string, string>> = {
  'Short Film': 'Cortometraje',
  'Feature Film': 'Largometraje',
  Documentary: 'Documental',
  'Web Series': 'Serie web',
  'Music Video': 'Videoclip',
  Album: 'Álbum',
  'Board Game': 'Juego de mesa',
  Book: 'Libro',
  Other: 'Otro',
};

/** Returns the name of a category in the operator's language, in sentence case. */
export const categoryName = (category = ''): string =>
  lang === 'es' ? (spanish[category] ?? category) : category.charAt(0) + category.slice(1).toLowerCase();
