import '../../site/scripts/tests/english.ts';
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { hrefTo, navigate, replaceRoute, route, setFilters, tab } from '../router.ts';

/** Opens a link of the dashboard. */
function open(hash: string): void {
  location.hash = hash;
  dispatchEvent(new Event('hashchange'));
}

beforeEach(() => open(''));

describe('route', () => {
  test('has the parts and filters of the fragment', () => {
    open('#/campaigns/night-ferry/tiers?part=links&q=a%26b');
    assert.deepEqual(route.value, {
      parts: ['campaigns', 'night-ferry', 'tiers'],
      filters: { part: 'links', q: 'a&b' },
    });
  });
  test('decodes parts', () => {
    open('#/supporters/order/a%2Fb');
    assert.deepEqual(route.value.parts, ['supporters', 'order', 'a/b']);
  });
  test('is empty if the encoding is not valid', () => {
    open('#/campaigns/%E0%A4%A?part=links');
    assert.deepEqual(route.value, { parts: [], filters: {} });
  });
});

describe('tab', () => {
  test('is home by default', () => assert.equal(tab.value, 'home'));
  test('is the first part', () => {
    open('#/reports?left=1');
    assert.equal(tab.value, 'reports');
  });
});

describe('hrefTo', () => {
  test('encodes parts and filters', () =>
    assert.equal(hrefTo(['supporters', 'a/b'], { q: 'x y' }), '#/supporters/a%2Fb?q=x+y'));
  test('leaves out empty filters', () => assert.equal(hrefTo(['home'], { q: '' }), '#/home'));
});

test('navigate: opens a link', () => {
  navigate(['campaigns', 'night-ferry'], { part: 'links' });
  assert.equal(location.hash, '#/campaigns/night-ferry?part=links');
});

test('replaceRoute: changes the route at once', () => {
  replaceRoute(['analytics'], { by: 'days' });
  assert.deepEqual(route.value, { parts: ['analytics'], filters: { by: 'days' } });
});

test('setFilters: keeps the other filters and the parts', () => {
  open('#/supporters?campaign=night-ferry&page=3');
  setFilters({ page: '', q: 'ada' });
  assert.equal(location.hash, '#/supporters?campaign=night-ferry&q=ada');
});
