// The bar at the bottom of an editor, with the number of changes and the actions for them.
import { CircleAlert, Users, WifiOff } from 'lucide-preact';
import { useEffect, useRef } from 'preact/hooks';
import { connection } from '../connection.ts';
import { platformZone } from '../fields/zone.ts';
import { useTask } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { ErrorMessage } from '../ui/notice.tsx';
import { lang } from '../words.ts';
import { say } from './words.ts';

interface Props {
  readonly changes: number;
  readonly errors: number;
  readonly conflicts: number;
  readonly savedAt: number;
  readonly publishable: boolean;
  readonly goToError: () => void;
  readonly compare: () => Promise<unknown>;
  readonly discard: () => void;
  readonly review: () => Promise<unknown>;
}

const times = new Intl.DateTimeFormat(lang === 'es' ? 'es-ES' : 'en-US', {
  timeStyle: 'short',
  timeZone: platformZone,
});

export function SaveBar(p: Props) {
  const { busy, error, run } = useTask();
  useReviewKey(p.changes > 0, () => void run(p.review));
  if (!p.changes) return null;
  const { online } = connection.value;
  const state = p.conflicts
    ? { tone: 'warn', icon: Users, text: say('conflicts', { count: p.conflicts }) }
    : p.errors
      ? { tone: 'bad', icon: CircleAlert, text: say('errors', { count: p.errors }) }
      : { tone: '', icon: null, text: say('changes', { count: p.changes }) };
  const aside = !online
    ? say('saved_offline')
    : !p.publishable
      ? say('not_publishable')
      : !p.errors && !p.conflicts && p.savedAt
        ? say('saved', { time: times.format(p.savedAt).replaceAll('\u202f', ' ') })
        : '';
  return (
    <div class="savebar" role="region" aria-label={say('draft')}>
      {error ? <ErrorMessage error={error} /> : null}
      <p class={`state ${state.tone}`} role="status">
        {state.icon ? <Icon of={state.icon} /> : <span class="pulse" />}
        <span>
          {state.text}
          {aside ? (
            <small class={online && p.publishable ? 'desk' : ''}>
              <span class="md"> · </span>
              {online ? null : <Icon of={WifiOff} small />}
              {aside}
            </small>
          ) : null}
        </span>
      </p>
      <span class="grow" />
      {p.conflicts ? (
        <button type="button" class="btn" aria-disabled={busy} onClick={() => void run(p.compare)}>
          {say('compare', { count: p.conflicts })}
        </button>
      ) : p.errors ? (
        <button type="button" class="btn plain" onClick={p.goToError}>
          {say('go_to_error')}
        </button>
      ) : null}
      <button type="button" class="btn plain" onClick={p.discard}>
        {say('discard')}
      </button>
      <button
        type="button"
        class="btn primary"
        aria-disabled={busy}
        aria-busy={busy}
        aria-keyshortcuts="Control+S"
        onClick={() => void run(p.review)}
      >
        {busy ? <span class="spin" aria-hidden="true" /> : null}
        {say('review')}
        <span class="desk" aria-hidden="true">
          <kbd>Ctrl S</kbd>
        </span>
      </button>
    </div>
  );
}

/** Calls a function on Ctrl+S, from any field, while there are changes and no dialog is open. */
function useReviewKey(changed: boolean, review: () => void): void {
  const latest = useRef(review);
  latest.current = review;
  useEffect(() => {
    if (!changed) return;
    const press = (e: KeyboardEvent): void => {
      if (e.key.toLowerCase() !== 's' || !(e.ctrlKey || e.metaKey) || e.shiftKey || e.altKey) return;
      e.preventDefault();
      if (!document.querySelector('dialog[open]')) latest.current();
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, [changed]);
}
