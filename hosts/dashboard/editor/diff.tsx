// The difference between two texts, with removed and added words.
import { type Change, diffWordsWithSpace } from 'diff';
import { say } from './words.ts';

const maxWhole = 9; // words of a value that is shown as a whole
const shownWords = 12; // unchanged words around a change

export function Diff({ before, after }: { before: string; after: string }) {
  if (!before || !after || isShort(before, after))
    return (
      <span>
        {before ? <del>{before}</del> : null} {after ? <ins>{after}</ins> : before ? null : say('nothing_set')}
      </span>
    );
  const parts = diffWordsWithSpace(before, after);
  if (isRewritten(parts, before, after))
    return (
      <span class="stack g2">
        <del>{before}</del>
        <ins>{after}</ins>
      </span>
    );
  return (
    <span class="diff-text">
      {parts.map((p, i) =>
        p.added ? (
          <ins key={i}>{p.value}</ins>
        ) : p.removed ? (
          <del key={i}>{p.value}</del>
        ) : (
          <span key={i}>{shorten(p.value, i === 0, i === parts.length - 1)}</span>
        ),
      )}
    </span>
  );
}

/** Reports whether a value is shown as a whole, as amounts and dates are. */
const isShort = (before: string, after: string): boolean =>
  [before, after].every((text) => text.trim().split(/\s+/).length <= maxWhole);

/**
 * Reports whether less than half of the shorter text is unchanged, so that showing single words
 * would not help.
 */
function isRewritten(parts: readonly Change[], before: string, after: string): boolean {
  const kept = parts.reduce((n, p) => n + (p.added || p.removed ? 0 : p.value.trim().length), 0);
  return kept * 2 < Math.min(before.length, after.length);
}

/** Leaves out the middle of a long unchanged text. */
function shorten(text: string, first: boolean, last: boolean): string {
  const words = text.split(/(?<=\s)/);
  if (words.length <= 2 * shownWords) return text;
  const head = first ? '… ' : `${words.slice(0, shownWords).join('')}… `;
  return head + (last ? '' : words.slice(-shownWords).join(''));
}
