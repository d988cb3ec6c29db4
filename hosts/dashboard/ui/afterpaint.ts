import { useEffect, useState } from 'preact/hooks';

/**
 * A value as it was at the last paint. What takes long to draw follows it one frame later, so
 * that what answers a tap at once is seen first.
 */
export function useAfterPaint<T extends object>(value: T): T {
  const [painted, setPainted] = useState(value);
  useEffect(() => {
    const frame = requestAnimationFrame(() => setPainted(value));
    return () => cancelAnimationFrame(frame);
  }, [value]);
  return painted;
}
