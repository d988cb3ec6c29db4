// Checks of a page in any state: accessibility, width and error messages.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Asserts that a page has no violations in light colors, and that its dark colors have enough contrast. */
export async function expectNoViolations(page, where, { dark = true } = {}) {
  await expectOwnMessages(page, where);
  await page.evaluate(axe);
  for (const [colorScheme, rules] of [...(dark ? [['dark', { runOnly: ['color-contrast'] }]] : []), ['light', {}]]) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const found = await page.evaluate(async (options) => {
      const { violations } = await window.axe.run(document, { resultTypes: ['violations'], ...options });
      return violations.map(
        (v) => `${v.id}: ${v.nodes.map((n) => `${n.target.join(' ')} ${n.failureSummary}`).join(' | ')}`,
      );
    }, rules);
    assert.deepEqual(found, [], `${where}, ${colorScheme}`);
  }
}

/** Asserts that no form reports errors with the browser's own messages, which are not in the page's language. */
async function expectOwnMessages(page, where) {
  const found = await page.evaluate(() => {
    const constrained = (e) => e.required || e.min || e.max || e.pattern || ['email', 'number', 'url'].includes(e.type);
    return [...document.forms]
      .filter((f) => !f.noValidate && [...f.elements].some(constrained))
      .map((f) => f.outerHTML.slice(0, 200));
  });
  assert.deepEqual(found, [], `${where} has forms that the browser validates`);
}

/** Asserts that a page fits into its window: it does not scroll sideways, and nothing is cut off. */
export async function expectFits(page, where) {
  const [have, need] = await page.evaluate(() => [window.innerWidth, document.documentElement.scrollWidth]);
  assert.ok(need <= have, `${where} is ${need} wide, the window ${have}`);
  const cut = await page.evaluate(() =>
    [...document.querySelectorAll('main *')]
      .filter((e) => e.getClientRects().length && e.getBoundingClientRect().right > window.innerWidth + 1)
      .filter((e) => !e.closest('.tabs')) // has its own scrollbar
      .map((e) => e.outerHTML.slice(0, 80)),
  );
  assert.deepEqual(cut, [], where);
}
