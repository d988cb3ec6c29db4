import type { ComponentChildren } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import { ErrorMessage } from './notice.tsx';

export type ButtonKind = '' | 'primary' | 'danger' | 'danger-quiet' | 'plain';

interface Props {
  readonly task: () => Promise<unknown>;
  readonly kind?: ButtonKind;
  readonly small?: boolean;
  /**
   * The reason why the button cannot be used now. The button stays focusable, and screen readers
   * read the reason with it.
   */
  readonly disabled?: string | boolean | undefined;
  /** The accessible name, if the content is only an icon or is repeated in a list. */
  readonly label?: string;
  readonly children: ComponentChildren;
}

/**
 * A button that runs an async task, one at a time, and shows its error below. It keeps its label
 * while the task runs and is never disabled, because a disabled button would lose the focus.
 */
export function Button({ task, kind = '', small, disabled, label, children }: Props) {
  const running = useTask();
  const reason = useId();
  const off = Boolean(disabled) || running.busy;
  return (
    <span class="task">
      <button
        type="button"
        class={buttonClass(kind, small)}
        aria-label={label}
        aria-busy={running.busy}
        aria-disabled={off}
        aria-describedby={typeof disabled === 'string' && disabled ? reason : undefined}
        onClick={() => (off ? undefined : void running.run(task))}
      >
        {running.busy ? <span class="spin" aria-hidden="true" /> : null}
        {children}
      </button>
      {typeof disabled === 'string' && disabled ? (
        <span id={reason} class="unseen">
          {disabled}
        </span>
      ) : null}
      {running.error ? <ErrorMessage error={running.error} /> : null}
    </span>
  );
}

export const buttonClass = (kind: ButtonKind = '', small = false): string =>
  ['btn', kind, small ? 'sm' : ''].filter(Boolean).join(' ');

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
