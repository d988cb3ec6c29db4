// The campaign whose pledge gets the platform's add-ons.
import { type CartItem, isPlatformItem, readCart, writeCart } from './cart.ts';
import { type Campaign, type Live, slugOf } from './offers.ts';

/** Returns the slugs of the campaigns that have items in the cart. */
export const campaignsOf = (items: readonly CartItem[]): string[] =>
  [...new Set(items.map((i) => slugOf(i.id)))].filter(Boolean);

/**
 * Returns the slug of the campaign whose pledge gets the platform's add-ons: the one from whose page
 * they were added or to which they were moved, otherwise one that has reached its goal, otherwise
 * the first to end. Returns '' if the cart has no such add-ons or no items of campaigns.
 */
export function platformCampaign(
  items: readonly CartItem[],
  campaigns: ReadonlyMap<string, Pick<Campaign, 'endsAt'>>,
  live: ReadonlyMap<string, { readonly campaign: Pick<Live['campaign'], 'isFunded'> }>,
): string {
  const addOns = items.filter(isPlatformItem);
  const slugs = campaignsOf(items);
  if (addOns.length === 0) return '';
  const chosen = addOns.map((i) => i.campaign).find((slug) => slug !== undefined && slugs.includes(slug));
  if (chosen) return chosen;
  const ends = (slug: string): string => campaigns.get(slug)?.endsAt ?? '9';
  const missing = (slug: string): number => Number(!live.get(slug)?.campaign.isFunded);
  return slugs.sort((a, b) => missing(a) - missing(b) || (ends(a) < ends(b) ? -1 : 1))[0] ?? '';
}

/** Moves the platform's add-ons to another campaign's pledge. */
export function movePlatformItems(campaign: string): void {
  writeCart(readCart().map((i) => (isPlatformItem(i) ? { ...i, campaign } : i)));
}
