// The secret of the browser session, which lasts as long as the site's data in the browser. Pledges
// of one email address that are made with the same secret are charged together. The secret contains
// no personal data and is sent only when a pledge is made or joined with others.

const key = 'session';
let memorySecret = ''; // used if storage is unavailable; lasts as long as the page

export const randomSecret = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((b) => b.toString(16).padStart(2, '0')).join('');

/** Returns the secret, or "" if none has been created. */
export function knownSession(): string {
  try {
    const kept = localStorage.getItem(key) ?? '';
    return /^[\w-]{22,64}$/.test(kept) ? kept : '';
  } catch {
    return memorySecret;
  }
}

/** Returns the secret. If there is none, it is created. */
export function session(): string {
  const existing = knownSession() || memorySecret;
  if (existing) return existing;
  memorySecret = randomSecret();
  try {
    localStorage.setItem(key, memorySecret);
  } catch {
    // Storage is unavailable. The secret is kept in memory.
  }
  return memorySecret;
}
