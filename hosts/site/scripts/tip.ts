// The tip for the platform, in percent of the subtotal.
import { h } from './dom.ts';
import { say } from './words.ts';

export const [defaultTip, maxTip] = (document.body.dataset.tip ?? '5 15').split(' ').map(Number) as [number, number];

/** Returns a select of tips. A chosen value that is not among the options is added to them. */
export function tip(chosen: number): HTMLElement {
  const percents = [...new Set([0, defaultTip, 5, 10, 15, maxTip])].filter((n) => n <= maxTip);
  const all = percents.includes(chosen) ? percents : [...percents, chosen];
  const options = all
    .sort((a, b) => a - b)
    .map((n) =>
      h('option', { value: n, selected: n === chosen }, n === 0 ? say('tip_none') : say('percent', { percent: n })),
    );
  return h(
    'fieldset',
    {},
    h('legend', {}, say('tip')),
    h('label', {}, say('tip_label'), h('select', { name: 'tipPercent' }, ...options)),
  );
}
