// Display names of card brands, by Stripe's lower-case identifiers (card.brand in
// https://docs.stripe.com/api/payment_methods/object).
const names: Readonly<Record<string, string>> = {
  amex: 'American Express',
  diners: 'Diners Club',
  jcb: 'JCB',
  unionpay: 'UnionPay',
};

export const brandName = (named: string): string =>
  names[named] ?? named.charAt(0).toUpperCase() + named.slice(1).replaceAll('_', ' ');
