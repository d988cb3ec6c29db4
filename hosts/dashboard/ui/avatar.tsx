/** A person's initials in a circle, beside their name. */
export const Avatar = ({ name }: { name: string }) => (
  <span class="avatar" aria-hidden="true">
    {initials(name)}
  </span>
);

/** Returns the first letters of the first and last word of a name, or of an email address's local part. */
function initials(name: string): string {
  const words = (name.split('@')[0] ?? '').split(/[\s._-]+/).filter(Boolean);
  const letters = [words[0], words.length > 1 ? words.at(-1) : ''].map((w) => [...(w ?? '')][0] ?? '');
  return letters.join('').toUpperCase();
}
