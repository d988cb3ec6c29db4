// Reads whose parameters are too long or too personal for a URL.
import { useEffect, useRef, useState } from 'preact/hooks';
import { change } from './changes.ts';
import { isRetryable, type Resource } from './resources.ts';
import { now } from './session.ts';

const retryPause = 5_000; // milliseconds

/**
 * Posts a request, again whenever it changes, `pause` milliseconds after the last change. The
 * previous value is kept until the next one arrives. A request of null posts nothing.
 */
export function usePosted<T>(path: string, request: unknown, pause = 0): Resource<T> & { readonly busy: boolean } {
  const [resource, setResource] = useState<Resource<T>>({});
  const [answered, setAnswered] = useState<string | null>(null);
  const first = useRef(true);
  const body = request === null ? null : JSON.stringify(request);
  useEffect(() => {
    if (body === null) {
      setResource({});
      setAnswered(null);
      return;
    }
    let outdated = false;
    let timer = 0;
    const post = async (): Promise<void> => {
      try {
        const value = await change<T>(path, JSON.parse(body));
        if (outdated) return;
        setResource({ value, at: now() });
      } catch (error) {
        if (outdated) return;
        setResource((last) => ({ ...last, error }));
        if (isRetryable(error)) timer = window.setTimeout(() => void post(), retryPause);
      }
      setAnswered(body);
    };
    timer = window.setTimeout(() => void post(), first.current ? 0 : pause);
    first.current = false;
    return () => {
      outdated = true;
      clearTimeout(timer);
    };
  }, [path, body, pause]);
  return { ...resource, busy: body !== answered };
}
