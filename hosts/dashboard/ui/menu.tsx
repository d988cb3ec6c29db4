// A menu of links and actions that opens from a button, based on the browser's popover.
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';

interface Props {
  /** The button's accessible name, if its content does not state it. */
  readonly label?: string;
  readonly class: string;
  /** The button's content. */
  readonly button: ComponentChildren;
  /** Links and buttons. */
  readonly children: ComponentChildren;
}

/** A button that opens a list of links and buttons. Arrow keys move between them, Escape closes it. */
export function Menu({ label, class: look, button, children }: Props) {
  const id = useId();
  const opener = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState(false);
  const items = (): HTMLElement[] => [...(list.current?.querySelectorAll<HTMLElement>('a, button') ?? [])];
  const toggled = (): void => setOpen(list.current?.matches(':popover-open') ?? false);
  useLayoutEffect(() => {
    if (!open) return;
    place(opener.current, list.current);
    items()[0]?.focus();
  }, [open]);
  const move = (e: KeyboardEvent): void => {
    const all = items();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[e.key];
    if (next === undefined) return;
    e.preventDefault();
    all[(next + all.length) % all.length]?.focus();
  };
  const chosen = (e: Event): void => {
    if (!(e.target as Element).closest('a, button')) return;
    list.current?.hidePopover();
  };
  return (
    <>
      <button
        ref={opener}
        type="button"
        class={look}
        aria-label={label}
        aria-haspopup="true"
        aria-expanded={open}
        popovertarget={id}
      >
        {button}
      </button>
      <div
        ref={list}
        id={id}
        popover="auto"
        role="group"
        class="menu"
        onToggle={toggled}
        onKeyDown={move}
        onClick={chosen}
      >
        {open ? children : null}
      </div>
    </>
  );
}

const margin = 8; // pixels to the button and to the window's edge

/** Places the menu below its button, or above it if there is more room. */
function place(button: HTMLElement | null, menu: HTMLElement | null): void {
  if (!button || !menu) return;
  const at = button.getBoundingClientRect();
  const above = innerHeight - at.bottom < 240 && at.top > innerHeight - at.bottom;
  menu.style.left = `${Math.max(margin, Math.min(at.left, innerWidth - menu.offsetWidth - margin))}px`;
  menu.style.top = above ? 'auto' : `${at.bottom + margin / 2}px`;
  menu.style.bottom = above ? `${innerHeight - at.top + margin / 2}px` : 'auto';
}
