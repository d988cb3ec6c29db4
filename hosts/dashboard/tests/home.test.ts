import '../../site/scripts/tests/english.ts';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Summary } from '../campaigns/summary.ts';
import { scheduledEvents } from '../home/next.ts';

const at = (day: number): string => `2026-11-${day}T12:00:00Z`;
const campaign = (campaignSlug: string, status: string, times: object): Summary =>
  ({ campaignSlug, status, ...times }) as Summary;

describe('scheduledEvents', () => {
  const now = Date.parse(at(15));
  for (const [name, campaigns, want] of [
    [
      'the next first',
      [
        campaign('live', 'live', { startsAt: at(10), endsAt: at(20), chargesAt: at(21) }),
        campaign('soon', 'scheduled', { startsAt: at(18), endsAt: at(28), chargesAt: at(29) }),
      ],
      ['opens soon', 'ends live', 'charges live'],
    ],
    [
      'the past is left out',
      [campaign('over', 'charging', { chargesAt: at(14), repairable: { until: at(16) } })],
      ['drops over'],
    ],
    ['drafts', [campaign('draft', 'draft', { startsAt: at(18) })], []],
    ['a missed goal', [campaign('missed', 'missed', { chargesAt: at(16) })], []],
    ['without a date', [campaign('open', 'live', {})], []],
  ] as const)
    test(name, () =>
      assert.deepEqual(
        scheduledEvents(campaigns, now).map((e) => `${e.kind} ${e.campaign.campaignSlug}`),
        want,
      ),
    );
});
