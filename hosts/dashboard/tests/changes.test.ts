import '../../site/scripts/tests/english.ts';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { APIError, NetworkError, type Schema } from '../../site/scripts/api.ts';
import {
  ConfirmationDismissed,
  confirmIdentity,
  needsRecentSignIn,
  newChangeID,
  pendingConfirmation,
  withRecentSignIn,
} from '../changes.ts';

const refusal = (code: string): APIError => new APIError(403, { error: 'refused', code } as Schema['Error']);

/** Returns a request that fails with each of the errors in turn, and then succeeds. */
function failing(...errors: Error[]): () => Promise<string> {
  return async () => {
    const error = errors.shift();
    if (error) throw error;
    return 'sent';
  };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('withRecentSignIn', () => {
  test('asks for no confirmation unless it is needed', async () => {
    assert.equal(await withRecentSignIn(failing()), 'sent');
    assert.equal(pendingConfirmation.value, null);
  });
  test('retries the request after a confirmation', async () => {
    const sent = withRecentSignIn(failing(refusal('sign_in_again')));
    await settled();
    pendingConfirmation.value?.confirmed();
    assert.equal(await sent, 'sent');
    assert.equal(pendingConfirmation.value, null);
  });
  test('retries once only', async () => {
    const sent = withRecentSignIn(failing(refusal('sign_in_again'), refusal('sign_in_again')));
    await settled();
    pendingConfirmation.value?.confirmed();
    await assert.rejects(sent, needsRecentSignIn);
  });
  test('does not send the request if the dialog is dismissed', async () => {
    const sent = withRecentSignIn(failing(refusal('sign_in_again')));
    await settled();
    pendingConfirmation.value?.dismissed();
    await assert.rejects(sent, ConfirmationDismissed);
    assert.equal(pendingConfirmation.value, null);
  });
  test('passes other errors on', async () => {
    await assert.rejects(withRecentSignIn(failing(refusal('forbidden'))), { status: 403 });
    await assert.rejects(withRecentSignIn(failing(new NetworkError())), NetworkError);
    assert.equal(pendingConfirmation.value, null);
  });
});

test('confirmIdentity: resolves when the operator confirms', async () => {
  const confirmed = confirmIdentity();
  pendingConfirmation.value?.confirmed();
  await confirmed;
});

test('newChangeID: differs for every change', () => assert.notEqual(newChangeID(), newChangeID()));
