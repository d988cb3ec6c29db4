// The secret of this browser session, which lasts as long as the browser keeps the site's
// data: pledges of one email address that are made under it are charged together. It says
// nothing about the visitor, and is sent only when a pledge is made or joined with others.

const key = 'session';
let unkept = ''; // in a browser that keeps nothing, as long as the page

export const secret = (): string => [...crypto.getRandomValues(new Uint8Array(16))].map((b) => b.toString(16).padStart(2, '0')).join('');

/** The secret, "" if no pledge was made in this session. */
export function knownSession(): string {
  try {
    const kept = localStorage.getItem(key) ?? '';
    return /^[\w-]{22,64}$/.test(kept) ? kept : '';
  } catch {
    return unkept;
  }
}

/** The secret, made now if there is none. */
export function session(): string {
  const known = knownSession() || unkept;
  if (known) return known;
  unkept = secret();
  try {
    localStorage.setItem(key, unkept);
  } catch {
    // it lasts as long as the page
  }
  return unkept;
}
