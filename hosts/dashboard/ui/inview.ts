import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** Scrolls a horizontal list so that its current link is visible. */
export function useCurrentInView<E extends HTMLElement>(open: string): RefObject<E | null> {
  const list = useRef<E>(null);
  useEffect(() => {
    const current = list.current?.querySelector<HTMLElement>('[aria-current]');
    if (current && list.current)
      list.current.scrollLeft =
        current.offsetLeft - list.current.offsetLeft - (list.current.clientWidth - current.offsetWidth) / 2;
  }, [open]);
  return list;
}
