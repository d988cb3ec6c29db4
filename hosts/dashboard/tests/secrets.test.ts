import '../../site/scripts/tests/english.ts';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { purposeOf } from '../settings/secretwords.ts';

test('every secret of the configuration has a name and a use', () => {
  const config = readFileSync(new URL('../../config/config.go', import.meta.url), 'utf8');
  const variables = [...config.matchAll(/`env:"(\w+)" secret:/g)].map((m) => m[1] ?? '');
  assert.ok(variables.length > 20);
  assert.deepEqual(
    variables.filter((v) => !purposeOf(v)?.use),
    [],
  );
});
