// A preview of the campaign's page with the draft's values, rendered by the site's templates. The frame
// runs no scripts. It has the dashboard's origin so that the scroll position can be restored.
import { Lock, Monitor, Smartphone, X } from 'lucide-preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { APIError, root } from '../../site/scripts/api.ts';
import { change } from '../changes.ts';
import { Icon } from '../ui/icon.tsx';
import { ErrorMessage } from '../ui/notice.tsx';
import { lang } from '../words.ts';
import type { Edit } from './draft.ts';
import { say } from './words.ts';

const pause = 700; // milliseconds between the last edit and rendering the page
const widths = { desktop: 1280, phone: 390 } as const; // pixels of the rendered page

interface Props {
  readonly slug: string;
  readonly edits: readonly Edit[];
  readonly close?: (() => void) | undefined;
}

export function PagePreview({ slug, edits, close }: Props) {
  const { html, error } = useRenderedPage(slug, edits);
  const [device, setDevice] = useState<keyof typeof widths>('phone');
  const [scale, setScale] = useState(1);
  const box = useRef<HTMLDivElement>(null);
  const frame = useRef<HTMLIFrameElement>(null);
  useEffect(() => {
    if (!box.current) return;
    const measure = new ResizeObserver(([e]) => e && setScale(e.contentRect.width / widths[device]));
    measure.observe(box.current);
    return () => measure.disconnect();
  }, [device]);
  const scrolled = useRef(0);
  const restore = (): void => {
    const shown = frame.current?.contentWindow;
    shown?.scrollTo(0, scrolled.current);
    shown?.addEventListener('scroll', () => (scrolled.current = shown.scrollY), { passive: true });
  };
  return (
    <aside class="preview" aria-label={say('preview')}>
      <div class="row">
        <h2 class="grow small">{say('preview')}</h2>
        <div class="seg">
          {(['desktop', 'phone'] as const).map((d) => (
            <button key={d} type="button" aria-label={say(d)} aria-pressed={d === device} onClick={() => setDevice(d)}>
              <Icon of={d === 'phone' ? Smartphone : Monitor} small />
            </button>
          ))}
        </div>
        {close ? (
          <button type="button" class="btn plain icon sm" aria-label={say('hide_preview')} onClick={close}>
            <Icon of={X} small />
          </button>
        ) : null}
      </div>
      {error instanceof APIError && error.status === 400 ? (
        <p class="small warn" role="status">
          {say('preview_invalid')}
        </p>
      ) : error ? (
        <ErrorMessage error={error} focus={false} />
      ) : null}
      <div class="frame">
        <div class="url">
          <Icon of={Lock} small />
          <span class="clip">
            {location.host}
            {root}/campaigns/{slug}
          </span>
        </div>
        <div ref={box} class="page-frame" aria-busy={!html && !error}>
          {html ? (
            <iframe
              ref={frame}
              sandbox="allow-same-origin"
              title={say('preview')}
              srcdoc={html}
              style={{ width: `${widths[device]}px`, height: `${100 / scale}%`, transform: `scale(${scale})` }}
              onLoad={restore}
            />
          ) : error ? null : (
            <p class="small muted loading-page">{say('loading_preview')}</p>
          )}
        </div>
      </div>
      <p class="tiny muted">{say('preview_what')}</p>
    </aside>
  );
}

/** Renders the page shortly after each edit. The previous page stays until the next one arrives. */
function useRenderedPage(slug: string, edits: readonly Edit[]): { html: string; error: unknown } {
  const [html, setHtml] = useState('');
  const [error, setError] = useState<unknown>(null);
  const asked = JSON.stringify(edits);
  useEffect(() => {
    let late = false;
    const render = async (): Promise<void> => {
      try {
        const page = await change<Schema['DrawnPage']>('/admin/content/page', {
          campaignSlug: slug,
          edits: JSON.parse(asked) as Edit[],
          preferredLang: lang,
        } satisfies Schema['PageRequest']);
        if (late) return;
        setHtml(page.html);
        setError(null);
      } catch (caught) {
        if (!late) setError(caught);
      }
    };
    const timer = setTimeout(() => void render(), html ? pause : 0);
    return () => {
      late = true;
      clearTimeout(timer);
    };
  }, [slug, asked]);
  return { html, error };
}
