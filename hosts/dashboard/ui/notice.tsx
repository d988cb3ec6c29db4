// Notices, error messages and loading states.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { APIError, NetworkError } from '../../site/scripts/api.ts';
import { ConfirmationDismissed, confirmIdentity, needsRecentSignIn } from '../changes.ts';
import { isRetryable, type Resource, refreshUnconfirmed } from '../resources.ts';
import { moment } from '../words.ts';
import { say } from './words.ts';

/** An error whose message is written for the operator. */
export class UserError extends Error {}

/** Returns the message for an error: the server's own message for a client error. */
export function errorText(error: unknown): string {
  if (error instanceof NetworkError) return say('unsent');
  if (error instanceof UserError) return error.message;
  if (!(error instanceof APIError)) throw error;
  if (error.status >= 500) return say('unavailable');
  if (error.problem.code === 'forbidden') return say('forbidden');
  if (error.problem.code === 'editing_off') return say('editing_off');
  return error.problem.error;
}

/** An error message. With `focus` it takes the focus, as is right after an action of the operator. */
export function ErrorMessage({ error, focus = true }: { error: unknown; focus?: boolean }) {
  const container = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    if (focus) container.current?.focus();
  }, [error, focus]);
  if (!error || error instanceof ConfirmationDismissed) return null;
  return (
    <p ref={container} class="note bad" role="alert" tabIndex={-1}>
      {errorText(error)}
    </p>
  );
}

export function Notice({ tone = '', children }: { tone?: '' | 'good' | 'bad' | 'warn'; children: ComponentChildren }) {
  return <div class={`note ${tone}`}>{children}</div>;
}

export const Loading = () => (
  <p class="loading" aria-busy="true">
    {say('loading')}
  </p>
);

/** A notice that a read failed. If older data is still shown, it includes that data's age. */
export function ReadError({ at, error }: { at: number | undefined; error: unknown }) {
  const why = error instanceof NetworkError ? 'offline' : 'unavailable_now';
  if (needsRecentSignIn(error)) return <ConfirmToRead />;
  if (!isRetryable(error)) return <ErrorMessage error={error} focus={false} />;
  const time = at === undefined ? '' : new Date(at).toISOString();
  return (
    <p class="note bad" role="alert">
      {say(why)} {time ? say('old', { time: moment(time) }) : say('by_itself')}
    </p>
  );
}

/** Asks the operator to confirm their identity before personal data is read again. */
function ConfirmToRead() {
  const show = (): void => void confirmIdentity().then(refreshUnconfirmed, () => undefined);
  return (
    <div class="note">
      <p>{say('confirm_read')}</p>
      <div class="row">
        <button type="button" onClick={show}>
          {say('confirm_title')}
        </button>
      </div>
    </div>
  );
}

/** Renders a value once it was read. If a refresh fails, the old value stays, below the error. */
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
