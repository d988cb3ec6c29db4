import './english.ts';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { APIError, decodeResponse, NetworkError, tokenHeaders } from '../api.ts';

describe('decodeResponse', () => {
  test('returns the value', () => assert.deepEqual(decodeResponse(200, '{"amount":2500}'), { amount: 2500 }));
  test('an empty body is an empty object', () => assert.deepEqual(decodeResponse(204, ''), {}));
  test('throws the error that the response reports', () =>
    assert.throws(
      () => decodeResponse(409, '{"error":"already paid","code":"conflict"}'),
      (error) =>
        error instanceof APIError &&
        error.status === 409 &&
        error.problem.code === 'conflict' &&
        error.message === 'already paid',
    ));
  test('a proxy’s page is a network error', () =>
    assert.throws(() => decodeResponse(502, '<html>Bad Gateway</html>'), NetworkError));
});

test('tokenHeaders: escapes characters that headers do not allow', () =>
  assert.deepEqual(tokenHeaders('a\nb', { 'X-Order': 'ñ' }), { 'X-Link-Token': 'a%0Ab', 'X-Order': '%C3%B1' }));
