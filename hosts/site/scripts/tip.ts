// The tip for the platform: a percentage of the subtotal, or an amount that the supporter enters.
import type { Schema } from './api.ts';
import { h } from './dom.ts';
import { say } from './words.ts';

export const [defaultTip, maxTip] = (document.body.dataset.tip ?? '0 15').split(' ').map(Number) as [number, number];

const [least, most] = [0.5, 500]; // dollars
const other = 'other';

export type Tip = Pick<Schema['Cart'], 'tipPercent' | 'tipCents'>;

/** Returns the tip of a pledge's totals. */
export const tipOf = (t: { readonly tipPercent: number; readonly tipAmount: number }): Tip =>
  t.tipPercent === 0 && t.tipAmount > 0 ? { tipCents: t.tipAmount } : { tipPercent: t.tipPercent };

/** Returns the fields for the tip. A chosen percentage that is not among the options is added to them. */
export function tip(chosen: Tip): HTMLElement {
  const percent = chosen.tipPercent ?? 0;
  const percents = [...new Set([0, defaultTip, 5, 10, percent])].filter((n) => n <= maxTip || n === percent);
  const own = chosen.tipCents !== undefined;
  const options = percents
    .sort((a, b) => a - b)
    .map((n) =>
      h(
        'option',
        { value: n, selected: !own && n === percent },
        n === 0 ? say('tip_none') : say('percent', { percent: n }),
      ),
    );
  const select = h(
    'select',
    { name: 'tipPercent' },
    ...options,
    h('option', { value: other, selected: own }, say('tip_other')),
  );
  const amount = h('input', {
    type: 'number',
    inputmode: 'decimal',
    min: least,
    max: most,
    step: 0.01,
    required: true,
    name: 'tipCents',
    value: own ? (chosen.tipCents ?? 0) / 100 : '',
  });
  const field = h('label', {}, say('tip_amount'), amount);
  const arrange = (): void => {
    field.hidden = amount.disabled = select.value !== other;
  };
  select.addEventListener('input', arrange);
  arrange();
  return h(
    'fieldset',
    {},
    h('legend', {}, say('tip', { platform: platformName() })),
    h('p', { class: 'small' }, say('tip_why', { platform: platformName() })),
    h('label', {}, say('tip_label'), select),
    field,
  );
}

/** Reads the tip from a form. An amount outside the limits, such as an incomplete one, counts as no tip. */
export function readTip(form: HTMLFormElement): Tip {
  const data = new FormData(form);
  const chosen = String(data.get('tipPercent') ?? defaultTip);
  if (chosen !== other) return { tipPercent: Number(chosen) };
  const cents = Math.round(Number(data.get('tipCents')) * 100);
  return cents >= least * 100 && cents <= most * 100 ? { tipCents: cents } : { tipPercent: 0 };
}

/** Returns the tip in a form's saved fields, or the default tip. */
export function savedTip(fields: Readonly<Record<string, string>>): Tip {
  if (fields.tipPercent === other) return { tipCents: Math.round(Number(fields.tipCents) * 100) };
  return { tipPercent: Number(fields.tipPercent ?? defaultTip) };
}

export const platformName = (): string => document.querySelector('.brand')?.textContent?.trim() ?? '';
