import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { say } from './words.ts';

/** A native modal dialog: it traps the focus and closes on Escape. */
export function Dialog({
  title,
  close,
  children,
  wide,
}: {
  title: string;
  close: () => void;
  children: ComponentChildren;
  wide?: boolean;
}) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  // A layout effect, so that the dialog has the focus before the next key press.
  useLayoutEffect(() => {
    const dialog = element.current;
    if (dialog && !dialog.open) dialog.showModal();
  }, []);
  return (
    <dialog ref={element} aria-labelledby={id} class={wide ? 'wide-dialog' : ''} onClose={close}>
      <div class="dialog-head">
        <h2 id={id}>{title}</h2>
        <button type="button" class="link" onClick={() => element.current?.close()}>
          {say('close')}
        </button>
      </div>
      {children}
    </dialog>
  );
}
