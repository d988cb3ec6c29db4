// The link of a mail carries a token in its fragment, which browsers send to no server. Links
// of earlier releases carry it in the query. It leaves the address bar at once, and is kept
// only as long as the tab.
const pledge = 'token';

/** The token of the link that led here, or of the last one to a page of its kind in this tab. */
export function takeToken(key = pledge): string | null {
  // Another link to the same page that is opened in this tab changes the fragment alone.
  addEventListener('hashchange', () => {
    if (byLink()) location.reload();
  });
  const given = takeParameter('t');
  if (!given) return sessionStorage.getItem(key);
  sessionStorage.setItem(key, given);
  return given;
}

/** Reports whether the address is the link of a mail. */
export const byLink = (): boolean => Boolean(inFragment().get('t') ?? new URL(location.href).searchParams.get('t'));

/** Removes a parameter of a mail's link from the address bar and returns it. */
export function takeParameter(name: string): string | null {
  const url = new URL(location.href);
  const fragment = inFragment();
  const value = fragment.get(name) ?? url.searchParams.get(name);
  if (value === null) return null;
  fragment.delete(name);
  url.searchParams.delete(name);
  url.hash = fragment.toString();
  history.replaceState(null, '', url.pathname + url.search + url.hash);
  return value;
}

const inFragment = (): URLSearchParams => new URLSearchParams(location.hash.slice(1));

/** The token of the link that was opened last in this tab. */
export const keptToken = (): string | null => sessionStorage.getItem(pledge);

export function forgetToken(): void {
  sessionStorage.removeItem(pledge);
}
