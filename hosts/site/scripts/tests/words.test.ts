import './english.ts';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { day, deadline, localTime, moment, momentWithLocal, say } from '../words.ts';
import { compareForms } from './moneyforms.ts';

describe('say', () => {
  test('fills in every placeholder', () => assert.equal(say('greeting', { name: 'Ada' }), 'Hello Ada, Ada!'));
  test('leaves out missing values', () => assert.equal(say('greeting'), 'Hello , !'));
  test('selects the singular', () => assert.equal(say('cart', { count: 1 }), '1 item'));
  test('selects the plural', () => assert.equal(say('cart', { count: 0 }), '0 items'));
  test('returns the ID of an unknown message', () => assert.equal(say('missing_message'), 'missing_message'));
});

compareForms('en');

describe('times', () => {
  test('are in the platform’s zone with its name', () =>
    assert.equal(moment('2026-01-31T19:30:00Z'), 'January 31, 2026, 12:30 PM MST'));
  test('have the name of daylight saving time', () =>
    assert.equal(moment('2026-07-31T19:30:00Z'), 'July 31, 2026, 1:30 PM MDT'));
  test('are also in the visitor’s zone', () =>
    assert.equal(localTime('2026-01-31T19:30:00Z'), 'January 31, 2026, 8:30 PM your time'));
  test('have both zones', () =>
    assert.equal(
      momentWithLocal('2026-01-31T19:30:00Z'),
      'January 31, 2026, 12:30 PM MST (January 31, 2026, 8:30 PM your time)',
    ));
  test('of a deadline name the last second', () =>
    assert.match(deadline('2026-02-01T07:00:00Z'), /^January 31, 2026, 11:59 PM MST/));
  test('without a time keep their date', () => assert.equal(day('2026-01-31'), 'January 31, 2026'));
});
