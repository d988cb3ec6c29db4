import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Event } from '../supporters/events.ts';
import { withoutRepeats } from '../supporters/repeats.ts';

const event = (kind: Event['kind'], at: string, more: Partial<Event> = {}): Event =>
  ({ kind, at: `2026-11-22T${at}:00Z`, amount: 4500, ...more }) as Event;

test('a charge and its result are one entry', () => {
  const [attempt, email] = [event('charge_attempt', '08:00', { outcome: 'succeeded' }), event('email', '08:01')];
  assert.deepEqual(withoutRepeats([attempt, event('charged', '08:01'), email]), [attempt, email]);
  const declined = event('charge_attempt', '08:00', { outcome: 'declined' });
  assert.deepEqual(withoutRepeats([event('charge_declined', '08:00'), declined]), [declined]);
});

test('results of other charges stay', () => {
  for (const other of [
    event('charge_attempt', '08:00', { outcome: 'declined' }),
    event('charge_attempt', '08:00', { outcome: 'succeeded', amount: 9000 }),
    event('charge_attempt', '09:00', { outcome: 'succeeded' }),
  ]) {
    const all = [other, event('charged', '08:00')];
    assert.deepEqual(withoutRepeats(all), all);
  }
});
