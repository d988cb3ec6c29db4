import '../../site/scripts/tests/english.ts';
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import type { Field } from '../editor/draft.ts';
import { deleteDrafts, draftKey, drafts, openDrafts, storedEdits } from '../editor/draftstore.ts';
import { restoreDraft, storeDraft } from '../editor/usedraft.ts';

const text = (path: string, kind = 'text'): Field => ({ path, kind, control: kind, label: path, read: [], write: [] });
const fields = [text('title'), text('goal', 'money'), text('contact', 'email')];
const was = { title: 'Night Ferry', goal: 100, contact: 'ada@fund.example' };

beforeEach(async () => {
  localStorage.clear();
  await openDrafts('ada@fund.example');
});

describe('drafts of an operator', () => {
  test('are deleted when another operator signs in', async () => {
    localStorage.setItem(draftKey('campaigns/night-ferry.md'), '[{"path":"title"}]');
    assert.deepEqual(drafts(), [{ file: 'campaigns/night-ferry.md', fields: 1 }]);
    await openDrafts('eve@fund.example');
    assert.deepEqual(drafts(), []);
    await openDrafts('ada@fund.example');
    assert.deepEqual(drafts(), []);
  });
  test('of release 0.1.0 are kept', async () => {
    localStorage.setItem('draft settings.yaml', '[{"path":"title"}]');
    await openDrafts('ada@fund.example');
    assert.deepEqual(drafts(), [{ file: 'settings.yaml', fields: 1 }]);
    assert.equal(localStorage.getItem('draft settings.yaml'), null);
  });
  test('are deleted at sign-out, and nothing else is', () => {
    localStorage.setItem(draftKey('settings.yaml'), '[{"path":"title"}]');
    localStorage.setItem('cart', '[]');
    deleteDrafts();
    assert.deepEqual(Object.keys(localStorage), ['cart']);
  });
  test('ignore a damaged item', () => {
    localStorage.setItem(draftKey('settings.yaml'), '{');
    assert.deepEqual(storedEdits(draftKey('settings.yaml')), []);
    assert.deepEqual(drafts(), []);
  });
});

describe('storeDraft', () => {
  const key = (): string => draftKey('campaigns/night-ferry.md');
  test('stores changed fields, but no email address', () => {
    const is = { ...was, title: 'Day Ferry', contact: 'new@fund.example' };
    storeDraft(key(), fields, { was, is, base: 'r1' });
    assert.deepEqual(storedEdits(key()), [{ path: 'title', was: 'Night Ferry', value: 'Day Ferry' }]);
  });
  test('removes the item when nothing is changed', () => {
    storeDraft(key(), fields, { was, is: { ...was, goal: 200 }, base: 'r1' });
    storeDraft(key(), fields, { was, is: was, base: 'r1' });
    assert.equal(localStorage.getItem(key()), null);
  });
});

describe('restoreDraft', () => {
  const key = (): string => draftKey('campaigns/night-ferry.md');
  test('without edits has the file’s values', () =>
    assert.deepEqual(restoreDraft(key(), fields, was, 'r1'), { was, is: was, base: 'r1' }));
  test('keeps the values that the edits are based on', () => {
    storeDraft(key(), fields, { was, is: { ...was, title: 'Day Ferry' }, base: 'r1' });
    const file = { ...was, title: 'Changed by Eve', goal: 300 };
    assert.deepEqual(restoreDraft(key(), fields, file, 'r2'), {
      was: { ...file, title: 'Night Ferry' },
      is: { ...file, title: 'Day Ferry' },
      base: '',
    });
  });
  test('restores the removal of a field', () => {
    storeDraft(key(), fields, { was, is: { title: was.title, contact: was.contact }, base: 'r1' });
    assert.deepEqual(restoreDraft(key(), fields, was, 'r1').is, { title: was.title, contact: was.contact });
  });
  test('ignores fields that the operator may not read', () => {
    localStorage.setItem(key(), '[{"path":"secret","was":1,"value":2}]');
    assert.deepEqual(restoreDraft(key(), fields, was, 'r1'), { was, is: was, base: 'r1' });
  });
});
