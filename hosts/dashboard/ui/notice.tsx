// What went well or wrong, said where it happened.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Refused, Silent } from '../../site/scripts/api.ts';
import { confirmed, isOld, PutOff } from '../changing.ts';
import { refreshOld, unanswered, type Reading } from '../reading.ts';
import { moment } from '../words.ts';
import { say } from './words.ts';

/** Something that can't be done, in a sentence for who wants it. */
export class Said extends Error {}

/** The sentence for an error: the service's own where it says what is wrong. */
export function sentence(error: unknown): string {
  if (error instanceof Silent) return say('unsent');
  if (error instanceof Said) return error.message;
  if (!(error instanceof Refused)) throw error;
  if (error.status >= 500) return say('unavailable');
  if (error.problem.code === 'forbidden') return say('forbidden');
  return error.problem.error;
}

/** What went wrong. After something that somebody did it takes the focus. */
export function Wrong({ error, lead = true }: { error: unknown; lead?: boolean }) {
  const place = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    if (lead) place.current?.focus();
  }, [error, lead]);
  if (!error || error instanceof PutOff) return null;
  return <p ref={place} class="note bad" role="alert" tabIndex={-1}>{sentence(error)}</p>;
}

export function Note({ tone = '', children }: { tone?: '' | 'good' | 'bad' | 'warn'; children: ComponentChildren }) {
  return <div class={`note ${tone}`}>{children}</div>;
}

export const Loading = () => <p class="loading" aria-busy="true">{say('loading')}</p>;

/** Says that nobody answers, and from when that is which is shown nevertheless. */
export function Old({ at, error }: { at: number | undefined; error: unknown }) {
  const why = error instanceof Silent ? 'offline' : 'unavailable_now';
  if (isOld(error)) return <ConfirmToRead />;
  if (!unanswered(error)) return <Wrong error={error} lead={false} />;
  const time = at === undefined ? '' : new Date(at).toISOString();
  return <p class="note bad" role="alert">{say(why)} {time ? say('old', { time: moment(time) }) : say('by_itself')}</p>;
}

/** Asks who is there before it shows more of a list of people. */
function ConfirmToRead() {
  const show = (): void => void confirmed().then(refreshOld, () => undefined);
  return <div class="note"><p>{say('confirm_read')}</p><div class="row"><button type="button" onClick={show}>{say('confirm_title')}</button></div></div>;
}

/** Shows what was read once it is there; what is old stays beside why nothing newer came. */
export function Shown<T>({ reading, children }: { reading: Reading<T>; children: (value: T) => ComponentChildren }) {
  return (
    <>
      {reading.error ? <Old at={reading.at} error={reading.error} /> : null}
      {reading.value !== undefined ? children(reading.value) : reading.error ? null : <Loading />}
    </>
  );
}
