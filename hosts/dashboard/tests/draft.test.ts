import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  conflicting,
  edits,
  equal,
  type Field,
  isStorable,
  rebase,
  type Values,
  valueAt,
  withEntryIDs,
  withValue,
} from '../editor/draft.ts';
import { keyOf } from '../ui/order.ts';

const field = (path: string, more: Partial<Field> = {}): Field => ({
  path,
  kind: 'text',
  control: 'text',
  label: path,
  read: [],
  write: [],
  ...more,
});

const title = field('title');
const tiers = field('tiers', { kind: 'objects', identity: 'name', fields: [field('name'), field('price')] });

const file: Values = {
  title: 'Night Ferry',
  custom_amount: { min: 5 },
  tiers: [
    { name: 'Early Bird', price: 20 },
    { id: 'boat', name: 'Paper boat', price: 40 },
  ],
};

const opened = withEntryIDs([tiers], file);

describe('valueAt', () => {
  test('top level', () => assert.equal(valueAt(file, 'title'), 'Night Ferry'));
  test('nested', () => assert.equal(valueAt(file, 'custom_amount.min'), 5));
  test('list entry by explicit ID', () => assert.equal(valueAt(file, 'tiers[boat].price'), 40));
  test('list entry by derived ID', () => assert.equal(valueAt(opened, 'tiers[early-bird].price'), 20));
  test('missing', () => assert.equal(valueAt(file, 'tiers[none].price.x'), undefined));
});

describe('withValue', () => {
  test('leaves the original unchanged', () => {
    assert.equal(withValue(file, 'title', 'New').title, 'New');
    assert.equal(file.title, 'Night Ferry');
  });
  test('creates mappings', () => assert.deepEqual(withValue({}, 'a.b', 1), { a: { b: 1 } }));
  test('removes emptied mappings', () =>
    assert.deepEqual(withValue({ a: { b: 1 }, c: 2 }, 'a.b', undefined), { c: 2 }));
  test('replaces a value in a list entry', () =>
    assert.deepEqual(valueAt(withValue(file, 'tiers[boat].price', 45), 'tiers[boat]'), {
      id: 'boat',
      name: 'Paper boat',
      price: 45,
    }));
  test('removes a list entry', () =>
    assert.deepEqual(withValue(file, 'tiers[boat]', undefined).tiers, [{ name: 'Early Bird', price: 20 }]));
});

describe('withEntryIDs', () => {
  const added = (name: unknown): unknown =>
    (withEntryIDs([tiers], { tiers: [{ name }] }).tiers as readonly Values[])[0]?.['#'];
  for (const [name, want] of [
    ['Early Bird', 'early-bird'],
    ["  The Captain's -- Table! ", 'the-captains-table'],
    ['Año', undefined],
    ['!!!', undefined],
    [7, undefined],
  ] as const)
    test(`derives the ID of ${JSON.stringify(name)}`, () => assert.equal(added(name), want));
  test('prefers the explicit ID', () => assert.equal(valueAt(opened, 'tiers[boat].#'), 'boat'));
});

describe('equal', () => {
  test('ignores the order of keys, added IDs and undefined values', () =>
    assert.ok(equal({ a: 1, b: [{ '#': 'x', c: undefined }] }, { b: [{}], a: 1 })));
  test('compares the order of lists', () => assert.ok(!equal([1, 2], [2, 1])));
  test('null equals a missing value', () => assert.ok(equal(null, undefined)));
});

describe('edits', () => {
  const diff = (is: Values) => edits([title, tiers], opened, is);
  test('of an unchanged form', () => assert.deepEqual(diff(structuredClone(opened)), []));
  test('changed field', () =>
    assert.deepEqual(diff(withValue(opened, 'title', 'Day Ferry')), [
      { path: 'title', was: 'Night Ferry', value: 'Day Ferry' },
    ]));
  test('removed field', () =>
    assert.deepEqual(diff(withValue(opened, 'title', undefined)), [{ path: 'title', was: 'Night Ferry' }]));
  test('changed field of a list entry', () =>
    assert.deepEqual(diff(withValue(opened, 'tiers[boat].price', 45)), [
      { path: 'tiers[boat].price', was: 40, value: 45 },
    ]));
  test('renamed list entry keeps its ID', () =>
    assert.deepEqual(diff(withValue(opened, 'tiers[early-bird].name', 'First')), [
      { path: 'tiers[early-bird].name', was: 'Early Bird', value: 'First' },
    ]));
  test('removed list entry', () =>
    assert.deepEqual(diff(withValue(opened, 'tiers[boat]', undefined)), [
      { path: 'tiers[boat]', was: { id: 'boat', name: 'Paper boat', price: 40 } },
    ]));
  test('added list entry', () => {
    const list = [...(opened.tiers as readonly Values[]), { name: 'Crew', price: 90 }];
    assert.deepEqual(diff({ ...opened, tiers: list }), [{ path: 'tiers[]', value: { name: 'Crew', price: 90 } }]);
  });
  test('reordered list is replaced as a whole, and renamed entries get explicit IDs', () => {
    const renamed = withValue(opened, 'tiers[early-bird].name', 'First');
    const list = [...(renamed.tiers as readonly Values[])].reverse();
    assert.deepEqual(diff({ ...opened, tiers: list }), [
      {
        path: 'tiers',
        was: file.tiers,
        value: [
          { id: 'boat', name: 'Paper boat', price: 40 },
          { id: 'early-bird', name: 'First', price: 20 },
        ],
      },
    ]);
  });
});

test('isStorable: email addresses stay in memory', () => {
  assert.equal(isStorable(title), true);
  for (const kind of ['email', 'emails', 'sender']) assert.equal(isStorable(field('to', { kind })), false);
});

describe('rebase', () => {
  test('new entries and blocks stay the same ones', () => {
    const empty: Values = { title: 'Night Ferry' };
    const first = { name: 'Poster', price: 10 };
    const filled = rebase([title, tiers], { was: empty, is: { ...empty, tiers: [first] } }, { title: 'Day Ferry' }).is;
    assert.deepEqual(filled, { title: 'Day Ferry', tiers: [first] });
    assert.deepEqual((valueAt(filled, 'tiers') as Values[]).map(keyOf), [keyOf(first)]);

    const story = field('story', { kind: 'blocks' });
    const entry = { name: 'Poster', price: 10 };
    const block = { type: 'text', text: 'At sea.' };
    const was = withEntryIDs([tiers], file);
    const is = withValue(withValue(was, 'tiers', [...(valueAt(was, 'tiers') as Values[]), entry]), 'story', [block]);
    const next = rebase([title, tiers, story], { was, is }, withValue(was, 'title', 'Day Ferry')).is;
    const last = (valueAt(next, 'tiers') as Values[]).at(-1);
    assert.equal(last && keyOf(last), keyOf(entry));
    assert.deepEqual((valueAt(next, 'story') as Values[]).map(keyOf), [keyOf(block)]);
  });

  const fields = [title, field('goal'), tiers];
  const was = withEntryIDs(fields, { ...file, goal: 100 });
  const price = (v: Values, p: number): Values => withValue(v, 'tiers[early-bird].price', p);
  test('keeps edits, and takes what others changed', () => {
    const next = rebase(fields, { was, is: price(was, 25) }, withValue(was, 'title', 'Day Ferry'));
    assert.equal(next.is.title, 'Day Ferry');
    assert.deepEqual(edits(fields, next.was, next.is), [{ path: 'tiers[early-bird].price', was: 20, value: 25 }]);
  });
  test('keeps the old value of a conflict', () => {
    const newer = price(was, 30);
    const next = rebase(fields, { was, is: price(was, 25) }, newer);
    const mine = edits(fields, next.was, next.is);
    assert.deepEqual(mine, [{ path: 'tiers[early-bird].price', was: 20, value: 25 }]);
    assert.deepEqual(conflicting(mine, newer), mine);
  });
  test('drops edits that the file has by now', () => {
    const is = withValue(price(was, 25), 'goal', 200);
    const next = rebase(fields, { was, is }, price(was, 25));
    assert.deepEqual(edits(fields, next.was, next.is), [{ path: 'goal', was: 100, value: 200 }]);
  });
  test('keeps a new entry once', () => {
    const added = { name: 'Poster', price: 10 };
    const is = withValue(was, 'tiers', [...(valueAt(was, 'tiers') as Values[]), added]);
    const again = rebase(fields, { was, is }, was);
    assert.deepEqual(edits(fields, again.was, again.is), [{ path: 'tiers[]', value: added }]);
    const published = rebase(fields, { was, is }, withEntryIDs(fields, is));
    assert.deepEqual(edits(fields, published.was, published.is), []);
  });
});
