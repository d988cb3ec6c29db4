import '../../site/scripts/tests/english.ts';
import assert from 'node:assert/strict';
import { beforeEach, describe, mock, test } from 'node:test';
import { hasPermission, hasPermissions, isSuperAdmin, now, session } from '../session.ts';
import { visibleTabs } from '../tabs.ts';
import { signIn } from './signin.ts';

beforeEach(() => {
  session.value = null;
});

describe('permissions', () => {
  test('of a signed-out visitor', () => {
    assert.equal(hasPermission('content'), false);
    assert.equal(isSuperAdmin(), false);
  });
  test('are those of the operator', () => {
    signIn({ permissions: ['content'] });
    assert.equal(hasPermission('content'), true);
    assert.equal(hasPermission('money'), false);
  });
  test('of a super admin are complete', () => {
    signIn({ role: 'super_admin' });
    assert.equal(hasPermission('money'), true);
    assert.equal(hasPermissions(['platform', 'mails']), true);
  });
  test('are all required', () => {
    signIn({ permissions: ['content', 'money'] });
    assert.equal(hasPermissions(['content', 'money']), true);
    assert.equal(hasPermissions(['content', 'mails']), false);
    assert.equal(hasPermissions(['content', 'platform']), false);
  });
  test('an empty list permits no one', () => {
    signIn({ role: 'super_admin' });
    assert.equal(hasPermissions([]), false);
  });
});

describe('visibleTabs', () => {
  test('of an operator without permissions', () => {
    signIn();
    assert.deepEqual(visibleTabs(), ['campaigns']);
  });
  test('of a super admin', () => {
    signIn({ role: 'super_admin' });
    assert.deepEqual(visibleTabs(), [
      'settings',
      'add-ons',
      'campaigns',
      'analytics',
      'reports',
      'supporters',
      'marketing',
    ]);
  });
  test('reports need two permissions without fulfillment', () => {
    signIn({ permissions: ['supporters'] });
    assert.deepEqual(visibleTabs(), ['campaigns', 'supporters']);
    signIn({ permissions: ['supporters', 'money'] });
    assert.deepEqual(visibleTabs(), ['campaigns', 'analytics', 'reports', 'supporters']);
    signIn({ permissions: ['fulfilment'] });
    assert.deepEqual(visibleTabs(), ['campaigns', 'reports']);
  });
});

test('now: follows the server’s clock', (t) => {
  mock.timers.enable({ apis: ['Date'], now: Date.parse('2026-01-31T12:00:00Z') });
  t.after(() => mock.timers.reset());
  signIn({ now: '2026-01-31T12:05:00Z' });
  mock.timers.tick(60_000);
  assert.equal(new Date(now()).toISOString(), '2026-01-31T12:06:00.000Z');
});
