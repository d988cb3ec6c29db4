import '../../site/scripts/tests/english.ts';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { linkName } from '../marketing/linkname.ts';

describe('linkName', () => {
  for (const [query, name, details] of [
    ['utm_medium=email&utm_source=newsletter', 'newsletter / email', ''],
    ['ref=maya&utm_campaign=last+weeks&utm_source=press', 'press', 'last weeks · maya'],
    ['ref=maya', 'maya', ''],
    ['ref=maya&utm_content=top', 'top', 'maya'],
  ] as const)
    test(query, () => assert.deepEqual(linkName(query), { name, details }));
});
