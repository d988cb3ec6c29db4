import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { Wrong } from './notice.tsx';

interface Props {
  readonly task: () => Promise<unknown>;
  readonly quiet?: boolean;
  readonly small?: boolean;
  readonly danger?: boolean;
  readonly disabled?: boolean;
  readonly children: ComponentChildren;
}

/**
 * A button whose task runs once at a time, and that says below it what went wrong. Meanwhile
 * it keeps the focus, which a disabled one would lose.
 */
export function Button({ task, quiet, small, danger, disabled, children }: Props) {
  const running = useTask();
  return (
    <span class="task">
      <button type="button" class={`${quiet ? 'quiet' : danger ? 'danger' : ''}${small ? ' small-button' : ''}`} disabled={disabled} aria-busy={running.busy} aria-disabled={running.busy} onClick={() => void running.run(task)}>{children}</button>
      {running.error ? <Wrong error={running.error} /> : null}
    </span>
  );
}

/** Runs tasks one at a time: a second click while one runs is none. */
export function useTask(): { readonly busy: boolean; readonly error: unknown; run: (task: () => Promise<unknown>) => Promise<boolean> } {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const running = useRef(false);
  const run = async (task: () => Promise<unknown>): Promise<boolean> => {
    if (running.current) return false;
    running.current = true;
    setBusy(true);
    setError(null);
    try {
      await task();
      return true;
    } catch (caught) {
      setError(caught);
      return false;
    } finally {
      running.current = false;
      setBusy(false);
    }
  };
  return { busy, error, run };
}
