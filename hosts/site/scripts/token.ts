// The link of a mail carries a token. It leaves the address bar at once, and is kept
// only as long as the tab.
const pledge = 'token';

/** The token of the link that led here, or of the last one to a page of its kind in this tab. */
export function takeToken(key = pledge): string | null {
  const url = new URL(location.href);
  const given = url.searchParams.get('t');
  if (given) {
    url.searchParams.delete('t');
    history.replaceState(null, '', url.pathname + url.search);
    sessionStorage.setItem(key, given);
    return given;
  }
  return sessionStorage.getItem(key);
}

/** The token of the link that was opened last in this tab. */
export const keptToken = (): string | null => sessionStorage.getItem(pledge);

export function forgetToken(): void {
  sessionStorage.removeItem(pledge);
}
