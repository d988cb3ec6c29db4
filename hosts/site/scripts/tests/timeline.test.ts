import './english.ts';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { lastDecline, newCardDeclined, standing, steps } from '../timeline.ts';

type View = Parameters<typeof steps>[0];

/** Returns a pledge with a history of events, one a day from December 1. */
function pledge(events: string, rest: Partial<View> = {}): View {
  const history = events.split(' ').map((type, day) => ({ type, at: `2026-12-0${day + 1}T10:00:00Z` }));
  return {
    pledgeStatus: 'active',
    createdAt: history[0]?.at,
    deadline: '2026-12-02T07:00:00Z',
    history,
    lines: [{ category: 'physical' }],
    ...rest,
  } as unknown as View;
}

const failed = { pledgeStatus: 'payment_failed', outcome: 'funded' } as const;
const names = (v: View): string =>
  steps(v)
    .map((s) => `${s.name}:${s.state}`)
    .join(' ');

describe('newCardDeclined', () => {
  for (const [events, want] of [
    ['created payment_failed', false],
    ['created card_updated payment_failed', false],
    ['created payment_failed payment_failed', false],
    ['created payment_failed card_updated', false],
    ['created payment_failed card_updated payment_failed', true],
    ['created payment_failed card_updated payment_failed payment_failed', true],
    ['created payment_failed card_updated payment_failed card_updated payment_failed', true],
  ] as const)
    test(events, () => assert.equal(newCardDeclined(pledge(events, failed)), want));
});

test('lastDecline: the newest failure', () =>
  assert.equal(lastDecline(pledge('created payment_failed card_updated payment_failed')), '2026-12-04T10:00:00Z'));

describe('steps', () => {
  test('before the deadline, the campaign’s end is next', () =>
    assert.equal(names(pledge('created')), 'pledged:done ends:now charge:next parcel:next'));
  test('a digital reward has no parcel', () =>
    assert.equal(
      names(pledge('created', { lines: [{ category: 'digital' }] } as unknown as Partial<View>)),
      'pledged:done ends:now charge:next',
    ));
  test('a funded campaign’s charge is next', () =>
    assert.equal(names(pledge('created', { outcome: 'funded' })), 'pledged:done funded:done charge:now parcel:next'));
  test('a missed goal ends with the deleted card', () =>
    assert.equal(
      names(pledge('created', { outcome: 'missed', cardForgottenAt: '2026-12-05T10:00:00Z' })),
      'pledged:done missed:bad card_deleted:done',
    ));
  test('a declined charge shows the next retry before the last day to pay', () =>
    assert.equal(
      names(
        pledge('created payment_failed', {
          ...failed,
          recovery: { lane: 'wait', until: '2026-12-16T10:00:00Z', retryAt: '2026-12-05T10:00:00Z' },
        } as unknown as Partial<View>),
      ),
      'pledged:done funded:done declined:bad retry:next pay_by:now parcel:next',
    ));
  test('a dropped pledge has no parcel', () =>
    assert.equal(
      names(
        pledge('created payment_failed dropped', {
          ...failed,
          recovery: { lane: 'dropped', until: '2026-12-16T10:00:00Z' },
        } as unknown as Partial<View>),
      ),
      'pledged:done funded:done declined:bad dropped:bad',
    ));
  test('a canceled pledge has the time of its cancellation', () =>
    assert.equal(
      steps(pledge('created modified cancelled', { pledgeStatus: 'cancelled' })).at(-1)?.at,
      '2026-12-03T10:00:00Z',
    ));
  for (const [statuses, want] of [
    ['', 'now'],
    ['packed', 'now'],
    ['sent to_pack', 'now'],
    ['sent sent', 'done'],
  ] as const)
    test(`after the charge, with parcels: ${statuses || 'none'}`, () => {
      const parcels = statuses
        .split(' ')
        .filter(Boolean)
        .map((status, n) => ({ status, sentOn: `2027-03-0${n + 1}` }));
      const last = steps(
        pledge('created charged', { pledgeStatus: 'charged', charged: true, parcels } as unknown as Partial<View>),
      ).at(-1);
      assert.deepEqual(
        [last?.name, last?.state, last?.at],
        ['parcel', want, want === 'done' ? '2027-03-02' : undefined],
      );
    });
});

test('standing: failed while a new card is needed, otherwise the recovery', () =>
  assert.deepEqual(
    (['new_card', 'approve', 'wait', 'dropped'] as const).map((lane) =>
      standing(pledge('created payment_failed', { ...failed, recovery: { lane } } as unknown as Partial<View>)),
    ),
    ['failed', 'approve', 'wait', 'dropped'],
  ));
