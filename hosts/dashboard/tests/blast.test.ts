import '../../site/scripts/tests/english.ts';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isSameAudience, valueName, withValues } from '../blast/audience.ts';
import { blocksOf, markdownOf } from '../blast/bodyblocks.ts';
import { findBroken, isUsable, referencesOf } from '../blast/checks.ts';
import { frameMail, themed } from '../blast/mailframe.ts';
import { contentOf, deliveryOf, isEmpty, isSame, noContent } from '../blast/message.ts';

test('referencesOf: finds pictures, links and the button, each once', () =>
  assert.deepEqual(referencesOf('![A](/a.jpg) [b](/b "title") [b](/b) [c](<https://example.org/c>)', '/button'), {
    pictures: ['/a.jpg'],
    links: ['/button', '/b', 'https://example.org/c'],
  }));

describe('isUsable', () => {
  for (const [address, usable] of [
    ['/campaigns/film/', true],
    ['https://example.org', true],
    ['mailto:a@example.org', true],
    ['//example.org', false],
    ['campaigns/film', false],
    ['https://', false],
    ['javascript:alert(1)', false],
  ] as const)
    test(address, () => assert.equal(isUsable(address), usable));
});

test('findBroken: asks for paths of the site only', async () => {
  const asked: string[] = [];
  const exists = async (path: string): Promise<boolean> => asked.push(path) > 0 && path === '/here';
  assert.deepEqual(await findBroken(['/here', '/gone', 'https://example.org', 'nowhere'], exists), [
    '/gone',
    'nowhere',
  ]);
  assert.deepEqual(asked, ['/here', '/gone']);
});

describe('deliveryOf', () => {
  const states = { accepted: 200, complained: 1, bounced: 3, refused: 2, suppressed: 4, pending: 10 };
  test('counts emails that are still waiting', () =>
    assert.deepEqual(deliveryOf({ states, phase: 'sending' }), {
      delivered: 201,
      bounced: 3,
      complained: 1,
      notSent: 6,
      pending: 10,
    }));
  test('counts those of a stopped message as not sent', () =>
    assert.deepEqual(deliveryOf({ states, phase: 'stopped' }), {
      delivered: 201,
      bounced: 3,
      complained: 1,
      notSent: 16,
      pending: 0,
    }));
});

test('isSame: compares the words and the audience', () => {
  assert.equal(isSame(noContent, { ...noContent }), true);
  assert.equal(isSame(noContent, { ...noContent, ctaUrl: '/a' }), false);
  assert.equal(isSame(noContent, { ...noContent, audience: { languages: ['es'] } }), false);
});

test('contentOf: takes the audience of a draft and of a sent message', () => {
  const words = { subject: 'A', body: 'B', ctaLabel: '', ctaUrl: '' };
  assert.deepEqual(contentOf({ ...words, audience: { languages: ['es'] } }).audience, { languages: ['es'] });
  assert.deepEqual(contentOf({ ...words, segment: { rewards: ['print'] } }).audience, { rewards: ['print'] });
  assert.equal(isEmpty(contentOf({ subject: '', body: '', ctaLabel: '', ctaUrl: '' })), true);
});

describe('audiences', () => {
  test('the order of values does not matter', () =>
    assert.equal(isSameAudience({ countries: ['US', 'CA'], rewards: [] }, { countries: ['CA', 'US'] }), true));
  test('a kind without values is left out', () => {
    assert.deepEqual(withValues({ countries: ['US'], rewards: ['a'] }, 'countries', []), { rewards: ['a'] });
    assert.deepEqual(withValues({}, 'languages', ['es']), { languages: ['es'] });
  });
  test('values have names', () => {
    assert.equal(valueName('countries', 'CA'), 'Canada');
    assert.equal(valueName('rewards', 'print', { print: 'Signed print' }), 'Signed print');
    assert.equal(valueName('languages', 'es'), 'Emails in Spanish');
    assert.equal(valueName('statuses', 'payment_failed'), 'Payment failed');
  });
});

describe('blocks of a message', () => {
  const markdown = 'Hello,\n\n- one\n\n- two\n\n![A \\[small\\] ship](/assets/images/ship.jpg)\n\nBye ![x](/y.jpg)';
  test('pictures of their own are blocks', () =>
    assert.deepEqual(blocksOf(markdown), [
      { type: 'text', text: 'Hello,\n\n- one\n\n- two' },
      { type: 'image', src: '/assets/images/ship.jpg', alt: 'A [small] ship' },
      { type: 'text', text: 'Bye ![x](/y.jpg)' },
    ]));
  test('an unchanged message is written as it was', () => assert.equal(markdownOf(blocksOf(markdown)), markdown));
  test('a picture without a file is left out', () =>
    assert.equal(
      markdownOf([
        { type: 'text', text: ' A ' },
        { type: 'image', src: '', alt: 'x' },
      ]),
      'A',
    ));
  test('an empty message has a text to write in', () => assert.deepEqual(blocksOf(''), [{ type: 'text', text: '' }]));
});

describe('a mail in a frame', () => {
  const css = ':root{color-scheme:light dark}@media (prefers-color-scheme:dark){.p{color:#fff!important}}';
  const mail = `<html><head><style>${css}</style></head><body class="p" style="margin:0"><p>a style="b"</p></body></html>`;
  test('has its styles apart from the markup', () =>
    assert.deepEqual(frameMail(mail), {
      css,
      html: '<html><head></head><body class="p" data-style="margin:0"><p>a style="b"</p></body></html>',
    }));
  test('has the theme that is asked for', () => {
    assert.match(themed(css, true), /color-scheme:dark.*@media all/);
    assert.match(themed(css, false), /color-scheme:light}.*@media not all/);
  });
});
