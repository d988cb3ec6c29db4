import '../../site/scripts/tests/english.ts';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { APIError, NetworkError, type Schema } from '../../site/scripts/api.ts';
import { isRetryable, query } from '../resources.ts';

describe('query', () => {
  test('appends parameters', () =>
    assert.equal(query('/admin/media', { kind: 'image', size: 0 }), '/admin/media?kind=image&size=0'));
  test('escapes values', () => assert.equal(query('/p', { q: 'a&b c' }), '/p?q=a%26b+c'));
  test('leaves out empty values', () => assert.equal(query('/p', { q: '', sha: undefined }), '/p'));
});

describe('isRetryable', () => {
  const failed = (status: number): APIError => new APIError(status, { error: '', code: 'x' } as Schema['Error']);
  test('network and server errors', () => {
    assert.equal(isRetryable(new NetworkError()), true);
    assert.equal(isRetryable(failed(503)), true);
  });
  test('refusals and bugs', () => {
    assert.equal(isRetryable(failed(404)), false);
    assert.equal(isRetryable(new TypeError()), false);
    assert.equal(isRetryable(undefined), false);
  });
});
