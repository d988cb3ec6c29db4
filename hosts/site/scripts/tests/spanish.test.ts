import './spanish.ts';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { addressLine } from '../address.ts';
import { taxName } from '../taxline.ts';
import { questionText } from '../taxquestion.ts';
import { day, localTime, moment, momentWithLocal, say, visitorClock, visitorTime } from '../words.ts';
import { compareForms } from './moneyforms.ts';

describe('Spanish pages', () => {
  test('have their own plural for whole millions', () => {
    assert.equal(say('people', { count: 1 }), '1 persona');
    assert.equal(say('people', { count: 2 }), '2 personas');
    assert.equal(say('people', { count: 1_000_000 }), '1000000 de personas');
  });
  test('format dates in Spanish', () => assert.equal(day('2026-01-31'), '31 de enero de 2026'));
  test('format times in the platform’s zone', () =>
    assert.equal(moment('2026-01-31T19:30:00Z'), '31 de enero de 2026 a las 12:30 (MST)'));
  test('use the singular article at one o’clock only', () => {
    assert.equal(moment('2026-01-31T08:00:00Z'), '31 de enero de 2026 a la 1:00 (MST)');
    assert.equal(moment('2026-01-31T20:00:00Z'), '31 de enero de 2026 a las 13:00 (MST)');
    assert.equal(localTime('2026-01-31T00:30:00Z'), '31 de enero de 2026 a la 1:30, tu hora');
    assert.equal(visitorClock('2026-01-31T00:30:00Z'), 'a la 1:30');
    assert.equal(visitorClock('2026-01-31T12:30:00Z'), 'a las 13:30');
  });
  test('put the platform’s zone and the visitor’s time in one pair of parentheses', () =>
    assert.equal(
      momentWithLocal('2026-01-31T19:30:00Z'),
      '31 de enero de 2026 a las 12:30 (MST; 31 de enero de 2026 a las 20:30, tu hora)',
    ));
  test('write a weekday without a comma', () =>
    assert.equal(visitorTime('2026-12-09T06:59:00Z').moment, 'miércoles 9 de diciembre a las 7:59'));
  test('put the place after the name of a tax', () => {
    assert.equal(taxName('GB VAT'), 'IVA (GB)');
    assert.equal(taxName('TX sales tax'), 'Impuesto sobre las ventas (TX)');
    assert.equal(taxName('NM gross receipts tax'), 'Impuesto sobre ingresos brutos (NM)');
    assert.equal(taxName('Sales tax'), 'Impuesto sobre las ventas');
    assert.equal(taxName('ON HST'), 'ON HST');
  });
  test('name countries in Spanish', () => assert.equal(addressLine({ name: 'Ada', country: 'DE' }), 'Ada, Alemania'));
  test('fall back to the ID of a tax question', () =>
    assert.equal(questionText({ field: 'state', reason: 'missing' }), 'tax_missing'));
});

compareForms('es');
