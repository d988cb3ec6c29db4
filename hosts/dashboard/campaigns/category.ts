import { lang } from '../words.ts';

/** The Spanish names of the categories, which campaign files have in English. */
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

export const categoryName = (category = ''): string => (lang === 'es' ? (spanish[category] ?? category) : category);
