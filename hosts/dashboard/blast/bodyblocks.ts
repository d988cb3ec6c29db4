// A message is one Markdown text. The editor shows its pictures as blocks between text blocks.
import type { Values } from '../editor/draft.ts';

const picture = /^!\[((?:[^\]\\]|\\.)*)\]\(\s*<?([^\s<>]+?)>?\s*\)$/;

/** Splits a Markdown text into blocks. A paragraph with only a picture becomes an image block. */
export function blocksOf(markdown: string): readonly Values[] {
  const blocks: Values[] = [];
  let text: string[] = [];
  const endText = (): void => {
    const joined = text.join('').trim();
    if (joined) blocks.push({ type: 'text', text: joined });
    text = [];
  };
  for (const part of markdown.split(/(\n\s*\n)/)) {
    const [, alt, src] = picture.exec(part.trim()) ?? [];
    if (src === undefined) {
      text.push(part);
      continue;
    }
    endText();
    blocks.push({ type: 'image', src, alt: (alt ?? '').replace(/\\(.)/g, '$1') });
  }
  endText();
  return blocks.length ? blocks : [{ type: 'text', text: '' }];
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Joins blocks into a Markdown text. Blocks without content are left out. */
export const markdownOf = (blocks: readonly Values[]): string =>
  blocks
    .map((b) =>
      b.type === 'image'
        ? textOf(b.src) && `![${textOf(b.alt).replace(/[\\[\]]/g, '\\$&')}](${textOf(b.src)})`
        : textOf(b.text).trim(),
    )
    .filter(Boolean)
    .join('\n\n');
