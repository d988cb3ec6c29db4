// The side panel that edits one item next to its list.
import { X } from 'lucide-preact';
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from './icon.tsx';
import { say } from './words.ts';

interface Props {
  readonly title: string;
  readonly close: () => void;
  /** Buttons before the one that closes the panel. */
  readonly actions?: ComponentChildren;
  readonly footer?: ComponentChildren;
  readonly children: ComponentChildren;
}

/**
 * A panel next to a list. Escape closes it, and the focus returns to the element that opened it.
 */
export function Panel({ title, close, actions, footer, children }: Props) {
  const id = useId();
  const element = useRef<HTMLElement>(null);
  // A layout effect, so that the code that opened the panel can move the focus to a field
  // afterwards.
  useLayoutEffect(() => {
    const opener = document.activeElement as HTMLElement | null;
    element.current?.querySelector<HTMLElement>('h2')?.focus();
    return () => queueMicrotask(() => opener?.isConnected && opener.focus());
  }, []);
  const key = (e: KeyboardEvent): void => {
    if (e.key !== 'Escape' || e.defaultPrevented) return;
    e.preventDefault();
    close();
  };
  return (
    <aside ref={element} class="panel" aria-labelledby={id} onKeyDown={key}>
      <header>
        <h2 id={id} tabIndex={-1}>
          {title}
        </h2>
        {actions}
        <button type="button" class="btn plain icon sm" aria-label={say('close')} onClick={close}>
          <Icon of={X} />
        </button>
      </header>
      <div class="in">{children}</div>
      {footer ? <footer>{footer}</footer> : null}
    </aside>
  );
}
