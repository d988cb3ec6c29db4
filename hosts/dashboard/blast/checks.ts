// Checks of a message before it is sent: the site's pages and pictures that it links to must exist.

/** The addresses in a Markdown text. */
interface References {
  readonly pictures: readonly string[];
  readonly links: readonly string[];
}

const reference = /(!?)\[[^\]]*\]\(\s*<?([^\s)>]+)[^)]*\)/g;

/** Returns the addresses of a text's pictures and links without duplicates. */
export function referencesOf(markdown: string, button = ''): References {
  const pictures = new Set<string>();
  const links = new Set<string>(button ? [button] : []);
  for (const [, picture, address = ''] of markdown.matchAll(reference)) (picture ? pictures : links).add(address);
  return { pictures: [...pictures], links: [...links] };
}

/** Reports whether an address is a path on the site, so that its target can be checked. */
export const isSitePath = (address: string): boolean => /^\/(?!\/)/.test(address);

/** Reports whether an address can work in an email: a path of the site, a web address or an email address. */
export const isUsable = (address: string): boolean =>
  isSitePath(address) || /^(https?:\/\/[^/\s]|mailto:.)/i.test(address);

/** Returns the addresses that cannot work, or whose page or picture does not exist on the site. */
export async function findBroken(
  addresses: readonly string[],
  exists: (path: string) => Promise<boolean>,
): Promise<readonly string[]> {
  const results = await Promise.all(addresses.map(async (a) => (isSitePath(a) ? exists(a) : isUsable(a))));
  return addresses.filter((_, i) => !results[i]);
}
