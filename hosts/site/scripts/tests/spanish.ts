import { openPage } from './page.ts';

openPage('es', {
  people_one: '{count} persona',
  people_many: '{count} de personas',
  people_other: '{count} personas',
  your_time: '{moment}, tu hora',
});
