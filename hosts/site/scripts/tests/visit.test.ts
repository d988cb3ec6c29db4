import './english.ts';
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { attribution, storeAttribution } from '../attribution.ts';
import { knownSession, session } from '../session.ts';
import { isEmailLink, storedToken, takeParameter, takeToken } from '../token.ts';

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
  location.href = 'https://fund.example/';
});

describe('attribution', () => {
  test('has the parameters of the link', () => {
    location.search = '?ref=ada&utm_source=news&utm_medium=email&page=2';
    storeAttribution();
    assert.deepEqual(attribution(), { referral: 'ada', utmSource: 'news', utmMedium: 'email' });
  });
  test('keeps the first link of a visit', () => {
    location.search = '?ref=first';
    storeAttribution();
    location.search = '?ref=second';
    storeAttribution();
    assert.deepEqual(attribution(), { referral: 'first' });
  });
  test('shortens long values', () => {
    location.search = `?ref=${'a'.repeat(101)}`;
    storeAttribution();
    assert.equal(attribution().referral?.length, 100);
  });
  test('is empty without a link', () => {
    storeAttribution();
    assert.deepEqual(attribution(), {});
  });
});

describe('tokens of email links', () => {
  test('are taken from the fragment and removed from the address', () => {
    location.href = 'https://fund.example/manage/?lang=es#t=abc&part=items';
    assert.ok(isEmailLink());
    assert.equal(takeToken(), 'abc');
    assert.equal(location.href, 'https://fund.example/manage/?lang=es#part=items');
    assert.equal(storedToken(), 'abc');
    assert.ok(!isEmailLink());
  });
  test('of earlier releases are in the query', () => {
    location.href = 'https://fund.example/manage/?t=old';
    assert.equal(takeToken(), 'old');
    assert.equal(location.href, 'https://fund.example/manage/');
  });
  test('are remembered in the tab', () => {
    sessionStorage.setItem('token', 'kept');
    assert.equal(takeToken(), 'kept');
  });
  test('other parameters stay', () => {
    location.href = 'https://fund.example/?a=1&b=2';
    assert.equal(takeParameter('a'), '1');
    assert.equal(location.search, '?b=2');
    assert.equal(takeParameter('c'), null);
  });
});

describe('session', () => {
  test('is created once', () => {
    assert.equal(knownSession(), '');
    const created = session();
    assert.match(created, /^[0-9a-f]{32}$/);
    assert.equal(session(), created);
    assert.equal(knownSession(), created);
  });
  test('ignores an invalid stored value', () => {
    localStorage.setItem('session', 'too short');
    assert.equal(knownSession(), '');
  });
});
