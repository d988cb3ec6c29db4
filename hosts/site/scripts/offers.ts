// The items that can be in the cart: names, prices and limits from the site's catalogues, and stock
// from the API.
import { get, type Schema } from './api.ts';
import type { CartItem } from './cart.ts';
import { say } from './words.ts';

interface PricedItem {
  readonly id: string;
  readonly name: string;
  readonly price: number; // cents
  readonly category?: string;
  readonly image?: string;
  readonly estimatedDelivery?: string; // YYYY-MM
  readonly shipsTo?: readonly string[]; // countries; undefined for all
}

interface Tier extends PricedItem {
  readonly stackable: boolean;
  readonly limitTotal?: number;
  readonly requiresThreshold?: number;
}

export interface AddOn extends PricedItem {
  readonly variants?: readonly {
    readonly id: string;
    readonly label: string;
    readonly price?: number;
    readonly inventory?: number;
  }[];
  readonly inventory?: number;
}

export interface Campaign {
  readonly slug: string;
  readonly title: string;
  readonly lang?: string; // of the texts
  readonly heroImage?: string;
  readonly state: string;
  readonly endsAt: string; // the first instant after the deadline
  readonly tiers: readonly Tier[] | null;
  readonly supportItems?: readonly { readonly id: string; readonly label: string; readonly category?: string }[];
  readonly addOns?: readonly AddOn[];
  readonly customAmount: { readonly enabled: boolean; readonly min: number; readonly max: number };
  readonly singleTierOnly: boolean;
}

/** An item that can be added to the cart. */
export interface Offer {
  readonly name: string;
  readonly image?: string | undefined;
  readonly delivery?: string | undefined; // YYYY-MM
  readonly price?: number; // cents; undefined if the supporter sets the amount
  readonly minAmount?: number; // minimum amount in whole dollars
  readonly maxAmount?: number;
  readonly onePerSupporter?: boolean;
  readonly tier?: Tier;
  readonly stockKey?: string; // key in the campaign's or the platform's add-on stock
  readonly physical: boolean;
  readonly shipsTo?: readonly string[] | undefined; // countries; undefined for all
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

/** Reads the site's catalogues. Returns null on failure, because the server validates the cart anyway. */
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

/** Returns the slug of an item's campaign, or '' for the platform's add-ons. */
export const slugOf = (id: string): string => (id.startsWith('addon__') ? '' : (id.split('__')[0] ?? ''));

/** Returns the offer for a cart item, or undefined if it is no longer available. */
export function findOffer(all: Catalogue, { id }: CartItem): Offer | undefined {
  const [slug = '', kind = '', ...rest] = id.split('__');
  if (slug === 'addon') return addOn(all.products, [kind, ...rest]);
  const c = all.campaigns.get(slug);
  if (c?.state !== 'live') return undefined;
  if (kind === 'custom-support')
    return c.customAmount.enabled
      ? {
          name: say('change_custom'),
          physical: false,
          minAmount: c.customAmount.min / 100,
          maxAmount: c.customAmount.max / 100,
        }
      : undefined;
  if (kind === 'addon') return addOn(c.addOns ?? [], rest);
  if (kind === 'support') {
    const item = c.supportItems?.find((s) => s.id === rest[0]);
    return item && { name: item.label, minAmount: 1, physical: isPhysical(item) };
  }
  const tier = c.tiers?.find((t) => t.id === kind);
  return (
    tier && {
      name: tier.name,
      image: tier.image,
      delivery: tier.estimatedDelivery,
      price: tier.price,
      onePerSupporter: !tier.stackable,
      tier,
      physical: isPhysical(tier),
      shipsTo: tier.shipsTo,
    }
  );
}

const isPhysical = (thing: { readonly category?: string }): boolean => thing.category === 'physical';

function addOn(from: readonly AddOn[], [id, , variant]: readonly string[]): Offer | undefined {
  const product = from.find((p) => p.id === id);
  const kind = product?.variants?.find((v) => v.id === variant);
  if (!product || Boolean(product.variants?.length) !== Boolean(kind)) return undefined;
  return {
    name: kind ? `${product.name}, ${kind.label}` : product.name,
    image: product.image,
    price: kind?.price ?? product.price,
    stockKey: kind ? `${product.id}/${kind.id}` : product.id,
    physical: isPhysical(product),
    shipsTo: product.shipsTo,
  };
}

export type Live = Schema['LiveCampaign'];

/** Live data of campaigns and stock of the platform's add-ons. */
export interface LiveData {
  readonly campaigns: ReadonlyMap<string, Live>;
  readonly products: Live['inventory']['addOns'];
}

/** Reads the live data of campaigns. Data that cannot be read is left out. */
export async function readLiveData(slugs: readonly string[]): Promise<LiveData> {
  const [products, ...answers] = await Promise.allSettled([
    get<Schema['AddOnStock']>('/add-ons/inventory'),
    ...slugs.map((slug) => get<Live>(`/live/${slug}`)),
  ]);
  return {
    campaigns: new Map(
      answers.flatMap((a) => (a.status === 'fulfilled' ? [[a.value.campaign.slug, a.value] as const] : [])),
    ),
    products: products.status === 'fulfilled' ? products.value.products : {},
  };
}
