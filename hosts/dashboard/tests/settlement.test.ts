import '../../site/scripts/tests/english.ts';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { minutesLeft, phaseOf, type SettlementStatus } from '../settlement/status.ts';

const begins = '2026-11-22T08:15:00Z';
const before = Date.parse('2026-11-22T08:00:00Z');
const after = Date.parse('2026-11-22T09:00:00Z');

const status = (changes: Partial<SettlementStatus>): SettlementStatus =>
  ({
    state: 'ended',
    goal: 100,
    counted: 100,
    beginsAt: begins,
    closedAt: null,
    missed: false,
    begun: false,
    working: false,
    job: null,
    ...changes,
  }) as SettlementStatus;

describe('phaseOf', () => {
  for (const [phase, changes, now] of [
    ['no_deadline', { beginsAt: null }, after],
    ['before', { state: 'live' }, before],
    ['margin', {}, before],
    ['ready', {}, after],
    ['missed', { missed: true, counted: 1 }, after],
    ['closed', { missed: true, closedAt: begins }, after],
    ['running', { begun: true, working: true }, after],
    ['after', { begun: true }, after],
  ] as const)
    test(phase, () => assert.equal(phaseOf(status(changes), now), phase));
});

describe('minutesLeft', () => {
  const job = (processed: number) =>
    ({ processed, total: 1096, startedAt: '2026-11-22T08:48:00Z' }) as Parameters<typeof minutesLeft>[0];
  test('extrapolates the speed so far', () => assert.equal(minutesLeft(job(642), after), 9));
  test('is unknown at the start', () => assert.equal(minutesLeft(job(4), after), 0));
  test('is 0 at the end', () => assert.equal(minutesLeft(job(1096), after), 0));
});
