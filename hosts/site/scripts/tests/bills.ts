// Renders the bills of carts with the site's scripts. It reads a list of carts with the API's responses
// from standard input, and prints the amounts of each bill by row. The page has no messages, so that
// rows are named by message IDs.
import { readFileSync } from 'node:fs';
import type { Schema } from '../api.ts';
import { openPage } from './page.ts';

interface Cart {
  readonly cart: Schema['Cart'];
  readonly quote: Schema['TaxQuote'];
  readonly started: Schema['Started'];
  readonly views: readonly Schema['PledgeView'][];
}

/** A fake DOM element with the methods that the bills need. */
class Element {
  children: (Element | string)[] = [];

  constructor(readonly name: string) {}

  setAttribute(): void {}

  append(...more: (Element | string)[]): void {
    this.children.push(...more);
  }

  /** Returns the elements with a name, in order. */
  all(name: string): Element[] {
    return this.children.flatMap((c) =>
      typeof c === 'string' ? [] : [...(c.name === name ? [c] : []), ...c.all(name)],
    );
  }

  /** Returns the first text, without the text of child elements. */
  text(): string {
    return String(this.children.find((c) => typeof c === 'string') ?? '');
  }
}

openPage('en', {});
Object.assign(document, { createElement: (name: string) => new Element(name) });
const { pledgeBill } = await import('../bill.ts');
const { campaignBill, quoteTable } = await import('../checkoutbill.ts');

const amounts = (bill: unknown): Record<string, string> =>
  Object.fromEntries(
    (bill as Element).all('tr').map((row) => [row.all('th')[0]?.text() ?? '', row.all('td')[0]?.text() ?? '']),
  );

const carts = JSON.parse(readFileSync(0, 'utf8')) as Cart[];
const bills = carts.map(({ cart, quote, started, views }) => ({
  quote: amounts(quoteTable(quote, cart, null)),
  confirm: started.campaigns.map((c) => amounts(campaignBill(c, null))),
  manage: views.map((v) => amounts(pledgeBill(v, 'later'))),
}));
process.stdout.write(JSON.stringify(bills));
