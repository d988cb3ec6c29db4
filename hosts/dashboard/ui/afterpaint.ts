import { useEffect, useState } from 'preact/hooks';

/**
 * Returns a value one frame late. Components that render slowly use it so that the immediate
 * response to a tap is painted first.
 */
export function useAfterPaint<T extends object>(value: T): T {
  const [painted, setPainted] = useState(value);
  useEffect(() => {
    const frame = requestAnimationFrame(() => setPainted(value));
    return () => cancelAnimationFrame(frame);
  }, [value]);
  return painted;
}
