// Notices, error messages and loading states.
import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-preact';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { APIError, NetworkError } from '../../site/scripts/api.ts';
import { ConfirmationDismissed, confirmIdentity, needsRecentSignIn } from '../changes.ts';
import { isRetryable, type Resource, refreshUnconfirmed } from '../resources.ts';
import { moment } from '../words.ts';
import { Icon } from './icon.tsx';
import { say } from './words.ts';

/** An error whose message is written for the operator. */
export class UserError extends Error {}

/**
 * Returns the message for an error: the server's sentence if it sent one. It throws errors that are
 * neither of the server, of the network, nor written for the operator.
 */
export function errorText(error: unknown): string {
  if (error instanceof NetworkError) return say('unsent');
  if (error instanceof UserError) return error.message;
  if (!(error instanceof APIError)) throw error;
  if (error.problem.code === 'forbidden') return say('forbidden');
  if (error.problem.code === 'editing_off') return say('editing_off');
  return error.problem.error || say('unavailable');
}

/** An error message. With `focus` it takes the focus, which is right after an operator's action. */
export function ErrorMessage({ error, focus = true }: { error: unknown; focus?: boolean }) {
  const container = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (focus) container.current?.focus();
  }, [error, focus]);
  if (!error || error instanceof ConfirmationDismissed) return null;
  return (
    <div ref={container} class="notice bad" role="alert" tabIndex={-1}>
      <Icon of={CircleAlert} />
      <p>{errorText(error)}</p>
    </div>
  );
}

type NoticeTone = '' | 'good' | 'bad' | 'warn';

const icons = { '': Info, good: CircleCheck, warn: TriangleAlert, bad: CircleAlert } as const;

interface NoticeProps {
  readonly tone?: NoticeTone;
  readonly children: ComponentChildren;
  /** Buttons or links, at the end of the notice. */
  readonly action?: ComponentChildren;
}

/** A notice that stays on the page as long as it applies. */
export const Notice = ({ tone = '', children, action }: NoticeProps) => (
  <div class={`notice ${tone}`}>
    <Icon of={icons[tone]} />
    <div class="grow stack g2">{children}</div>
    {action}
  </div>
);

const skeletonDelay = 300; // milliseconds

/** Placeholder lines for loading content, shown after a short delay. */
export function Loading({ lines = 4 }: { lines?: number }) {
  const [shown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), skeletonDelay);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div class="stack g3 loading" aria-busy="true">
      <span class="unseen" role="status">
        {shown ? say('loading') : ''}
      </span>
      {shown
        ? Array.from({ length: lines }, (_, i) => (
            <div key={i} class="sk" style={{ width: `${100 - ((i * 17) % 45)}%` }} aria-hidden="true" />
          ))
        : null}
    </div>
  );
}

/** A notice that reading failed. If older data is still shown, the notice includes its age. */
export function ReadError({ at, error }: { at: number | undefined; error: unknown }) {
  if (needsRecentSignIn(error)) return <ConfirmToRead />;
  if (!isRetryable(error)) return <ErrorMessage error={error} focus={false} />;
  const why = error instanceof NetworkError ? 'offline' : 'unavailable_now';
  const time = at === undefined ? '' : new Date(at).toISOString();
  return (
    <div class="notice bad" role="alert">
      <Icon of={CircleAlert} />
      <p>
        {say(why)} {time ? say('old', { time: moment(time) }) : say('by_itself')}
      </p>
    </div>
  );
}

/** Asks the operator to confirm their identity before personal data is read again. */
function ConfirmToRead() {
  const show = (): void => void confirmIdentity().then(refreshUnconfirmed, () => undefined);
  return (
    <Notice
      action={
        <button type="button" class="btn" onClick={show}>
          {say('confirm_title')}
        </button>
      }
    >
      <p>{say('confirm_read')}</p>
    </Notice>
  );
}

/** Renders a value after it was read. If a refresh fails, the old value stays below the error. */
export function ResourceView<T>({
  resource,
  children,
}: {
  resource: Resource<T>;
  children: (value: T) => ComponentChildren;
}) {
  return (
    <>
      {resource.error ? <ReadError at={resource.at} error={resource.error} /> : null}
      {resource.value !== undefined ? children(resource.value) : resource.error ? null : <Loading />}
    </>
  );
}
