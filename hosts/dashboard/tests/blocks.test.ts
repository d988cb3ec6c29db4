import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countWords, isSameText, readingMinutes } from '../blocks/markdown.ts';

test('texts are the same if only white space and bullets differ', () => {
  assert.ok(isSameText('* one\n* two\n', '- one\n- two'));
  assert.ok(isSameText('one\ntwo\n\nthree', 'one two\n\n\nthree\n'));
  assert.ok(isSameText('one  \ntwo', 'one\\\ntwo'), 'both break the line');
});

test('texts differ if a word, a mark or a line break differs', () => {
  assert.ok(!isSameText('No. The premiere', '1. The premiere'));
  assert.ok(!isSameText('a **b**', 'a b'));
  assert.ok(!isSameText('![Boat](/boat.jpg) at night', 'at night'));
  assert.ok(!isSameText('one  \ntwo', 'one\ntwo'));
});

test('words and reading time', () => {
  assert.equal(countWords(['## Why now', "We can't wait: it's **1958**."]), 7);
  assert.equal(readingMinutes(0), 1);
  assert.equal(readingMinutes(660), 3);
});
