import './english.ts';
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, mock, test } from 'node:test';
import { APIError, NetworkError, type Schema } from '../api.ts';
import { isRetryable, quoteRequests } from '../quotes.ts';

const refused = (status: number, retryAfter?: number): APIError =>
  new APIError(status, { error: 'refused', code: 'unavailable', retryAfter } as Schema['Error']);

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Returns quote requests that the test can answer, and records their results. */
function start() {
  const requests: { resolve: (quote: string) => void; reject: (error: unknown) => void }[] = [];
  const answers: string[] = [];
  const errors: unknown[] = [];
  const quotes = quoteRequests<string>(
    () => new Promise((resolve, reject) => requests.push({ resolve, reject })),
    (quote) => answers.push(quote),
    (error) => errors.push(error),
  );
  return { requests, answers, errors, ...quotes };
}

describe('quoteRequests', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  test('waits for a pause in typing', () => {
    const q = start();
    q.soon();
    mock.timers.tick(399);
    q.soon();
    mock.timers.tick(399);
    assert.equal(q.requests.length, 0);
    mock.timers.tick(1);
    assert.equal(q.requests.length, 1);
  });

  test('drops a response that is out of date', async () => {
    const q = start();
    q.now();
    q.now();
    q.requests[1]?.resolve('new');
    q.requests[0]?.resolve('old');
    await settled();
    assert.deepEqual(q.answers, ['new']);
  });

  test('drops responses after it was stopped', async () => {
    const q = start();
    q.now();
    q.stop();
    q.requests[0]?.resolve('late');
    await settled();
    assert.deepEqual(q.answers, []);
  });

  test('retries with doubled pauses', async () => {
    const q = start();
    q.now();
    for (const [n, pause] of [4_000, 8_000, 16_000].entries()) {
      q.requests[n]?.reject(new NetworkError());
      await settled();
      mock.timers.tick(pause - 1);
      assert.equal(q.requests.length, n + 1);
      mock.timers.tick(1);
      assert.equal(q.requests.length, n + 2);
    }
  });

  test('waits for the time in retryAfter', async () => {
    const q = start();
    q.now();
    q.requests[0]?.reject(refused(429, 90));
    await settled();
    mock.timers.tick(89_999);
    assert.equal(q.requests.length, 1);
    mock.timers.tick(1);
    assert.equal(q.requests.length, 2);
  });

  test('reports a rejected form once', async () => {
    const q = start();
    q.now();
    const error = refused(422);
    q.requests[0]?.reject(error);
    await settled();
    mock.timers.tick(600_000);
    assert.deepEqual(q.errors, [error]);
    assert.equal(q.requests.length, 1);
  });
});

test('isRetryable: by status', () => {
  assert.ok(isRetryable(new NetworkError()));
  assert.ok(isRetryable(refused(429)));
  assert.ok(isRetryable(refused(500)));
  assert.ok(!isRetryable(refused(409)));
  assert.ok(!isRetryable(new TypeError()));
});
