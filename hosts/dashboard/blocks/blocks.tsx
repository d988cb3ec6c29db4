// The block editor: one list of typed blocks. Text blocks are edited in place, the others in fields
// below their preview. Only edited blocks get new values.
import { AudioLines, Film, Image, Images, Link, Minus, Pilcrow, Plus, Quote } from 'lucide-preact';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { announce } from '../../site/scripts/words.ts';
import type { Values } from '../editor/draft.ts';
import { Icon } from '../ui/icon.tsx';
import { Menu } from '../ui/menu.tsx';
import { keepKey, keyOf, moveEntry } from '../ui/order.ts';
import { Sortable } from '../ui/sortable.tsx';
import type { Converter, Formatting, TextEditor } from './milkdown.ts';
import { BlockPreview } from './preview.tsx';
import { TextBlock } from './text.tsx';
import { Toolbar } from './toolbar.tsx';
import { say } from './words.ts';

export interface BlockEditorProps {
  readonly label: string;
  readonly value: readonly Values[];
  readonly set: (blocks: readonly Values[]) => void;
  /** The types in the order of the menu, with their names. */
  readonly types: readonly { readonly value: string; readonly label: string }[];
  /** Renders the fields of a block that is not a text. */
  readonly renderFields: (block: Values, set: (block: Values) => void) => ComponentChildren;
  /** Shown in an empty text if not all types of blocks can be added. */
  readonly hint?: string;
}

const icons: Readonly<Record<string, typeof Image>> = {
  text: Pilcrow,
  quote: Quote,
  image: Image,
  gallery: Images,
  video: Film,
  audio: AudioLines,
  embed: Link,
  divider: Minus,
};

const noFormatting: Formatting = { style: 'text', on: new Set(), link: '' };

export default function BlockEditor({ label, value: blocks, set, types, renderFields, hint }: BlockEditorProps) {
  const root = useRef<HTMLDivElement>(null);
  const converter = useConverter();
  const [active, setActive] = useState('');
  const [editor, setEditor] = useState<TextEditor | null>(null);
  const [formatting, setFormatting] = useState(noFormatting);
  const slashed = useRef(false);
  const at = blocks.findIndex((b) => keyOf(b) === active);
  const nameOf = (block: Values): string => {
    const type = types.find((t) => t.value === block.type)?.label ?? String(block.type);
    const content = excerpt(block);
    return content ? `${type}: ${content}` : type;
  };
  const replace = (block: Values, by: Values): void => set(blocks.map((b) => (b === block ? keepKey(block, by) : b)));
  const focusBlock = (key: string): void => {
    setActive(key);
    requestAnimationFrame(() =>
      root.current
        ?.querySelector<HTMLElement>(`[data-block="${key}"] :is([role=textbox], textarea, input, .block-open)`)
        ?.focus(),
    );
  };
  /** Adds a block after another one. A block requested by typing / replaces the cursor's line. */
  const add = (type: string, after: number): void => {
    const block: Values = newBlock(type);
    const text = blocks[after];
    const parts = slashed.current && after === at ? editor?.split() : null;
    slashed.current = false;
    const around = (part: string | undefined): Values[] => (part ? [{ ...text, text: part }] : []);
    set(
      parts
        ? [...blocks.slice(0, after), ...around(parts[0]), block, ...around(parts[1]), ...blocks.slice(after + 1)]
        : [...blocks.slice(0, after + 1), block, ...blocks.slice(after + 1)],
    );
    focusBlock(keyOf(block));
  };
  const remove = (i: number): void => {
    const block = blocks[i];
    if (!block) return;
    announce(say('removed', { name: nameOf(block) }));
    set(blocks.filter((b) => b !== block));
    const next = blocks[i + 1] ?? blocks[i - 1];
    if (next) focusBlock(keyOf(next));
    else requestAnimationFrame(() => root.current?.querySelector<HTMLElement>('.doc-end')?.focus());
  };
  const choices = (after: number): ComponentChildren =>
    types.map((t) => (
      <button key={t.value} type="button" onClick={() => add(t.value, after)}>
        <Icon of={icons[t.value] ?? Pilcrow} small />
        {t.label}
      </button>
    ));
  const openMenu = (): void => {
    slashed.current = true;
    const near = root.current?.querySelector<HTMLElement>('.block.at .grip button');
    const button = near?.offsetParent
      ? near
      : root.current?.querySelector<HTMLElement>('.toolbar > .tb.wide:not(:first-child)');
    button?.click();
  };
  const left = (e: FocusEvent): void => {
    const to = e.relatedTarget as Node | null;
    if (to && !root.current?.contains(to)) setActive('');
  };
  const last = blocks.at(-1);
  return (
    <div ref={root} class="blocks" onFocusOut={left}>
      <Toolbar
        editor={editor}
        formatting={editor ? formatting : noFormatting}
        choices={choices(at < 0 ? blocks.length - 1 : at)}
        texts={blocks.flatMap((b) => (typeof b.text === 'string' ? [b.text] : []))}
        block={
          at < 0
            ? null
            : {
                ...(at > 0 ? { up: () => set(moveEntry(blocks, at, at - 1)) } : {}),
                ...(at < blocks.length - 1 ? { down: () => set(moveEntry(blocks, at, at + 1)) } : {}),
                remove: () => remove(at),
              }
        }
      />
      <Sortable
        class="doc"
        label={label}
        entries={blocks}
        keyOf={keyOf}
        nameOf={nameOf}
        move={(from, to) => set(moveEntry(blocks, from, to))}
        itemClass={(b) => `block ${String(b.type)} ${keyOf(b) === active ? 'at' : ''}`}
      >
        {(block, i, moves) => {
          const key = keyOf(block);
          const name = nameOf(block);
          return (
            <div data-block={key} onFocusIn={() => key !== active && setActive(key)}>
              <span class="grip">
                <Menu label={say('add_below', { name })} class="" button={<Icon of={Plus} small />}>
                  {choices(i)}
                </Menu>
                {moves.handle}
              </span>
              {block.type === 'text' || block.type === 'quote' ? (
                <>
                  <TextBlock
                    label={name}
                    hint={hint ?? say('hint')}
                    text={typeof block.text === 'string' ? block.text : ''}
                    set={(text) => replace(block, { ...block, text })}
                    converter={converter}
                    active={key === active}
                    activate={() => setActive(key)}
                    attach={setEditor}
                    formatted={setFormatting}
                    slash={openMenu}
                    escaped={() => root.current?.querySelector<HTMLElement>('.block.at .handle')?.focus()}
                  />
                  {block.type === 'quote' ? (
                    <QuoteSource block={block} active={key === active} fields={renderFields} replace={replace} />
                  ) : null}
                </>
              ) : (
                <BlockPreview block={block} name={name} active={key === active}>
                  {renderFields(block, (by) => replace(block, by))}
                </BlockPreview>
              )}
            </div>
          );
        }}
      </Sortable>
      {last?.type === 'text' && !last.text ? null : (
        <button
          type="button"
          class="doc-end"
          onClick={() => add('text', blocks.length - 1)}
          onKeyDown={(e) => {
            if (e.key !== '/') return;
            e.preventDefault();
            root.current?.querySelector<HTMLElement>('.toolbar > .tb.wide:not(:first-child)')?.click();
          }}
        >
          {hint ?? say('start')}
        </button>
      )}
    </div>
  );
}

/** The attribution of a quote. */
function QuoteSource({
  block,
  active,
  fields,
  replace,
}: {
  block: Values;
  active: boolean;
  fields: BlockEditorProps['renderFields'];
  replace: (block: Values, by: Values) => void;
}) {
  if (active) return <div class="block-fields">{fields(block, (by) => replace(block, by))}</div>;
  return block.attribution ? <p class="small muted">{String(block.attribution)}</p> : null;
}

const shown = 30; // characters

/** Returns the beginning of a block's content, as part of its name. */
function excerpt({ text, alt, caption, title, url }: Values): string {
  const words = [text, alt, caption, title, url].find((v) => typeof v === 'string' && v !== '');
  const plain = String(words ?? '')
    .replace(/[#*_>`[\]]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  return plain.length > shown ? `${plain.slice(0, shown).trimEnd()}…` : plain;
}

function newBlock(type: string): Values {
  switch (type) {
    case 'text':
    case 'quote':
      return { type, text: '' };
    case 'image':
      return { type, src: '', alt: '' };
    case 'gallery':
      return { type, images: [{ src: '', alt: '' }] };
    default:
      return { type };
  }
}

function useConverter(): Converter | null {
  const [converter, setConverter] = useState<Converter | null>(null);
  useEffect(() => {
    void import('./milkdown.ts').then(({ openConverter }) => openConverter()).then(setConverter);
  }, []);
  return converter;
}
