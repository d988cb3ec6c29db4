// Tokens of email links. They are in the URL's fragment, which browsers do not send to servers, or in
// the query of links from earlier releases. They are removed from the address bar immediately and
// kept until the tab is closed.
const pledgeKey = 'token';

/** Returns the token of the current link, or the one that this tab stored last under the key. */
export function takeToken(key = pledgeKey): string | null {
  // Another link to the same page changes only the fragment, which does not load the page again.
  addEventListener('hashchange', () => {
    if (isEmailLink()) location.reload();
  });
  const given = takeParameter('t');
  if (!given) return sessionStorage.getItem(key);
  sessionStorage.setItem(key, given);
  return given;
}

/** Reports whether the current URL contains the token of an email link. */
export const isEmailLink = (): boolean =>
  Boolean(fragmentParameters().get('t') ?? new URL(location.href).searchParams.get('t'));

/** Removes a parameter of an email link from the address bar and returns it. */
export function takeParameter(name: string): string | null {
  const url = new URL(location.href);
  const fragment = fragmentParameters();
  const value = fragment.get(name) ?? url.searchParams.get(name);
  if (value === null) return null;
  fragment.delete(name);
  url.searchParams.delete(name);
  url.hash = fragment.toString();
  history.replaceState(null, '', url.pathname + url.search + url.hash);
  return value;
}

const fragmentParameters = (): URLSearchParams => new URLSearchParams(location.hash.slice(1));

/** Returns the token of the pledge link that was last opened in this tab. */
export const storedToken = (): string | null => sessionStorage.getItem(pledgeKey);

export function forgetToken(): void {
  sessionStorage.removeItem(pledgeKey);
}
