// The Markdown editor. It is mounted on the text that is being edited; other texts are only
// rendered. This module is large: import it on demand.
import {
  defaultValueCtx,
  Editor,
  editorViewCtx,
  editorViewOptionsCtx,
  parserCtx,
  remarkStringifyOptionsCtx,
  rootCtx,
  schemaCtx,
  serializerCtx,
} from '@milkdown/kit/core';
import { history } from '@milkdown/kit/plugin/history';
import { commonmark, headingIdGenerator, remarkPreserveEmptyLinePlugin } from '@milkdown/kit/preset/commonmark';
import { lift, setBlockType, toggleMark } from '@milkdown/kit/prose/commands';
import { DOMSerializer, type Mark, type Node, type Schema } from '@milkdown/kit/prose/model';
import { liftListItem, wrapInList } from '@milkdown/kit/prose/schema-list';
import { type Command, type EditorState, Plugin, type Selection, TextSelection } from '@milkdown/kit/prose/state';
import type { EditorView } from '@milkdown/kit/prose/view';
import { $prose } from '@milkdown/kit/utils';
import { hasPicture, isSameText } from './markdown.ts';

/** CommonMark without the plugin that writes empty lines as <br /> and drops those in the text. */
const emptyLines: readonly unknown[] = [remarkPreserveEmptyLinePlugin.options, remarkPreserveEmptyLinePlugin.plugin];
const plugins = commonmark.filter((p) => !emptyLines.includes(p));

function createEditor(root: HTMLElement, markdown: string): Editor {
  return Editor.make()
    .config((ctx) => {
      ctx.set(rootCtx, root);
      ctx.set(defaultValueCtx, markdown);
      ctx.update(remarkStringifyOptionsCtx, (o) => ({ ...o, bullet: '-' as const }));
      ctx.set(headingIdGenerator.key, () => '');
    })
    .use(plugins)
    .use(history);
}

/** Renders Markdown, and reports which texts the editor would write back unchanged. */
export interface Converter {
  readonly render: (markdown: string) => DocumentFragment;
  readonly keeps: (markdown: string) => boolean;
}

let shared: Promise<Converter> | null = null;

/** Returns the converter of the page. */
export function openConverter(): Promise<Converter> {
  shared ??= createEditor(document.createElement('div'), '')
    .create()
    .then((editor) => {
      const { ctx } = editor;
      const parse = ctx.get(parserCtx);
      const serialize = ctx.get(serializerCtx);
      const serializer = DOMSerializer.fromSchema(ctx.get(schemaCtx));
      return {
        render: (markdown) => {
          const fragment = serializer.serializeFragment(parse(markdown).content) as DocumentFragment;
          for (const link of fragment.querySelectorAll('a')) link.removeAttribute('href'); // the text is for editing, not for browsing
          for (const heading of fragment.querySelectorAll('[id]')) heading.removeAttribute('id');
          return fragment;
        },
        keeps: (markdown) => !hasPicture(markdown) && isSameText(serialize(parse(markdown)), markdown),
      };
    });
  return shared;
}

export type TextStyle = 'text' | 'heading' | 'subheading';
export type Format = 'bold' | 'italic' | 'bullets' | 'numbers';

/** The formatting at the cursor. */
export interface Formatting {
  readonly style: TextStyle;
  readonly on: ReadonlySet<Format | 'link'>;
  /** The address of the link at the cursor, or ''. */
  readonly link: string;
}

interface TextOptions {
  readonly label: string;
  /** Called with the text after each edit, and with the original text if all edits were undone. */
  readonly changed: (markdown: string) => void;
  readonly formatted: (formatting: Formatting) => void;
  /** Called when / is typed on an empty line. */
  readonly slash: () => void;
  /** Called when Escape is pressed. */
  readonly escaped: () => void;
}

export interface TextEditor {
  readonly focus: (at?: { readonly left: number; readonly top: number }) => void;
  readonly format: (format: Format) => void;
  readonly setStyle: (style: TextStyle) => void;
  /** Links the selected text to an address, or removes the link if the address is ''. */
  readonly setLink: (address: string) => void;
  /** Returns the texts before and after the empty line at the cursor, or null if the line is not empty. */
  readonly split: () => readonly [before: string, after: string] | null;
  readonly destroy: () => void;
}

const levels: Readonly<Record<TextStyle, number>> = { text: 0, heading: 2, subheading: 3 };

/** Mounts an editor for a text into an element. */
export async function mountText(root: HTMLElement, markdown: string, options: TextOptions): Promise<TextEditor> {
  const editor = createEditor(root, markdown);
  let serialize = (): string => markdown;
  let original = '';
  editor.config((ctx) => {
    ctx.set(editorViewOptionsCtx, {
      attributes: { 'aria-label': options.label, 'aria-multiline': 'true', class: 'prose' },
      handleKeyDown: (view, event) => {
        if (event.key === '/' && isEmptyLine(view.state)) {
          options.slash();
          return true;
        }
        if (event.key === 'Escape') options.escaped();
        return false;
      },
    });
  });
  editor.use(
    $prose(
      () =>
        new Plugin({
          view: () => ({
            update: (view, before) => {
              if (!view.state.doc.eq(before.doc)) {
                const text = serialize();
                options.changed(text === original ? markdown : text);
              }
              options.formatted(formattingOf(view.state));
            },
          }),
        }),
    ),
  );
  await editor.create();
  const view = editor.ctx.get(editorViewCtx);
  const write = (doc: Node): string => (doc.childCount ? editor.ctx.get(serializerCtx)(doc).trim() : '');
  serialize = () => write(view.state.doc);
  original = serialize();
  const run = (command: Command): void => {
    command(view.state, view.dispatch, view);
    view.focus();
  };
  return {
    focus: (at) => {
      const found = at ? view.posAtCoords(at) : null;
      const selection: Selection = found
        ? TextSelection.near(view.state.doc.resolve(found.pos))
        : TextSelection.atEnd(view.state.doc);
      view.dispatch(view.state.tr.setSelection(selection));
      view.focus();
      options.formatted(formattingOf(view.state));
    },
    format: (format) => run(commandFor(view.state.schema, format, formattingOf(view.state).on.has(format))),
    setStyle: (style) => run(styleCommand(view.state.schema, style)),
    setLink: (address) => setLink(view, address),
    split: () => {
      const { doc, selection } = view.state;
      if (!isEmptyLine(view.state)) return null;
      return [write(doc.cut(0, selection.$from.before(1))), write(doc.cut(selection.$from.after(1)))];
    },
    destroy: () => void editor.destroy(),
  };
}

function isEmptyLine({ selection, schema }: EditorState): boolean {
  const line = selection.$from.parent;
  return (
    selection.empty && line.type === schema.nodes.paragraph && line.content.size === 0 && selection.$from.depth === 1
  );
}

function formattingOf({ selection, schema, doc, storedMarks }: EditorState): Formatting {
  const { $from, from, to, empty } = selection;
  const marks = storedMarks ?? $from.marks();
  const has = (name: string): boolean => {
    const type = schema.marks[name];
    return Boolean(type && (empty ? type.isInSet(marks) : doc.rangeHasMark(from, to, type)));
  };
  const inside = (name: string): boolean => {
    for (let depth = $from.depth; depth > 0; depth--) if ($from.node(depth).type.name === name) return true;
    return false;
  };
  const on = new Set<Format | 'link'>();
  if (has('strong')) on.add('bold');
  if (has('emphasis')) on.add('italic');
  if (has('link')) on.add('link');
  if (inside('bullet_list')) on.add('bullets');
  if (inside('ordered_list')) on.add('numbers');
  const level = $from.parent.type.name === 'heading' ? Number($from.parent.attrs.level) : 0;
  return {
    style: level === 0 ? 'text' : level <= 2 ? 'heading' : 'subheading',
    on,
    link: String(linkAt(selection)?.attrs.href ?? ''),
  };
}

const linkAt = ({ $from, $to }: Selection): Mark | undefined =>
  [...$from.marks(), ...($from.nodeAfter?.marks ?? []), ...$to.marks()].find((m) => m.type.name === 'link');

function commandFor(schema: Schema, format: Format, on: boolean): Command {
  const { strong, emphasis } = schema.marks;
  const { bullet_list, ordered_list, list_item } = schema.nodes;
  if (format === 'bold' && strong) return toggleMark(strong);
  if (format === 'italic' && emphasis) return toggleMark(emphasis);
  const list = format === 'bullets' ? bullet_list : ordered_list;
  if (!list || !list_item) return () => false;
  return on ? liftListItem(list_item) : wrapInList(list);
}

function styleCommand(schema: Schema, style: TextStyle): Command {
  const { paragraph, heading } = schema.nodes;
  const level = levels[style];
  const type = level ? heading : paragraph;
  if (!type) return () => false;
  const set = setBlockType(type, level ? { level } : null);
  return (state, dispatch, view) => set(state, dispatch, view) || lift(state, dispatch);
}

function setLink(view: EditorView, address: string): void {
  const { state } = view;
  const type = state.schema.marks.link;
  if (!type) return;
  const { from, to } = linkRange(state);
  const tr = state.tr.removeMark(from, to, type);
  if (address) {
    if (from === to) tr.insertText(address, from);
    tr.addMark(from, from === to ? from + address.length : to, type.create({ href: address }));
  }
  view.dispatch(tr);
  view.focus();
}

/** Returns the selection, or the whole link if only the cursor is in it. */
function linkRange({ selection, doc }: EditorState): { readonly from: number; readonly to: number } {
  const { from, to, empty, $from } = selection;
  const mark = empty ? linkAt(selection) : undefined;
  if (!mark) return { from, to };
  const start = $from.start();
  let range = { from, to };
  doc.nodesBetween(start, $from.end(), (node, at) => {
    const end = at + node.nodeSize;
    if (mark.isInSet(node.marks) && at <= from && from <= end) range = { from: at, to: end };
  });
  return range;
}
