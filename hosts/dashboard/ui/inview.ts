import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** Keeps the open one of tabs that scroll sideways in view. */
export function useCurrentInView(open: string): RefObject<HTMLUListElement | null> {
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    const current = list.current?.querySelector<HTMLElement>('[aria-current]');
    if (current && list.current) list.current.scrollLeft = current.offsetLeft - list.current.offsetLeft - (list.current.clientWidth - current.offsetWidth) / 2;
  }, [open]);
  return list;
}
