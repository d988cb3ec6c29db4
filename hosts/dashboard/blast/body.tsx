// The field for a message's text and pictures.
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Values } from '../editor/draft.ts';
import { ImageField } from '../fields/image.tsx';
import { TextInput } from '../fields/text.tsx';
import { type MediaFolder, MediaFolderContext } from '../media/folder.ts';
import { hasPermission } from '../session.ts';
import { FieldError } from '../ui/form.tsx';
import { Lazy } from '../ui/lazy.tsx';
import { blocksOf, markdownOf } from './bodyblocks.ts';
import { say } from './words.ts';

interface Props {
  readonly slug: string;
  /** Markdown. */
  readonly value: string;
  readonly set: (value: string) => void;
  readonly error: string;
}

export function BodyField({ slug, value, set, error }: Props) {
  const [blocks, setBlocks] = useState(() => blocksOf(value));
  const folder = useMemo<MediaFolder>(() => ({ use: 'campaign', slug, writable: hasPermission('content') }), [slug]);
  useEffect(() => {
    // A value set from outside, such as a colleague's draft, differs from the rendered blocks.
    if (value !== markdownOf(blocks)) setBlocks(blocksOf(value));
  }, [value]);
  const change = (next: readonly Values[]): void => {
    setBlocks(next);
    set(markdownOf(next));
  };
  return (
    <MediaFolderContext.Provider value={folder}>
      <div class="field">
        <span class="label">{say('body')}</span>
        <Lazy
          name="blocks"
          load={() => import('../blocks/blocks.tsx')}
          props={{
            label: say('body'),
            value: blocks,
            set: change,
            types: [
              { value: 'text', label: say('text') },
              { value: 'image', label: say('picture') },
            ],
            hint: say('body_hint'),
            renderFields: (block: Values, changed: (block: Values) => void) => (
              <PictureFields block={block} set={changed} />
            ),
          }}
        />
        {error ? <FieldError text={error} /> : null}
      </div>
    </MediaFolderContext.Provider>
  );
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The fields of a picture. Operators without access to the campaign's files enter its path. */
function PictureFields({ block, set }: { block: Values; set: (block: Values) => void }) {
  const source = {
    label: say('picture'),
    value: textOf(block.src),
    set: (src: string | undefined): void => set({ ...block, src: src ?? '' }),
  };
  return (
    <>
      {hasPermission('content') ? (
        <ImageField {...source} />
      ) : (
        <TextInput {...source} placeholder="/assets/images/…" hint={say('picture_hint')} />
      )}
      <TextInput
        label={say('alt')}
        hint={say('alt_hint')}
        value={textOf(block.alt)}
        set={(alt) => set({ ...block, alt: alt ?? '' })}
      />
    </>
  );
}
