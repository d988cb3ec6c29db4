// A text block: rendered, as an editor while it is active, or as Markdown source.
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Converter, Formatting, TextEditor } from './milkdown.ts';
import { say } from './words.ts';

interface Props {
  readonly label: string;
  /** Shown while the text is empty. */
  readonly hint: string;
  readonly text: string;
  readonly set: (text: string) => void;
  /** Converts and checks texts; null until it is loaded. */
  readonly converter: Converter | null;
  readonly active: boolean;
  readonly activate: () => void;
  /** Receives the mounted editor, and null when it is removed. */
  readonly attach: (editor: TextEditor | null) => void;
  readonly formatted: (formatting: Formatting) => void;
  readonly slash: () => void;
  readonly escaped: () => void;
}

export function TextBlock(props: Props) {
  const { text, converter } = props;
  const [opened] = useState(text);
  const kept = useMemo(() => converter?.keeps(opened), [converter, opened]);
  if (!converter) return <p class="prose soft">{text}</p>;
  return kept ? <RichText {...props} converter={converter} /> : <Source {...props} />;
}

/** The Markdown of a text that the editor would change. */
function Source({ label, text, set, activate }: Props) {
  const hint = useId();
  return (
    <div class="field">
      <textarea
        class="area mono"
        rows={Math.min(20, text.split('\n').length + 1)}
        aria-label={label}
        aria-describedby={hint}
        value={text}
        onFocus={activate}
        onInput={(e) => set(e.currentTarget.value)}
      />
      <span class="hint" id={hint}>
        {say('source')}
      </span>
    </div>
  );
}

function RichText(props: Props & { readonly converter: Converter }) {
  const { label, text, converter, active, activate } = props;
  const rendered = useRef<HTMLDivElement>(null);
  const host = useRef<HTMLDivElement>(null);
  const clicked = useRef<{ left: number; top: number } | undefined>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const [mounted, setMounted] = useState(false);
  const written = useRef<string[]>([]); // texts of the mounted editor that are not rendered yet
  const [opened, setOpened] = useState(0); // counts texts set from outside, such as by discarding a draft
  useLayoutEffect(() => rendered.current?.replaceChildren(converter.render(text)), [converter, text, mounted]);
  const first = useRef(true);
  useEffect(() => {
    const own = written.current.lastIndexOf(text);
    written.current.splice(0, own < 0 ? written.current.length : own + 1);
    if (own < 0 && !first.current) setOpened((n) => n + 1);
    first.current = false;
  }, [text]);
  useEffect(() => {
    const root = host.current;
    if (!active || !root) return;
    let editor: TextEditor | null = null;
    let removed = false;
    void import('./milkdown.ts').then(async ({ mountText }) => {
      const made = await mountText(root, latest.current.text, {
        label,
        changed: (changed) => {
          written.current.push(changed);
          latest.current.set(changed);
        },
        formatted: (formatting) => latest.current.formatted(formatting),
        slash: () => latest.current.slash(),
        escaped: () => latest.current.escaped(),
      });
      if (removed) {
        made.destroy();
        return;
      }
      editor = made;
      latest.current.attach(made);
      root.hidden = false; // a hidden element cannot take the focus
      made.focus(clicked.current);
      setMounted(true);
      clicked.current = undefined;
    });
    return () => {
      removed = true;
      if (!editor) return;
      editor.destroy();
      setMounted(false);
      latest.current.attach(null);
    };
  }, [active, opened]);
  const blank = text.trim() ? undefined : props.hint;
  return (
    <>
      {mounted ? null : (
        <div
          ref={rendered}
          class="prose"
          role="textbox"
          aria-multiline="true"
          aria-label={label}
          tabIndex={0}
          data-blank={blank}
          onFocus={activate}
          onMouseDown={(e) => {
            clicked.current = { left: e.clientX, top: e.clientY };
          }}
        />
      )}
      <div ref={host} hidden={!mounted} data-blank={blank} />
    </>
  );
}
