// What the cart's things are: their names, prices and bounds, from the site's own
// catalogues, and what is left of them, from the service.
import { get, type Schema } from './api.ts';
import type { Chosen } from './cart.ts';
import { say } from './words.ts';

interface Priced {
  readonly id: string;
  readonly name: string;
  readonly price: number; // cents
  readonly category?: string;
}

interface Tier extends Priced {
  readonly stackable: boolean;
  readonly limitTotal?: number;
  readonly requiresThreshold?: number;
}

interface AddOn extends Priced {
  readonly variants?: readonly { readonly id: string; readonly label: string; readonly price?: number; readonly inventory?: number }[];
  readonly inventory?: number;
}

export interface Campaign {
  readonly slug: string;
  readonly title: string;
  readonly state: string;
  readonly endsAt: string; // the first instant after the deadline
  readonly tiers: readonly Tier[] | null;
  readonly supportItems?: readonly { readonly id: string; readonly label: string; readonly category?: string }[];
  readonly addOns?: readonly AddOn[];
  readonly customAmount: { readonly enabled: boolean; readonly min: number; readonly max: number };
  readonly singleTierOnly: boolean;
}

/** One thing that can be chosen. */
export interface Offer {
  readonly name: string;
  readonly price?: number; // cents; none where the supporter states an amount
  readonly least?: number; // whole dollars, of an amount
  readonly most?: number;
  readonly single?: boolean; // only one for each supporter
  readonly tier?: Tier;
  readonly stock?: string; // of which stock it is, among those of its campaign or of the platform
  readonly sent: boolean; // by post
}

export interface Catalogue {
  readonly campaigns: ReadonlyMap<string, Campaign>;
  readonly products: readonly AddOn[];
}

async function read<T>(path: string): Promise<T> {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(path);
  return answer.json() as Promise<T>;
}

/** The site's catalogues, or null where they cannot be read: then the service alone judges. */
export async function catalogue(): Promise<Catalogue | null> {
  try {
    const [listed, { products }] = await Promise.all([
      read<{ campaigns: readonly Campaign[] }>('/api/campaigns.json'),
      read<{ products: readonly AddOn[] }>('/api/add-ons.json'),
    ]);
    return { campaigns: new Map(listed.campaigns.map((c) => [c.slug, c])), products };
  } catch {
    return null;
  }
}

/** The campaign of a cart's item, '' for what the platform itself offers. */
export const slugOf = (id: string): string => (id.startsWith('addon__') ? '' : (id.split('__')[0] ?? ''));

/** Finds what an item names; undefined where it is not offered any more. */
export function offer(all: Catalogue, { id }: Chosen): Offer | undefined {
  const [slug = '', kind = '', ...rest] = id.split('__');
  if (slug === 'addon') return addOn(all.products, [kind, ...rest]);
  const c = all.campaigns.get(slug);
  if (!c || c.state !== 'live') return undefined;
  if (kind === 'custom-support') return c.customAmount.enabled ? { name: say('change_custom'), sent: false, least: c.customAmount.min / 100, most: c.customAmount.max / 100 } : undefined;
  if (kind === 'addon') return addOn(c.addOns ?? [], rest);
  if (kind === 'support') {
    const item = c.supportItems?.find((s) => s.id === rest[0]);
    return item && { name: item.label, least: 1, sent: sent(item) };
  }
  const tier = c.tiers?.find((t) => t.id === kind);
  return tier && { name: tier.name, price: tier.price, single: !tier.stackable, tier, sent: sent(tier) };
}

const sent = (thing: { readonly category?: string }): boolean => thing.category === 'physical';

function addOn(from: readonly AddOn[], [id, , variant]: readonly string[]): Offer | undefined {
  const product = from.find((p) => p.id === id);
  const kind = product?.variants?.find((v) => v.id === variant);
  if (!product || Boolean(product.variants?.length) !== Boolean(kind)) return undefined;
  return { name: kind ? `${product.name}, ${kind.label}` : product.name, price: kind?.price ?? product.price, stock: kind ? `${product.id}/${kind.id}` : product.id, sent: sent(product) };
}

export type Live = Schema['LiveCampaign'];

/** What is left of campaigns and of the platform's add-ons, and how far the campaigns are. */
export interface Standing {
  readonly campaigns: ReadonlyMap<string, Live>;
  readonly products: Live['inventory']['addOns'];
}

/** Where everything chosen stands; without what does not answer. */
export async function standing(slugs: readonly string[]): Promise<Standing> {
  const [products, ...answers] = await Promise.allSettled([get<Schema['AddOnStock']>('/add-ons/inventory'), ...slugs.map((slug) => get<Live>(`/live/${slug}`))]);
  return {
    campaigns: new Map(answers.flatMap((a) => (a.status === 'fulfilled' ? [[a.value.campaign.slug, a.value] as const] : []))),
    products: products.status === 'fulfilled' ? products.value.products : {},
  };
}
