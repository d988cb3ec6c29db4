import { openPage } from './page.ts';

openPage('en', {
  at: '{time}',
  at_one: '{time}',
  day_and_time: '{date}, {time}',
  cart_one: '{count} item',
  cart_other: '{count} items',
  greeting: 'Hello {name}, {name}!',
  address_postalCode: 'Postal code',
  part_zip: 'ZIP code',
  tax_missing: 'Still needed: {fields}.',
  your_time: '{moment} your time',
  change_custom: 'Custom support',
  cart_delivery: 'Delivery {month}',
  delivery_moved: 'Delivery {month} (when you pledged: {promised})',
  delivery_promised: 'When you pledged: delivery {promised}',
  moment: '{moment} {zone}',
  moment_both: '{moment} {zone} ({local})',
});
