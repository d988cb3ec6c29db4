import '../../site/scripts/tests/english.ts';
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import type { Field } from '../editor/draft.ts';
import { deleteDrafts, draftKey, drafts, hasDraft, openDrafts, storedEdits } from '../editor/draftstore.ts';
import { restoreDraft, type Section, storeDraft } from '../editor/usedraft.ts';

const text = (path: string, kind = 'text'): Field => ({
  path,
  kind,
  control: 'text',
  label: path,
  read: [],
  write: [],
});
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

const store = (): string => draftKey('campaigns/night-ferry.md');
const sections: readonly Section[] = [
  { key: 'settings', label: 'Settings', fields: [fields[0] as Field, fields[2] as Field] },
  { key: 'dates', label: 'Dates', fields: [fields[1] as Field] },
];

describe('storeDraft', () => {
  test('stores changed fields with their section, but no email address', () => {
    const is = { ...was, title: 'Day Ferry', goal: 200, contact: 'new@fund.example' };
    assert.equal(storeDraft(store(), sections, { was, is }, 5), true);
    assert.deepEqual(storedEdits(store()), [
      { path: 'title', was: 'Night Ferry', value: 'Day Ferry', section: 'settings', at: 5 },
      { path: 'goal', was: 100, value: 200, section: 'dates', at: 5 },
    ]);
    assert.equal(hasDraft('campaigns/night-ferry.md', 'dates'), true);
    assert.equal(hasDraft('campaigns/night-ferry.md', 'tiers'), false);
  });
  test('keeps the time of an unchanged draft', () => {
    const is = { ...was, goal: 200 };
    storeDraft(store(), sections, { was, is }, 5);
    assert.equal(storeDraft(store(), sections, { was, is }, 6), false);
    assert.equal((storedEdits(store())[0] as { at: number }).at, 5);
  });
  test('removes the item when nothing is changed', () => {
    storeDraft(store(), sections, { was, is: { ...was, goal: 200 } }, 5);
    storeDraft(store(), sections, { was, is: was }, 6);
    assert.equal(localStorage.getItem(store()), null);
  });
});

describe('restoreDraft', () => {
  test('keeps the values that the edits are based on', () => {
    storeDraft(store(), sections, { was, is: { ...was, goal: 200 } }, 5);
    const file = { ...was, goal: 150, title: 'Ferry' };
    assert.deepEqual(restoreDraft(store(), fields, file), {
      was: { ...file, goal: 100 },
      is: { ...file, goal: 200 },
    });
  });
  test('ignores fields that are not described any more', () => {
    localStorage.setItem(store(), '[{"path":"old","was":1,"value":2}]');
    assert.deepEqual(restoreDraft(store(), fields, was), { was, is: was });
  });
});
