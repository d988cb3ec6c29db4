// A short confirmation of a small action, with an optional undo. Errors are never shown this way.
import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { say } from './words.ts';

interface Toast {
  readonly text: string;
  readonly undo?: (() => void) | undefined;
}

const current = signal<Toast | null>(null);

/** Shows a confirmation for six seconds. It replaces an earlier one. */
export function toast(text: string, undo?: () => void): void {
  current.value = { text, undo };
}

const shownFor = 6_000; // milliseconds

/** The container of toasts, once per page. */
export function Toasts() {
  const shown = current.value;
  const [paused, setPaused] = useState(false);
  useEffect(() => {
    if (!shown || paused) return;
    const timer = setTimeout(() => {
      current.value = null;
    }, shownFor);
    return () => clearTimeout(timer);
  }, [shown, paused]);
  const undo = (): void => {
    shown?.undo?.();
    current.value = null;
  };
  return (
    <div
      role="status"
      onMouseEnter={() => setPaused(true)}
      onMouseLeave={() => setPaused(false)}
      onFocusCapture={() => setPaused(true)}
      onBlurCapture={() => setPaused(false)}
    >
      {shown ? (
        <div class="toast">
          <span>{shown.text}</span>
          {shown.undo ? (
            <button type="button" class="link" onClick={undo}>
              {say('undo')}
            </button>
          ) : null}
        </div>
      ) : null}
    </div>
  );
}
