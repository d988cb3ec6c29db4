// Comparison of Markdown texts, and their lengths.

/** Normalizes differences that Markdown ignores: white space and list bullets. */
const normalize = (markdown: string): string =>
  markdown
    .replace(/^(\s*)[*+-](?=\s+\S)/gm, '$1-')
    .replace(/( {2,}|\\)\n/g, ' ↵ ')
    .replace(/\s+/g, ' ')
    .trim();

/** Reports whether two Markdown texts have the same words and the same formatting. */
export const isSameText = (a: string, b: string): boolean => normalize(a) === normalize(b);

/**
 * Reports whether a text contains a picture. The editor would drop it, because pictures are
 * separate blocks.
 */
export const hasPicture = (markdown: string): boolean => /!\[/.test(markdown);

/** Counts the words of Markdown texts. */
export const countWords = (texts: readonly string[]): number =>
  texts.join(' ').match(/[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu)?.length ?? 0;

const wordsPerMinute = 220;

/** Returns the estimated reading time in minutes, at least 1. */
export const readingMinutes = (words: number): number => Math.max(1, Math.round(words / wordsPerMinute));
