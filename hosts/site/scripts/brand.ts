// Display names of card brands. Stripe uses lower-case identifiers
// (https://docs.stripe.com/api/payment_methods/object, card.brand).
const names: Readonly<Record<string, string>> = {
  amex: 'American Express',
  diners: 'Diners Club',
  jcb: 'JCB',
  unionpay: 'UnionPay',
};

export const brandName = (named: string): string =>
  names[named] ?? named.charAt(0).toUpperCase() + named.slice(1).replaceAll('_', ' ');
