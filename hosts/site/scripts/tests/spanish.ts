import { openPage } from './page.ts';

openPage('es', {
  at: 'a las {time}',
  at_one: 'a la {time}',
  day_and_time: '{date} {time}',
  people_one: '{count} persona',
  people_many: '{count} de personas',
  people_other: '{count} personas',
  your_time: '{moment}, tu hora',
  moment: '{moment} ({zone})',
  moment_both: '{moment} ({zone}; {local})',
  tax_name_gross: 'Impuesto sobre ingresos brutos',
  tax_name_of: '{tax} ({place})',
  tax_name_sales: 'Impuesto sobre las ventas',
  tax_name_vat: 'IVA',
});
