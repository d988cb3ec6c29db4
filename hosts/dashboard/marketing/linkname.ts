/** The name of a tracked link, and the parameters that distinguish links with the same name. */
interface LinkName {
  readonly name: string;
  readonly details: string;
}

/** Returns the name of the link with a query such as "utm_medium=email&utm_source=newsletter". */
export function linkName(query: string): LinkName {
  const parameters = new URLSearchParams(query);
  const values = (...names: string[]): string[] => names.map((n) => parameters.get(n) ?? '').filter(Boolean);
  const place = values('utm_source', 'utm_medium');
  const others = values('utm_campaign', 'utm_content', 'ref');
  return place.length
    ? { name: place.join(' / '), details: others.join(' · ') }
    : { name: others[0] ?? '', details: others.slice(1).join(' · ') };
}
