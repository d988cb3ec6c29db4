// The bills of a checkout: the quote's next to the form, and that of each pledge before the card is
// saved.
import { partName } from './address.ts';
import type { Schema } from './api.ts';
import { billTable, linesWithDelivery } from './bill.ts';
import type { Catalogue } from './offers.ts';
import { explainedTax, quotedTax } from './taxline.ts';
import { type Question, questionText } from './taxquestion.ts';
import { platformName } from './tip.ts';
import { dayOf, list, say } from './words.ts';

type Quote = Schema['TaxQuote'];
type Started = Schema['Started'];

/** Returns the bill of a quote. */
export function quoteTable(q: Quote, cart: Schema['Cart'], all: Catalogue | null): HTMLElement {
  const question = firstQuestion(q);
  const why =
    question && question.reason !== 'missing'
      ? questionText(question)
      : say('tax_missing', { fields: list(q.missing.map((m) => partName(m, countryOf(cart)))) });
  const parts = q.campaigns.flatMap((c) => {
    const campaign = all?.campaigns.get(c.campaignSlug ?? '');
    return campaign ? [{ title: campaign.title, amount: c.amountCents, date: dayOf(campaign.endsAt) }] : [];
  });
  const to = cart.shippingAddress?.country;
  return billTable(
    {
      subtotal: q.subtotalCents,
      shipping: q.shippingCents,
      tax: q.provisional ? null : q.taxCents,
      tip: q.tipCents,
      tipPercent: cart.tipPercent ?? 0,
      amount: q.amountCents,
      taxInfo: quotedTax(q, to !== undefined && to !== document.body.dataset.origin),
      parts,
    },
    [],
    'later',
    why,
  );
}

const countryOf = (cart: Schema['Cart']): string => cart.shippingAddress?.country ?? cart.billingAddress?.country ?? '';

/** Returns the first open question about tax among the campaigns of a quote. */
export const firstQuestion = (total: Quote): Question | undefined =>
  total.campaigns.map((c) => c.taxDetails.question).find((q) => q !== undefined);

/** Returns the bill of a campaign's pledge. */
export const campaignBill = (c: Started['campaigns'][number], all: Catalogue | null): HTMLElement =>
  billTable(
    {
      subtotal: c.subtotal,
      shipping: c.shipping,
      tax: c.tax,
      tip: c.tipAmount,
      tipPercent: c.tipPercent,
      earlier: c.combined?.othersAmount ?? 0,
      amount: c.combined?.total ?? c.amount,
      taxInfo: explainedTax(c.explanation),
    },
    detailedLines(c.campaignSlug, c.lines, all),
  );

type Lines = Started['campaigns'][number]['lines'];

/** Returns the lines of a bill: name, amount, and a reward's delivery month or an add-on's sender. */
function detailedLines(slug: string, lines: Lines, all: Catalogue | null): [string, string, string?][] {
  const tiers = all?.campaigns.get(slug)?.tiers ?? [];
  const months = Object.fromEntries(tiers.map((t) => [t.id, t.estimatedDelivery]));
  return linesWithDelivery(lines, months).map(([name, amount, delivery], i) => [
    name,
    amount,
    lines[i]?.kind === 'platform_add_on' ? say('cart_from', { platform: platformName() }) : delivery,
  ]);
}
