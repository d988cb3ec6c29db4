// The toolbar of the block editor. Arrow keys move between its buttons.
import { ArrowDown, ArrowUp, Bold, ChevronDown, Italic, Link, List, ListOrdered, Plus, Trash2 } from 'lucide-preact';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Dialog } from '../ui/dialog.tsx';
import { Form, TextField } from '../ui/form.tsx';
import { Icon } from '../ui/icon.tsx';
import { Menu } from '../ui/menu.tsx';
import { UserError } from '../ui/notice.tsx';
import { countWords, readingMinutes } from './markdown.ts';
import type { Format, Formatting, TextEditor, TextStyle } from './milkdown.ts';
import { say } from './words.ts';

interface Props {
  /** The editor of the active text, if it is a text. */
  readonly editor: TextEditor | null;
  readonly formatting: Formatting;
  /** The menu items that add a block. */
  readonly choices: ComponentChildren;
  /** Changes the active block, if there is one. */
  readonly block: { readonly up?: () => void; readonly down?: () => void; readonly remove: () => void } | null;
  readonly texts: readonly string[];
}

const formats: readonly (readonly [Format, typeof Bold])[] = [
  ['bold', Bold],
  ['italic', Italic],
  ['bullets', List],
  ['numbers', ListOrdered],
];

const styles: readonly TextStyle[] = ['text', 'heading', 'subheading'];

export function Toolbar({ editor, formatting, choices, block, texts }: Props) {
  const bar = useRef<HTMLDivElement>(null);
  const current = useRef(0);
  const [linking, setLinking] = useState(false);
  const buttons = (): HTMLElement[] => [...(bar.current?.querySelectorAll<HTMLElement>(':scope > .tb') ?? [])];
  useLayoutEffect(() => {
    const all = buttons();
    current.current = Math.min(current.current, all.length - 1);
    all.forEach((b, i) => {
      b.tabIndex = i === current.current ? 0 : -1;
    });
  });
  const focused = (e: FocusEvent): void => {
    const at = buttons().indexOf(e.target as HTMLElement);
    if (at < 0) return;
    current.current = at;
    buttons().forEach((b, i) => {
      b.tabIndex = i === at ? 0 : -1;
    });
  };
  const press = (e: KeyboardEvent): void => {
    const all = buttons();
    const at = all.indexOf(e.target as HTMLElement);
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: all.length - 1 }[e.key];
    if (at < 0 || next === undefined) return;
    e.preventDefault();
    all[(next + all.length) % all.length]?.focus();
  };
  const words = countWords(texts);
  return (
    <>
      <div ref={bar} class="toolbar" role="toolbar" aria-label={say('toolbar')} onFocusIn={focused} onKeyDown={press}>
        <Menu
          label={`${say('style')}: ${say(`style_${formatting.style}`)}`}
          class="tb wide"
          button={
            <>
              {say(`style_${formatting.style}`)}
              <Icon of={ChevronDown} small />
            </>
          }
        >
          {styles.map((s) => (
            <button key={s} type="button" onClick={() => editor?.setStyle(s)}>
              {say(`style_${s}`)}
            </button>
          ))}
        </Menu>
        <span class="sep" />
        {formats.map(([format, icon]) => (
          <ToolButton
            key={format}
            label={say(format)}
            icon={icon}
            pressed={formatting.on.has(format)}
            disabled={!editor}
            act={() => editor?.format(format)}
          />
        ))}
        <ToolButton
          label={say('link')}
          icon={Link}
          pressed={formatting.on.has('link')}
          disabled={!editor}
          act={() => setLinking(true)}
        />
        <span class="sep" />
        <Menu
          class="tb wide"
          button={
            <>
              <Icon of={Plus} small />
              {say('add')}
            </>
          }
        >
          {choices}
        </Menu>
        {block ? (
          <>
            <span class="sep" />
            <ToolButton label={say('up')} icon={ArrowUp} disabled={!block.up} act={() => block.up?.()} />
            <ToolButton label={say('down')} icon={ArrowDown} disabled={!block.down} act={() => block.down?.()} />
            <ToolButton label={say('remove')} icon={Trash2} act={block.remove} />
          </>
        ) : null}
        <span class="push tiny muted desk">
          {say('words', { count: words })} · {say('minutes', { count: readingMinutes(words) })}
        </span>
      </div>
      {linking && editor ? (
        <LinkDialog address={formatting.link} set={(a) => editor.setLink(a)} close={() => setLinking(false)} />
      ) : null}
    </>
  );
}

interface ButtonProps {
  readonly label: string;
  readonly icon: typeof Bold;
  readonly pressed?: boolean;
  readonly disabled?: boolean;
  readonly act: () => void;
}

/** A button of the toolbar. Pressing it with the mouse leaves the focus in the text. */
const ToolButton = ({ label, icon, pressed, disabled, act }: ButtonProps) => (
  <button
    type="button"
    class="tb"
    aria-label={label}
    title={label}
    aria-pressed={pressed}
    aria-disabled={disabled || undefined}
    onMouseDown={(e) => e.preventDefault()}
    onClick={() => !disabled && act()}
  >
    <Icon of={icon} small />
  </button>
);

const validAddress = /^(https?:\/\/|mailto:|\/(?!\/)|#)\S+$/i;

function LinkDialog({ address, set, close }: { address: string; set: (address: string) => void; close: () => void }) {
  const [typed, setTyped] = useState(address);
  const apply = async (to: string): Promise<void> => {
    const full = /^[\w-]+(\.[\w-]+)+(\/|$)/.test(to) ? `https://${to}` : to;
    if (full && !validAddress.test(full)) throw new UserError(say('link_wrong'));
    close();
    queueMicrotask(() => set(full));
  };
  return (
    <Dialog title={say('link_title')} close={close}>
      <Form
        dialog
        task={() => apply(typed.trim())}
        submitLabel={say('link_set')}
        actions={
          address ? (
            <button type="button" class="btn" onClick={() => void apply('')}>
              {say('link_remove')}
            </button>
          ) : null
        }
      >
        <TextField label={say('link_address')} hint={say('link_hint')} value={typed} set={setTyped} />
      </Form>
    </Dialog>
  );
}
