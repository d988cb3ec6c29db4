// The items that a pledge can be changed to, each with its stock or the reason why it is unavailable.
import { get, type Schema } from './api.ts';
import { price, say } from './words.ts';

type View = Schema['PledgeView'];
type Line = View['lines'][number];
type Live = Schema['LiveCampaign'];

// The part of /api/campaigns.json and /api/add-ons.json that is used here.
interface CatalogueItem {
  readonly id: string;
  readonly name: string;
  readonly price: number;
  readonly category?: string;
  readonly stackable?: boolean;
  readonly requiresThreshold?: number;
  readonly inventory?: number | null;
  readonly variants?: readonly {
    readonly id: string;
    readonly label: string;
    readonly price?: number;
    readonly inventory?: number | null;
  }[];
}
interface CampaignItems {
  readonly slug: string;
  readonly singleTierOnly: boolean;
  readonly tiers: readonly CatalogueItem[] | null;
  readonly supportItems?: readonly { readonly id: string; readonly label: string; readonly category?: string }[];
  readonly addOns?: readonly CatalogueItem[];
  readonly customAmount: { readonly enabled: boolean; readonly min: number; readonly max: number };
}

/** An item that can be selected, or that is in the pledge but no longer offered. */
export interface Choice {
  readonly id: string;
  readonly name: string;
  readonly group: 'rewards' | 'support' | 'addons';
  readonly price?: number; // cents; undefined if the supporter sets the amount
  readonly physical: boolean;
  readonly heldQuantity: number; // quantity in the pledge, or its amount in whole dollars
  readonly most?: number; // maximum quantity or amount, including the held one
  readonly least?: number; // minimum amount in whole dollars
  readonly availability: string; // stock, or the reason why it is unavailable
  readonly locked: boolean; // unavailable and not held
  readonly exclusive: boolean; // only one of the items in its group can be selected
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

/**
 * Returns all items of a pledge's campaign and all add-ons of the platform, with their quantities in
 * the pledge.
 */
export async function loadChoices(v: View): Promise<Choice[]> {
  const [{ campaigns }, { products }, live, platform] = await Promise.all([
    read<{ campaigns: readonly CampaignItems[] }>('/api/campaigns.json'),
    read<{ products: readonly CatalogueItem[] }>('/api/add-ons.json'),
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
  const unit = (
    d: Pick<Choice, 'id' | 'name' | 'group' | 'physical'> & { price: number },
    left: number | undefined,
    gate = 0,
    single = false,
  ): void => {
    const have = held.get(d.id) ?? 0;
    const locked = gate > live.stats.pledgedAmount;
    const out = left !== undefined && left <= 0;
    const most = Math.min(
      single ? Math.max(have, 1) : Infinity,
      left === undefined ? Infinity : have + Math.max(left, 0),
    );
    const availability = locked
      ? say('change_locked', { amount: price(gate) })
      : out
        ? say(d.group === 'addons' ? 'sold_out_addon' : 'sold_out')
        : left === undefined
          ? ''
          : say('left', { count: left });
    all.push({
      ...d,
      heldQuantity: have,
      availability,
      locked: (locked || out) && have === 0,
      exclusive: false,
      ...(most === Infinity ? {} : { most: locked ? have : most }),
    });
  };
  const amount = (id: string, name: string, physical: boolean, least: number, most?: number): void => {
    all.push({
      id,
      name,
      group: 'support',
      physical,
      heldQuantity: held.get(id) ?? 0,
      availability: '',
      locked: false,
      exclusive: false,
      least,
      ...(most ? { most } : {}),
    });
  };
  for (const t of c?.tiers ?? [])
    unit(
      { id: `${slug}__${t.id}`, name: t.name, group: 'rewards', price: t.price, physical: isPhysical(t) },
      live.inventory.tiers[t.id]?.remaining,
      t.requiresThreshold,
      !t.stackable,
    );
  for (const s of c?.supportItems ?? []) amount(`${slug}__support__${s.id}`, s.label, isPhysical(s), 1);
  if (c?.customAmount.enabled)
    amount(`${slug}__custom-support`, say('change_custom'), false, c.customAmount.min / 100, c.customAmount.max / 100);
  const addOnChoices = (list: readonly CatalogueItem[], prefix: string, stock: Live['inventory']['addOns']): void => {
    for (const a of list) {
      const one = (id: string, name: string, price: number, key: string): void =>
        unit({ id, name, group: 'addons', price, physical: isPhysical(a) }, stock[key]?.remaining);
      if (!a.variants?.length) one(prefix + a.id, a.name, a.price, a.id);
      for (const kind of a.variants ?? [])
        one(
          `${prefix}${a.id}__variant__${kind.id}`,
          `${a.name}, ${kind.label}`,
          kind.price ?? a.price,
          `${a.id}/${kind.id}`,
        );
    }
  };
  addOnChoices(c?.addOns ?? [], `${slug}__addon__`, live.inventory.addOns);
  addOnChoices(products, 'addon__', platform.products);
  for (const l of v.lines) {
    const id = itemOf(slug, l);
    if (all.some((d) => d.id === id)) continue;
    const base = {
      id,
      name: l.name,
      group: 'rewards' as const,
      physical: l.category === 'physical',
      heldQuantity: held.get(id) ?? 0,
      availability: say('change_gone'),
      locked: false,
      exclusive: false,
    };
    all.push(isAmount(l) ? base : { ...base, price: l.unitPrice, most: base.heldQuantity });
  }
  return c?.singleTierOnly ? all.map((d) => (d.group === 'rewards' ? { ...d, exclusive: true } : d)) : all;
}

const isPhysical = (thing: { readonly category?: string }): boolean => thing.category === 'physical';
