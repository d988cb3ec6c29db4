/** Returns the page address that the server derives from a title, such as campaigns/the-salt-road; "" for none. */
export function pageAddress(title: string): string {
  const slug = title
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/['’]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  return slug && `campaigns/${slug}`;
}
