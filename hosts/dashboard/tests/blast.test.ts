import '../../site/scripts/tests/english.ts';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findBroken, isUsable, referencesOf } from '../blast/checks.ts';
import { deliveryOf, isSame, noWords } from '../blast/message.ts';

test('referencesOf: finds pictures, links and the button, each once', () =>
  assert.deepEqual(referencesOf('![A](/a.jpg) [b](/b "title") [b](/b) [c](<https://example.org/c>)', '/button'), {
    pictures: ['/a.jpg'],
    links: ['/button', '/b', 'https://example.org/c'],
  }));

describe('isUsable', () => {
  for (const [address, usable] of [
    ['/campaigns/film/', true],
    ['https://example.org', true],
    ['mailto:a@example.org', true],
    ['//example.org', false],
    ['campaigns/film', false],
    ['https://', false],
    ['javascript:alert(1)', false],
  ] as const)
    test(address, () => assert.equal(isUsable(address), usable));
});

test('findBroken: asks for paths of the site only', async () => {
  const asked: string[] = [];
  const exists = async (path: string): Promise<boolean> => asked.push(path) > 0 && path === '/here';
  assert.deepEqual(await findBroken(['/here', '/gone', 'https://example.org', 'nowhere'], exists), [
    '/gone',
    'nowhere',
  ]);
  assert.deepEqual(asked, ['/here', '/gone']);
});

describe('deliveryOf', () => {
  const states = { accepted: 200, complained: 1, bounced: 3, refused: 2, suppressed: 4, pending: 10 };
  test('counts emails that are still waiting', () =>
    assert.deepEqual(deliveryOf({ states, phase: 'sending' }), {
      delivered: 201,
      bounced: 3,
      complained: 1,
      notSent: 6,
      pending: 10,
    }));
  test('counts those of a stopped message as not sent', () =>
    assert.deepEqual(deliveryOf({ states, phase: 'stopped' }), {
      delivered: 201,
      bounced: 3,
      complained: 1,
      notSent: 16,
      pending: 0,
    }));
});

test('isSame: compares all words', () => {
  assert.equal(isSame(noWords, { ...noWords }), true);
  assert.equal(isSame(noWords, { ...noWords, ctaUrl: '/a' }), false);
});
