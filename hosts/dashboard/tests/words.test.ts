import '../../site/scripts/tests/english.ts';
import assert from 'node:assert/strict';
import { describe, mock, test } from 'node:test';
import { reasonText } from '../settlement/reasons.ts';
import { ago, count, day, daysAway, percent, signedPercent, speaker } from '../words.ts';

describe('speaker', () => {
  const say = speaker({
    en: { hello: 'Hello {name}', people_one: '{count} person', people_other: '{count} people' },
    es: { hello: 'Hola {name}', people_one: '{count} persona', people_other: '{count} personas', people_many: '' },
  });
  test('fills in values', () => assert.equal(say('hello', { name: 'Ada' }), 'Hello Ada'));
  test('selects the singular', () => assert.equal(say('people', { count: 1 }), '1 person'));
  test('selects the plural and formats the number', () => assert.equal(say('people', { count: 1234 }), '1,234 people'));
  test('leaves out missing values', () => assert.equal(say('hello'), 'Hello '));
});

describe('percent', () => {
  test('is rounded down', () => assert.equal(percent(999, 1000), '99%'));
  test('is 100 % if complete', () => assert.equal(percent(1000, 1000), '100%'));
  test('of nothing is 0%', () => assert.equal(percent(5, 0), '0%'));
  test('can be more than all', () => assert.equal(percent(25_000, 1000), '2,500%'));
});

test('count: separates thousands', () => assert.equal(count(1234567), '1,234,567'));

test('day: has no year', () => {
  assert.equal(day('2026-11-03'), 'Nov 3');
  assert.equal(day('2026-11-03T23:59:59Z'), 'Nov 3');
});

describe('ago', () => {
  for (const [at, want] of [
    ['2026-01-31T11:59:59Z', '1 second ago'],
    ['2026-01-31T11:57:00Z', '3 minutes ago'],
    ['2026-01-31T10:00:00Z', '2 hours ago'],
    ['2026-01-30T12:00:00Z', 'yesterday'],
    ['2026-02-02T12:00:00Z', 'in 2 days'],
  ] as const)
    test(want, (t) => {
      mock.timers.enable({ apis: ['Date'], now: Date.parse('2026-01-31T12:00:00Z') });
      t.after(() => mock.timers.reset());
      assert.equal(ago(at), want);
    });
});

describe('daysAway', () => {
  for (const [at, want] of [
    ['2026-02-01T06:30:00Z', 'today'],
    ['2026-02-01T07:30:00Z', 'tomorrow'],
    ['2026-02-02T08:15:00Z', 'in 2 days'], // less than 48 hours away
  ] as const)
    test(want, (t) => {
      mock.timers.enable({ apis: ['Date'], now: Date.parse('2026-01-31T12:00:00Z') });
      t.after(() => mock.timers.reset());
      assert.equal(daysAway(at), want);
    });
});

test('signedPercent: has a sign', () => {
  assert.equal(signedPercent(18), '+18%');
  assert.equal(signedPercent(-18), '−18%');
});

describe('reasonText', () => {
  test('known codes have a text', () => assert.notEqual(reasonText('expired_card'), 'expired_card'));
  test('unknown codes are shown', () => assert.equal(reasonText('new_code'), 'new_code'));
});
