import '../../site/scripts/tests/english.ts';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Listing, listingPath, repositoryName, uniqueName, uploadsDirectly } from '../media/upload.ts';

describe('repositoryName', () => {
  for (const [name, want] of [
    ['Poster.JPG', 'poster.jpg'],
    ['Über Größe (2).png', 'uber-gro-e-2.png'],
    ['--a__b--.webp', 'a-b.webp'],
    ['日本.png', 'file.png'],
    ['archive.tar.gz', 'archive-tar.gz'],
    ['README', 'readme'],
    ['../../etc/passwd.jp g', 'etc-passwd.jpg'],
    [`${'a'.repeat(79)} b.png`, `${'a'.repeat(79)}.png`],
  ] as const)
    test(name, () => assert.equal(repositoryName(new File([], name)), want));
});

describe('uniqueName', () => {
  test('adds a suffix', () => assert.equal(uniqueName('a.png', new Set(['a.png'])), 'a-2.png'));
  test('takes the first free suffix', () =>
    assert.equal(uniqueName('a.b.png', new Set(['a.b.png', 'a.b-2.png', 'a.b-3.png'])), 'a.b-4.png'));
});

test('uploadsDirectly: images are uploaded to the API', () => {
  const listing = { direct: true } as Listing;
  assert.equal(uploadsDirectly(listing, 'video'), true);
  assert.equal(uploadsDirectly(listing, 'image'), false);
  assert.equal(uploadsDirectly({ ...listing, direct: false }, 'video'), false);
});

test('listingPath: of a campaign and of the defaults', () => {
  assert.equal(listingPath({ use: 'campaign', slug: 'night-ferry', writable: true }), '/admin/media/night-ferry');
  assert.equal(listingPath({ use: 'default', writable: true }), '/admin/media');
});
