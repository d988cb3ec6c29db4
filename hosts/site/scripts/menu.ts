// What a pledge may be changed to: everything on offer, what is left of it, and why
// something can't be chosen now.
import { get, type Schema } from './api.ts';
import { money, say } from './words.ts';

type View = Schema['PledgeView'];
type Line = View['lines'][number];
type Live = Schema['LiveCampaign'];

// What /api/campaigns.json and /api/add-ons.json say, as far as it is used here.
interface Thing {
  readonly id: string;
  readonly name: string;
  readonly price: number;
  readonly category?: string;
  readonly stackable?: boolean;
  readonly requiresThreshold?: number;
  readonly inventory?: number | null;
  readonly variants?: readonly { readonly id: string; readonly label: string; readonly price?: number; readonly inventory?: number | null }[];
}
interface Listed {
  readonly slug: string;
  readonly singleTierOnly: boolean;
  readonly tiers: readonly Thing[] | null;
  readonly supportItems?: readonly { readonly id: string; readonly label: string; readonly category?: string }[];
  readonly addOns?: readonly Thing[];
  readonly customAmount: { readonly enabled: boolean; readonly min: number; readonly max: number };
}

/** One thing that can be chosen, or is held though it is gone from the list. */
export interface Choice {
  readonly id: string;
  readonly name: string;
  readonly group: 'rewards' | 'support' | 'addons';
  readonly price?: number; // cents; none where the supporter states an amount
  readonly sent: boolean; // by post
  readonly held: number; // units, or whole dollars
  readonly most?: number; // units that can be had, those that are held with them
  readonly least?: number; // of an amount
  readonly state: string; // what is left, or why it can't be chosen
  readonly locked: boolean; // not to be had, and not held
  readonly single: boolean; // only one of those that are
}

async function read<T>(path: string): Promise<T> {
  return (await fetch(path)).json() as Promise<T>;
}

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

/** The menu of a pledge's campaign, with what the pledge holds. */
export async function menu(v: View): Promise<Choice[]> {
  const [{ campaigns }, { products }, live, platform] = await Promise.all([
    read<{ campaigns: readonly Listed[] }>('/api/campaigns.json'),
    read<{ products: readonly Thing[] }>('/api/add-ons.json'),
    get<Live>(`/live/${v.campaignSlug}`),
    get<Schema['AddOnStock']>('/add-ons/inventory'),
  ]);
  const held = new Map<string, number>();
  for (const l of v.lines) {
    const id = itemOf(v.campaignSlug, l);
    held.set(id, (held.get(id) ?? 0) + (isAmount(l) ? l.amount / 100 : l.quantity));
  }
  const all: Choice[] = [];
  const slug = v.campaignSlug;
  const c = campaigns.find((one) => one.slug === slug);
  const unit = (d: Pick<Choice, 'id' | 'name' | 'group' | 'sent'> & { price: number }, left: number | undefined, gate = 0, single = false): void => {
    const have = held.get(d.id) ?? 0;
    const locked = gate > live.stats.pledgedAmount;
    const out = left !== undefined && left <= 0;
    const most = Math.min(single ? Math.max(have, 1) : Infinity, left === undefined ? Infinity : have + Math.max(left, 0));
    const state = locked ? say('change_locked', { amount: money(gate) }) : out ? say('sold_out') : left === undefined ? '' : say('left', { count: left });
    all.push({ ...d, held: have, state, locked: (locked || out) && have === 0, single: false, ...(most === Infinity ? {} : { most: locked ? have : most }) });
  };
  const amount = (id: string, name: string, sent: boolean, least: number, most?: number): void => {
    all.push({ id, name, group: 'support', sent, held: held.get(id) ?? 0, state: '', locked: false, single: false, least, ...(most ? { most } : {}) });
  };
  for (const t of c?.tiers ?? []) unit({ id: `${slug}__${t.id}`, name: t.name, group: 'rewards', price: t.price, sent: sent(t) }, live.inventory.tiers[t.id]?.remaining, t.requiresThreshold, !t.stackable);
  for (const s of c?.supportItems ?? []) amount(`${slug}__support__${s.id}`, s.label, sent(s), 1);
  if (c?.customAmount.enabled) amount(`${slug}__custom-support`, say('change_custom'), false, c.customAmount.min / 100, c.customAmount.max / 100);
  const shelf = (list: readonly Thing[], prefix: string, stock: Live['inventory']['addOns']): void => {
    for (const a of list) {
      const one = (id: string, name: string, price: number, key: string): void => unit({ id, name, group: 'addons', price, sent: sent(a) }, stock[key]?.remaining);
      if (!a.variants?.length) one(prefix + a.id, a.name, a.price, a.id);
      for (const kind of a.variants ?? []) one(`${prefix}${a.id}__variant__${kind.id}`, `${a.name}, ${kind.label}`, kind.price ?? a.price, `${a.id}/${kind.id}`);
    }
  };
  shelf(c?.addOns ?? [], `${slug}__addon__`, live.inventory.addOns);
  shelf(products, 'addon__', platform.products);
  for (const l of v.lines) {
    const id = itemOf(slug, l);
    if (all.some((d) => d.id === id)) continue;
    const base = { id, name: l.name, group: 'rewards' as const, sent: l.category === 'physical', held: held.get(id) ?? 0, state: say('change_gone'), locked: false, single: false };
    all.push(isAmount(l) ? base : { ...base, price: l.unitPrice, most: base.held });
  }
  return c?.singleTierOnly ? all.map((d) => (d.group === 'rewards' ? { ...d, single: true } : d)) : all;
}

const sent = (thing: { readonly category?: string }): boolean => thing.category === 'physical';
