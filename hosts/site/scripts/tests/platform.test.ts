import './english.ts';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { platformCampaign } from '../platform.ts';

const shirt = { id: 'addon__shirt', name: 'T-shirt' };
const seat = { id: 'film__seat', name: 'Seat' };
const box = { id: 'game__box', name: 'Box' };
const campaigns = new Map([
  ['film', { endsAt: '2026-12-20T00:00:00Z' }],
  ['game', { endsAt: '2026-12-08T00:00:00Z' }],
]);
const live = (slug: string, isFunded: boolean): Map<string, { campaign: { isFunded: boolean } }> =>
  new Map([[slug, { campaign: { isFunded } }]]);

describe('platformCampaign', () => {
  for (const [name, items, figures, want] of [
    ['none without add-ons', [seat, box], new Map(), ''],
    ['none without a campaign', [shirt], new Map(), ''],
    ['the first to end', [seat, box, shirt], new Map(), 'game'],
    ['the funded one before the first to end', [seat, box, shirt], live('film', true), 'film'],
    ['the one whose page it was added from', [seat, box, { ...shirt, campaign: 'film' }], live('game', true), 'film'],
    ['not one that left the cart', [box, { ...shirt, campaign: 'film' }], new Map(), 'game'],
  ] as const)
    test(name, () => assert.equal(platformCampaign(items, campaigns, figures), want));
});
