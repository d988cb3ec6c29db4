// Previews of the blocks that are not texts.
import type { ComponentChildren } from 'preact';
import type { Values } from '../editor/draft.ts';
import { Thumbnail } from '../media/thumbnail.tsx';
import { Badge } from '../ui/badge.tsx';
import { say } from './words.ts';

interface Props {
  readonly block: Values;
  readonly name: string;
  readonly active: boolean;
  /** The block's fields, shown while it is active. */
  readonly children: ComponentChildren;
}

/** A block as supporters see it, and its fields while it is active. */
export function BlockPreview({ block, name, active, children }: Props) {
  const caption = textOf(block.caption);
  return (
    <>
      <button type="button" class="block-open" aria-label={say('edit', { name })} aria-expanded={active}>
        <Content block={block} />
        {caption ? <span class="figcaption">{caption}</span> : null}
      </button>
      {active && block.type !== 'divider' ? <div class="block-fields">{children}</div> : null}
    </>
  );
}

function Content({ block }: { block: Values }) {
  switch (block.type) {
    case 'image':
      return (
        <>
          <Picture path={textOf(block.src)} />
          {textOf(block.src) && !textOf(block.alt) ? <Badge tone="warn">{say('no_alt')}</Badge> : null}
        </>
      );
    case 'gallery': {
      const images = Array.isArray(block.images) ? (block.images as readonly Values[]) : [];
      return (
        <>
          <span class="block-gallery">
            {images.map((image, i) => (
              <Picture key={`${i} ${textOf(image.src)}`} path={textOf(image.src)} />
            ))}
          </span>
          <span class="small muted">{say('pictures', { count: images.length })}</span>
        </>
      );
    }
    case 'divider':
      return <span class="block-rule" />;
    default: {
      const file = textOf(block.title) || textOf(block.url) || textOf(block.src);
      return <span class="block-file">{file || say('no_file')}</span>;
    }
  }
}

const Picture = ({ path }: { path: string }) =>
  path ? <Thumbnail path={path} /> : <span class="block-file">{say('no_file')}</span>;

const textOf = (v: unknown): string => (typeof v === 'string' ? v : '');
