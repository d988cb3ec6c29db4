// Cards by the names that are on them. The processor writes them small and in one word
// (https://docs.stripe.com/api/payment_methods/object, card.brand).
const names: Readonly<Record<string, string>> = { amex: 'American Express', diners: 'Diners Club', jcb: 'JCB', unionpay: 'UnionPay' };

export const brand = (named: string): string => names[named] ?? named.charAt(0).toUpperCase() + named.slice(1).replaceAll('_', ' ');
