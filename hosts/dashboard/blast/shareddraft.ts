// The draft that all operators of a campaign share.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { APIError } from '../../site/scripts/api.ts';
import { getWithSession } from '../../site/scripts/operator.ts';
import { change } from '../changes.ts';
import { refresh } from '../resources.ts';
import { now } from '../session.ts';
import { useTask } from '../ui/button.tsx';
import { dateOf, moment, timeOfDay } from '../words.ts';
import { asRequested } from './audience.ts';
import { type Content, contentOf, isEmpty, isSame, noContent } from './message.ts';
import { say } from './words.ts';

export type Draft = Schema['Draft'];
export type Surface = Schema['DraftRequest']['surface'];

interface SharedDraft {
  readonly save: () => Promise<void>;
  /** Deletes the draft after its message was sent. */
  readonly clear: () => Promise<void>;
  /** A colleague has saved the draft in the meantime. */
  readonly conflict: boolean;
  readonly takeTheirs: () => Promise<Content>;
  /** A sentence that states when the draft was saved. */
  readonly state: string;
}

const idle = 10_000; // milliseconds without a change after which the draft is saved

/**
 * Saves a message as the draft that all operators of the campaign share, when a field loses the
 * focus and after a pause.
 */
export function useSharedDraft(
  campaignSlug: string,
  surface: Surface,
  path: string,
  draft: Draft,
  content: Content,
): SharedDraft {
  const [stored, setStored] = useState(draft);
  const [conflict, setConflict] = useState(false);
  const saving = useTask();
  const latest = useRef({ content, stored, conflict });
  latest.current = { content, stored, conflict };
  const save = async (): Promise<void> => {
    const { content: current, stored: last, conflict: blocked } = latest.current;
    if (blocked || isSame(current, contentOf(last))) return;
    await saving.run(async () => {
      try {
        const result = await change<Draft>('/admin/marketing/draft', {
          campaignSlug,
          surface,
          revision: last.revision,
          ...current,
          audience: asRequested(current.audience),
        } satisfies Schema['DraftRequest']);
        setStored(result);
        void refresh(path);
      } catch (error) {
        if (error instanceof APIError && error.status === 409) setConflict(true);
        else throw error;
      }
    });
  };
  const clear = async (): Promise<void> => {
    const { revision } = latest.current.stored;
    setStored({ ...noContent, revision: '' });
    try {
      if (revision)
        await change('/admin/marketing/draft/clear', {
          campaignSlug,
          surface,
          revision,
        } satisfies Schema['ClearRequest']);
    } catch (error) {
      if (!(error instanceof APIError && error.status === 409)) throw error; // a colleague has saved another draft
    }
    await refresh(path);
  };
  const takeTheirs = async (): Promise<Content> => {
    const theirs = await getWithSession<Draft>(path);
    setStored(theirs);
    setConflict(false);
    return contentOf(theirs);
  };
  useEffect(() => {
    const timer = setTimeout(() => void save(), idle);
    return () => clearTimeout(timer);
  }, [content]);
  useEffect(() => () => void save(), []);
  return { save, clear, conflict, takeTheirs, state: draftState(stored, content, saving.error !== null) };
}

function draftState(stored: Draft, content: Content, failed: boolean): string {
  const saved = contentOf(stored);
  if (isEmpty(content) && isEmpty(saved)) return say('draft_empty');
  if (failed) return say('draft_failed');
  return isSame(content, saved) && stored.savedAt
    ? say('draft_saved', { time: savedTime(stored.savedAt) })
    : say('draft_unsaved');
}

/** Returns the time of day, with the date unless it is today. */
const savedTime = (at: string): string => (dateOf(at) === dateOf(now()) ? timeOfDay(at) : moment(at));
