import './spanish.ts';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { addressLine } from '../address.ts';
import { questionText } from '../taxquestion.ts';
import { day, localTime, moment, say, visitorClock } from '../words.ts';
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
  test('name countries in Spanish', () => assert.equal(addressLine({ name: 'Ada', country: 'DE' }), 'Ada, Alemania'));
  test('fall back to the ID of a tax question', () =>
    assert.equal(questionText({ field: 'state', reason: 'missing' }), 'tax_missing'));
});

compareForms('es');
