import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filtersOf } from '../reports/filters.ts';

const url = { campaign: 'film', left: '1', status: 'charged', tier: 'disc', country: 'FR', page: '2' };

test('each report has its own filters', () => {
  assert.deepEqual(filtersOf('fulfillment', url), { left: '1', rewardId: 'disc', country: 'FR' });
  assert.deepEqual(filtersOf('pledges', url), { status: 'charged', rewardId: 'disc' });
});

test('without filters in the URL there are none', () => {
  const none = { left: undefined, rewardId: undefined, country: undefined };
  assert.deepEqual(filtersOf('fulfillment', {}), none);
  assert.deepEqual(filtersOf('fulfillment', { left: '0', tier: '', country: '' }), none);
});
