// Buttons for the previous and next page of a list with cursors.
import { say } from './words.ts';

interface Props<C> {
  /** The cursors of the pages read so far; the last one is shown. */
  readonly pages: readonly C[];
  /** The cursor of the next page; 0 or '' on the last. */
  readonly next: C;
  readonly go: (pages: readonly C[]) => void;
}

/** Reports whether there is a previous or next page. */
export const hasPages = <C extends string | number>(pages: readonly C[], next: C): boolean =>
  pages.length > 1 || Boolean(next);

export function Pager<C extends string | number>({ pages, next, go }: Props<C>) {
  return (
    <nav class="row push" aria-label={say('pages')}>
      <button
        type="button"
        class="btn sm"
        aria-disabled={pages.length === 1}
        onClick={() => pages.length > 1 && go(pages.slice(0, -1))}
      >
        {say('page_back')}
      </button>
      <button type="button" class="btn sm" aria-disabled={!next} onClick={() => next && go([...pages, next])}>
        {say('page_next')}
      </button>
    </nav>
  );
}
