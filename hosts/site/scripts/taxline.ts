// The tax line of a bill: the name of the tax and its rate, with expandable details about its base and
// the rounding. It contains only facts from the service's explanation.
import type { Schema } from './api.ts';
import { h } from './dom.ts';
import { regionsOf } from './formats.ts';
import { lang, money, say } from './words.ts';

interface TaxPart {
  readonly label: string;
  readonly rate: string; // a fraction, such as 0.07875
  readonly base: number; // cents
}

export interface TaxInfo {
  readonly parts: readonly TaxPart[];
  readonly shippingTaxed: boolean;
  readonly place?: string; // place where no tax is collected, such as DE or US-OR
  readonly abroad?: boolean; // parcels are sent to another country
}

/** Returns the taxes of a quote. Bases of taxes with the same name and rate are added up. */
export function quotedTax(q: Schema['TaxQuote'], abroad: boolean): TaxInfo {
  const details = q.campaigns.map((c) => c.taxDetails);
  const place = details.find((d) => d.jurisdiction)?.jurisdiction;
  return {
    parts: addUp(
      details.flatMap((d) => d.breakdown.map((p) => ({ label: p.label, rate: p.rate, base: p.taxableCents }))),
    ),
    shippingTaxed: details.some((d) => d.shippingTaxed),
    abroad,
    ...(place ? { place } : {}),
  };
}

/** Returns the taxes in a pledge's explanation. The name of a tax is part of a rule such as "flat: Sales tax". */
export function explainedTax(reasons: readonly Schema['Derivation'][]): TaxInfo {
  const taxes = reasons.filter((r) => r.amount === 'tax' && r.rate);
  return {
    parts: addUp(
      taxes.map((r) => ({ label: r.rule.split(': ').slice(1).join(': '), rate: r.rate ?? '0', base: r.base ?? 0 })),
    ),
    shippingTaxed: false,
  };
}

function addUp(parts: readonly TaxPart[]): TaxPart[] {
  const all = new Map<string, TaxPart>();
  for (const p of parts) {
    const key = `${p.label} ${p.rate}`;
    all.set(key, { ...p, base: p.base + (all.get(key)?.base ?? 0) });
  }
  return [...all.values()];
}

/** Returns a rate such as 0.07875 as a percentage: 7.875. */
const percentOf = (rate: string): string => (Number(rate) * 100).toLocaleString(lang, { maximumFractionDigits: 5 });

// Taxes whose name is translated, by a pattern that captures the place before the name.
const taxNames: readonly (readonly [RegExp, string])[] = [
  [/^(.*?)\bVAT$/, 'tax_name_vat'],
  [/^(.*?)\bsales tax$/i, 'tax_name_sales'],
  [/^(.*?)\bgross receipts(?: tax)?$/i, 'tax_name_gross'],
];

/** Translates the name of a tax such as "NM gross receipts tax" to the page's language. */
export function taxName(label: string): string {
  for (const [pattern, id] of taxNames) {
    const place = pattern.exec(label)?.[1]?.trim();
    if (place) return say('tax_name_of', { place, tax: say(id) });
    if (place === '') return upperFirst(say(id));
  }
  return upperFirst(label);
}

const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const summaryOf = (p: TaxPart): string => say('bill_tax_rate', { tax: taxName(p.label), rate: percentOf(p.rate) });

export function taxRow(info: TaxInfo, tax: number): HTMLElement {
  return h('tr', {}, h('th', { scope: 'row' }, say('bill_tax'), explanation(info, tax)), h('td', {}, money(tax)));
}

function explanation(info: TaxInfo, tax: number): HTMLElement | null {
  if (info.parts.length > 0)
    return h(
      'details',
      { class: 'why' },
      h('summary', {}, info.parts.map(summaryOf).join(' · ')),
      ...info.parts.map((p) =>
        h(
          'p',
          {},
          say(info.shippingTaxed ? 'tax_base_shipping' : 'tax_base', {
            amount: money(p.base),
            rate: percentOf(p.rate),
          }),
        ),
      ),
      h('p', {}, say('tax_rounding')),
    );
  if (tax !== 0 || !info.place) return null;
  return h(
    'details',
    { class: 'why' },
    h('summary', {}, say('tax_none', { place: placeName(info.place) })),
    h('p', {}, say(info.abroad ? 'tax_import' : 'tax_none_why', { place: placeName(info.place) })),
  );
}

/** Returns the name of a place such as DE or US-OR. */
function placeName(place: string): string {
  const [country = '', region = ''] = place.split('-');
  return (
    new Map(regionsOf(country)).get(region) ?? new Intl.DisplayNames([lang], { type: 'region' }).of(country) ?? place
  );
}
