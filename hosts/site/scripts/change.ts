// Changing a pledge: choose anew from what there is, see what it would come to, and
// only then decide.
import { addressFields, readAddress } from './address.ts';
import { post, type Schema } from './api.ts';
import { bill } from './bill.ts';
import { h, once } from './dom.ts';
import { mark, notice } from './problem.ts';
import { announce, money, say } from './words.ts';

type View = Schema['PledgeView'];

// What /api/campaigns.json and /api/add-ons.json say, as far as it is used here.
interface Thing {
  readonly id: string;
  readonly name: string;
  readonly price: number;
  readonly variants?: readonly { readonly id: string; readonly label: string; readonly price?: number }[];
}
interface Listed {
  readonly slug: string;
  readonly tiers: readonly Thing[] | null;
  readonly supportItems?: readonly { readonly id: string; readonly label: string }[];
  readonly addOns?: readonly Thing[];
  readonly customAmount: { readonly enabled: boolean };
}

interface Offer {
  readonly id: string;
  readonly name: string;
  readonly price?: number; // none where the supporter states an amount
}

async function read<T>(path: string): Promise<T> {
  return (await fetch(path)).json() as Promise<T>;
}

/** Everything that may be chosen, and what is held though it is gone from the list. */
async function offers(v: View): Promise<Offer[]> {
  const [{ campaigns }, { products }] = await Promise.all([
    read<{ campaigns: readonly Listed[] }>('/api/campaigns.json'),
    read<{ products: readonly Thing[] }>('/api/add-ons.json'),
  ]);
  const c = campaigns.find((one) => one.slug === v.campaignSlug);
  const all: Offer[] = [];
  for (const t of c?.tiers ?? []) all.push({ id: `${v.campaignSlug}__${t.id}`, name: t.name, price: t.price });
  for (const s of c?.supportItems ?? []) all.push({ id: `${v.campaignSlug}__support__${s.id}`, name: s.label });
  if (c?.customAmount.enabled) all.push({ id: `${v.campaignSlug}__custom-support`, name: say('change_custom') });
  const shelf = (list: readonly Thing[], prefix: string): void => {
    for (const a of list) {
      if (!a.variants?.length) all.push({ id: prefix + a.id, name: a.name, price: a.price });
      for (const kind of a.variants ?? []) all.push({ id: `${prefix}${a.id}__variant__${kind.id}`, name: `${a.name}, ${kind.label}`, price: kind.price ?? a.price });
    }
  };
  shelf(c?.addOns ?? [], `${v.campaignSlug}__addon__`);
  shelf(products, 'addon__');
  for (const l of v.lines) {
    const id = itemOf(v.campaignSlug, l);
    if (!all.some((o) => o.id === id)) all.push({ id, name: l.name, ...(isAmount(l) ? {} : { price: l.unitPrice }) });
  }
  return all;
}

type Line = View['lines'][number];
const isAmount = (l: Line): boolean => l.kind === 'support' || l.kind === 'custom';

function itemOf(slug: string, l: Line): string {
  const kind = l.variant ? `__variant__${l.variant}` : '';
  switch (l.kind) {
    case 'support':
      return `${slug}__support__${l.id ?? ''}`;
    case 'custom':
      return `${slug}__custom-support`;
    case 'campaign_add_on':
      return `${slug}__addon__${l.id ?? ''}${kind}`;
    case 'platform_add_on':
      return `addon__${l.id ?? ''}${kind}`;
    default:
      return `${slug}__${l.id ?? ''}`;
  }
}

export async function change(token: string, v: View, work: HTMLElement, done: () => Promise<void>): Promise<void> {
  const list = await offers(v);
  const held = new Map<string, number>();
  for (const l of v.lines) {
    const id = itemOf(v.campaignSlug, l);
    held.set(id, (held.get(id) ?? 0) + (isAmount(l) ? l.amount / 100 : l.quantity));
  }
  const rows = list.map((o) =>
    h('label', {}, o.name, h('span', { class: 'hint' }, o.price === undefined ? say('checkout_amount') : money(o.price)),
      h('input', { type: 'number', inputmode: 'numeric', min: 0, step: 1, name: o.id, value: held.get(o.id) ?? 0 })),
  );
  const tip = h('label', {}, say('tip_label'), h('input', { type: 'number', inputmode: 'numeric', min: 0, max: Number((document.body.dataset.tip ?? '5 15').split(' ')[1]), step: 1, name: 'tipPercent', value: v.tipPercent }));
  const look = h('button', { type: 'submit' }, say('change_look'));
  const stop = h('button', { type: 'button', class: 'quiet' }, say('change_stop'));
  const result = h('div', { 'aria-live': 'polite' });
  const heading = h('h3', { tabindex: -1 }, say('change_title'));
  const form = h('form', { class: 'sheet', novalidate: true }, heading, h('fieldset', {}, h('legend', { class: 'unseen' }, say('checkout_chosen')), ...rows), tip,
    v.shippingAddress ? addressFields('shippingAddress', v.shippingAddress) : null, h('div', { class: 'row' }, look, stop), result);
  const request = (dryRun: boolean): Schema['ModifyRequest'] => {
    const data = new FormData(form);
    const items = list.flatMap((o) => {
      const n = Math.floor(Number(data.get(o.id)));
      if (!(n > 0)) return [];
      return [o.price === undefined ? { id: o.id, amount: n } : { id: o.id, quantity: n }];
    });
    const shippingAddress = readAddress(form, 'shippingAddress');
    return { token, items, tipPercent: Number(data.get('tipPercent')), expectedRevision: v.revision, dryRun, ...(shippingAddress ? { shippingAddress } : {}) };
  };
  const preview = once(look, async () => {
    try {
      const asked = request(true);
      difference(await post<Schema['Modified']>('/pledge/modify', asked), result, async () => {
        await post<Schema['Modified']>('/pledge/modify', { ...asked, dryRun: false });
        announce(say('change_done'));
        await done();
      });
    } catch (error) {
      if (!mark(form, error)) result.replaceChildren(notice(error));
    }
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void preview();
  });
  form.addEventListener('input', () => result.replaceChildren());
  stop.addEventListener('click', () => work.replaceChildren());
  work.replaceChildren(form);
  heading.focus();
}

/** What the change would come to, and the button that makes it. */
function difference(m: Schema['Modified'], place: HTMLElement, confirm: () => Promise<void>): void {
  const button = h('button', { type: 'button' }, say('change_confirm'));
  button.addEventListener('click', once(button, async () => {
    try {
      await confirm();
    } catch (error) {
      place.append(notice(error));
    }
  }));
  const id = m.amountDelta > 0 ? 'change_more' : m.amountDelta < 0 ? 'change_less' : 'change_same';
  place.replaceChildren(
    h('p', { class: 'note' }, say(id, { delta: money(Math.abs(m.amountDelta)), before: money(m.previous.amount), after: money(m.current.amount) })),
    bill({ subtotal: m.current.subtotal, shipping: m.current.shipping, tax: m.current.tax, tip: m.current.tipAmount, tipPercent: m.current.tipPercent, amount: m.current.amount },
      m.lines.map((l) => [l.name + (l.variantName ? `, ${l.variantName}` : '') + (l.quantity > 1 ? ` × ${l.quantity}` : ''), money(l.amount)] as const)),
    h('p', { class: 'small' }, m.consent.text),
    button,
  );
  button.focus();
}
