import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** Scrolls a horizontal tab list so that the current tab is visible. */
export function useCurrentInView(open: string): RefObject<HTMLUListElement | null> {
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    const current = list.current?.querySelector<HTMLElement>('[aria-current]');
    if (current && list.current)
      list.current.scrollLeft =
        current.offsetLeft - list.current.offsetLeft - (list.current.clientWidth - current.offsetWidth) / 2;
  }, [open]);
  return list;
}
