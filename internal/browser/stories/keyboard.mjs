// Uses a page by keyboard alone. Each step checks that the focus is on a control, that it is visible,
// and that other content does not cover it.
import assert from 'node:assert/strict';

const sessions = new WeakMap(); // a DevTools session for each page
const worst = new WeakMap(); // the largest number of Tab presses on each page

async function sessionOf(page) {
  if (!sessions.has(page)) sessions.set(page, await page.context().newCDPSession(page));
  return sessions.get(page);
}

/** Returns the accessible name and the role of the element with the focus, as assistive technology reads them. */
export async function focused(page) {
  const cdp = await sessionOf(page);
  const { result } = await cdp.send('Runtime.evaluate', { expression: 'document.activeElement' });
  const { nodes } = await cdp.send('Accessibility.getPartialAXTree', {
    objectId: result.objectId,
    fetchRelatives: false,
  });
  await cdp.send('Runtime.releaseObject', { objectId: result.objectId });
  return { name: nodes[0]?.name?.value ?? '', role: nodes[0]?.role?.value ?? '', element: result.description };
}

/**
 * Asserts that an element other than the body has the focus, with a visible focus indicator and within
 * the window. A status message at the end of the page may cover it until the message disappears.
 */
export async function expectFocus(page) {
  const found = await page.waitForFunction(focusProblem);
  assert.equal(await found.jsonValue(), 'none', page.url());
}

/** Runs in the page and returns the problem with the focus, 'none', or null while a message covers it. */
function focusProblem() {
  const element = document.activeElement;
  if (!element || element === document.body) return 'the focus is on the body';
  if (element.tagName === 'IFRAME') return 'none';
  const shown = (e) =>
    [undefined, '::after'].some((part) => {
      const { outlineStyle, outlineWidth } = getComputedStyle(e, part);
      return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2;
    });
  // A heading or region that a script focuses is not a control. In a text field the caret is the indicator.
  const control = element.tabIndex >= 0 && !element.matches('[contenteditable=true]');
  let indicator = element;
  for (let n = 0; control && indicator && !shown(indicator); n++) indicator = n < 4 ? indicator.parentElement : null;
  if (!indicator) return `no indicator at ${element.outerHTML.slice(0, 200)}`;
  const { left, top, right, bottom } = element.getBoundingClientRect();
  if (bottom <= 0 || top >= innerHeight || right <= 0 || left >= innerWidth)
    return `out of view: ${element.outerHTML.slice(0, 200)}`;
  const at = document.elementFromPoint(
    (Math.max(left, 0) + Math.min(right, innerWidth)) / 2,
    (Math.max(top, 0) + Math.min(bottom, innerHeight)) / 2,
  );
  if (!at || indicator.contains(at) || at.contains(element)) return 'none';
  if (at.closest('[role=status]')) return null;
  return `${element.outerHTML.slice(0, 200)} is behind ${at.outerHTML.slice(0, 200)}`;
}

const matches = (name, wanted) => (wanted instanceof RegExp ? wanted.test(name) : name === wanted);

/**
 * Presses Tab, or Shift+Tab with `back`, until the element with an accessible name has the focus. It
 * fails after `most` presses.
 */
export async function tabTo(page, wanted, { back = false, most = 80 } = {}) {
  const passed = [];
  for (let presses = 0; presses <= most; presses++) {
    if (presses > 0) {
      await page.keyboard.press(back ? 'Shift+Tab' : 'Tab');
      await expectFocus(page).catch((error) => {
        throw new Error(`${error.message}\non the way to ${wanted}, after ${passed.join(', ')}`);
      });
    }
    const { name, role } = await focused(page);
    if (matches(name, wanted) && role !== 'heading') {
      if (presses > (worst.get(page)?.presses ?? 0))
        worst.set(page, { presses, to: name, at: page.url().replace(/^https?:\/\/[^/]+/, '') });
      return;
    }
    passed.push(`${role} “${name}”`);
  }
  throw new Error(`${wanted} is not reached after ${most} presses: ${passed.join(', ')}`);
}

/** Tabs to an element and presses Enter. */
export async function enter(page, wanted, options) {
  await tabTo(page, wanted, options);
  await page.keyboard.press('Enter');
}

/** Tabs to a text field and replaces its content. */
export async function write(page, wanted, text, options) {
  await tabTo(page, wanted, options);
  await page.keyboard.press('Control+a');
  await page.keyboard.type(text);
}

/** Tabs to a select, and types the beginning of an option. */
export async function choose(page, wanted, text, options) {
  await tabTo(page, wanted, options);
  await page.keyboard.type(text);
}

/** Waits until a script has moved the focus to the element with an accessible name. */
export async function expectFocusOn(page, wanted) {
  for (const until = Date.now() + 10_000; ; ) {
    const { name } = await focused(page);
    if (matches(name, wanted)) break;
    assert.ok(Date.now() < until, `the focus is on “${name}” instead of ${wanted}`);
    await new Promise((go) => setTimeout(go, 50));
  }
  await expectFocus(page);
}

/** Describes the largest number of Tab presses that tabTo needed on a page. */
export const longestWay = (page) => {
  const { presses, to, at } = worst.get(page);
  return `at most ${presses} presses of Tab: to ${to} at ${at}`;
};
