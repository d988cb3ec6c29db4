import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { contrast, darkened } from '../settings/colors.ts';
import { designDefaults } from '../settings/defaults.ts';

test('contrast by WCAG', () => {
  assert.equal(contrast('#000', '#ffffff').toFixed(0), '21');
  assert.equal(contrast('#767676', '#ffffff').toFixed(2), '4.54');
  assert.equal(contrast('red', '#ffffff'), 0);
});

test('darkened is readable, and keeps what already is', () => {
  assert.ok(contrast(darkened('#8b90a6', 4.5), '#ffffff') >= 4.5);
  assert.equal(darkened('#12152a', 4.5), '#12152a');
});

test('the defaults are those of the style sheet', () => {
  const css = readFileSync(new URL('../../site/assets/site.css', import.meta.url), 'utf8');
  const properties: Readonly<Record<string, string>> = {
    color_primary: '--primary',
    color_highlight: '--lamp',
    color_text: '--text',
    color_text_muted: '--muted',
    color_surface_subtle: '--subtle',
    color_border: '--border',
    radius_lg: '--radius',
    font_body: '--font-body',
    font_display: '--font-display',
  };
  for (const [key, property] of Object.entries(properties)) {
    const value = new RegExp(`^  ${property}: (?:light-dark\\()?"?([^,;")]+)`, 'm').exec(css)?.[1];
    assert.equal(designDefaults[`design.${key}`], value, key);
  }
});
