// A preview of the campaign's page with the form's unpublished values, rendered by the site's
// templates. The frame runs no scripts. It has the dashboard's origin so that the scroll position
// can be restored.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { change } from '../changes.ts';
import { ErrorMessage } from '../ui/notice.tsx';
import { lang } from '../words.ts';
import type { Edit } from './draft.ts';
import { say } from './words.ts';

const pause = 700; // milliseconds after the last edit before the page is rendered

export function PagePreview({ slug, edits }: { slug: string; edits: readonly Edit[] }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [html, setHtml] = useState('');
  const [error, setError] = useState<unknown>(null);
  const [narrow, setNarrow] = useState(false);
  const asked = JSON.stringify(edits);
  useEffect(() => {
    let late = false;
    const timer = setTimeout(
      () => {
        change<Schema['DrawnPage']>('/admin/content/page', {
          campaignSlug: slug,
          edits: JSON.parse(asked) as Edit[],
          preferredLang: lang,
        } satisfies Schema['PageRequest']).then(
          (drawn) => {
            if (!late) {
              setHtml(drawn.html);
              setError(null);
            }
          },
          (caught) => {
            if (!late) setError(caught);
          },
        );
      },
      html ? pause : 0,
    );
    return () => {
      late = true;
      clearTimeout(timer);
    };
  }, [slug, asked]);
  const scrolled = useRef(0);
  const remember = (): void => {
    scrolled.current = frame.current?.contentWindow?.scrollY ?? 0;
  };
  const restore = (): void => {
    const shown = frame.current?.contentWindow;
    shown?.scrollTo(0, scrolled.current);
    shown?.addEventListener('scroll', remember, { passive: true });
  };
  return (
    <aside class="drawn" aria-label={say('page')}>
      <div class="row">
        <button type="button" class="quiet small-button" aria-pressed={!narrow} onClick={() => setNarrow(false)}>
          {say('desk')}
        </button>
        <button type="button" class="quiet small-button" aria-pressed={narrow} onClick={() => setNarrow(true)}>
          {say('phone')}
        </button>
      </div>
      {error ? <ErrorMessage error={error} focus={false} /> : null}
      {html ? (
        <div class={narrow ? 'drawn-phone' : 'drawn-desk'}>
          <iframe ref={frame} sandbox="allow-same-origin" title={say('page')} srcdoc={html} onLoad={restore} />
        </div>
      ) : error ? null : (
        <p class="loading" aria-busy="true">
          {say('drawing')}
        </p>
      )}
    </aside>
  );
}
