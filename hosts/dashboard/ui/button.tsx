import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { ErrorMessage } from './notice.tsx';

interface Props {
  readonly task: () => Promise<unknown>;
  readonly quiet?: boolean;
  readonly small?: boolean;
  readonly danger?: boolean;
  readonly disabled?: boolean;
  readonly children: ComponentChildren;
}

/**
 * A button that runs an async task, one at a time, and shows its error below. While the task runs
 * the button is not disabled, because a disabled button would lose the focus.
 */
export function Button({ task, quiet, small, danger, disabled, children }: Props) {
  const running = useTask();
  return (
    <span class="task">
      <button
        type="button"
        class={`${quiet ? 'quiet' : danger ? 'danger' : ''}${small ? ' small-button' : ''}`}
        disabled={disabled}
        aria-busy={running.busy}
        aria-disabled={running.busy}
        onClick={() => void running.run(task)}
      >
        {children}
      </button>
      {running.error ? <ErrorMessage error={running.error} /> : null}
    </span>
  );
}

/** Runs tasks one at a time. A call while a task is running is ignored and resolves to false. */
export function useTask(): {
  readonly busy: boolean;
  readonly error: unknown;
  run: (task: () => Promise<unknown>) => Promise<boolean>;
} {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const busyRef = useRef(false);
  const run = async (task: () => Promise<unknown>): Promise<boolean> => {
    if (busyRef.current) return false;
    busyRef.current = true;
    setBusy(true);
    setError(null);
    try {
      await task();
      return true;
    } catch (caught) {
      setError(caught);
      return false;
    } finally {
      busyRef.current = false;
      setBusy(false);
    }
  };
  return { busy, error, run };
}
