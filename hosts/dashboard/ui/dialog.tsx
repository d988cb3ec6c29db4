import { X } from 'lucide-preact';
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from './icon.tsx';
import { say } from './words.ts';

interface Props {
  /** The question that the dialog asks, or the name of its content. */
  readonly title: string;
  readonly close: () => void;
  readonly wide?: boolean;
  readonly children: ComponentChildren;
}

/**
 * A native modal dialog: it traps the focus and closes on Escape. It focuses its first field, or
 * its title if it has none. Its children are a Form with `dialog` set, or DialogBody and DialogFooter.
 */
export function Dialog({ title, close, wide, children }: Props) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  // A layout effect, so that the dialog has the focus before the next key press.
  useLayoutEffect(() => {
    const dialog = element.current;
    if (!dialog || dialog.open) return;
    dialog.showModal();
    const field = dialog.querySelector<HTMLElement>(firstField) ?? dialog.querySelector<HTMLElement>('h2');
    field?.focus();
  }, []);
  return (
    <dialog ref={element} aria-labelledby={id} class={`dialog ${wide ? 'wide' : ''}`} onClose={close}>
      <div class="dhead">
        <h2 id={id} class="grow" tabIndex={-1}>
          {title}
        </h2>
        <button
          type="button"
          class="btn plain icon sm"
          aria-label={say('close')}
          onClick={() => element.current?.close()}
        >
          <Icon of={X} />
        </button>
      </div>
      {children}
    </dialog>
  );
}

const firstField = '[autofocus], :is(input, select, textarea):not([type=hidden], [disabled], [aria-hidden=true])';

export const DialogBody = ({ children }: { children: ComponentChildren }) => <div class="in">{children}</div>;

export const DialogFooter = ({ children }: { children: ComponentChildren }) => <footer>{children}</footer>;
