// A message as a supporter's mail program shows it, rendered by the server.
import { Moon, Sun } from 'lucide-preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { Icon } from '../ui/icon.tsx';
import { ReadError } from '../ui/notice.tsx';
import { Segments } from '../ui/segments.tsx';
import { usePosted } from '../useposted.ts';
import { lang } from '../words.ts';
import { frameMail, styleMail } from './mailframe.ts';
import { say } from './words.ts';

type Mail = Schema['NewsPreview'];

const typingPause = 700; // milliseconds after the last change before the mail is rendered

/** The words of a message, with the button if it has one. */
export type RequestedWords = Pick<Schema['NewsTestRequest'], 'subject' | 'body' | 'ctaLabel' | 'ctaUrl'>;

/** Renders a message. While it is incomplete there is no mail. */
export const useMail = (campaignSlug: string, words: RequestedWords, complete: boolean) =>
  usePosted<Mail>(
    '/admin/broadcast/preview',
    complete ? ({ campaignSlug, ...words, preferredLang: lang } satisfies Schema['NewsTestRequest']) : null,
    typingPause,
  );

const views = ['desktop', 'phone', 'plain'] as const;
type View = (typeof views)[number];

interface Props {
  readonly mail: ReturnType<typeof useMail>;
  readonly complete: boolean;
}

export function MailPreview({ mail: { value: mail, error, at }, complete }: Props) {
  const [view, setView] = useState<View>('phone');
  const [dark, setDark] = useState(false);
  return (
    <aside class="preview mail-preview" aria-label={say('preview')}>
      <div class="row wrap">
        <h2 class="grow small">{say('preview')}</h2>
        <button
          type="button"
          class="btn plain icon sm"
          aria-label={say('dark')}
          aria-pressed={dark}
          title={say('dark')}
          onClick={() => setDark(!dark)}
        >
          <Icon of={dark ? Sun : Moon} small />
        </button>
        <Segments name={say('preview')} value={view} set={setView} choices={views.map((v) => [v, say(`view_${v}`)])} />
      </div>
      {error ? <ReadError at={at} error={error} /> : null}
      {mail ? (
        <div class="frame">
          <div class="url mail-head">
            <b>{mail.subject}</b>
            <span class="clip">{mail.from}</span>
          </div>
          {view === 'plain' ? (
            <pre class="plain-mail" tabIndex={0}>
              {mail.text}
            </pre>
          ) : (
            <MailFrame html={mail.html} width={widths[view]} dark={dark} />
          )}
        </div>
      ) : error ? null : (
        <p class="frame no-mail small muted">{say(complete ? 'loading_mail' : 'no_mail')}</p>
      )}
    </aside>
  );
}

const widths = { desktop: 680, phone: 390 } as const; // pixels
const maxHeight = 620; // pixels of the frame on the page
const maxScale = 1.05; // so that it fills the column next to the message

function MailFrame({ html, width, dark }: { html: string; width: number; dark: boolean }) {
  const mail = useMemo(() => frameMail(html), [html]);
  const box = useRef<HTMLDivElement>(null);
  const frame = useRef<HTMLIFrameElement>(null);
  const [loaded, setLoaded] = useState<Document | null>(null);
  const [scale, setScale] = useState(1);
  const [height, setHeight] = useState(0);
  useEffect(() => {
    if (!box.current) return;
    const measure = new ResizeObserver(([e]) => e && setScale(e.contentRect.width / width));
    measure.observe(box.current);
    return () => measure.disconnect();
  }, [width]);
  useEffect(() => {
    if (!loaded?.body) return;
    styleMail(loaded, mail.css, dark);
    const measure = new ResizeObserver(() => setHeight(loaded.body.scrollHeight));
    measure.observe(loaded.body);
    return () => measure.disconnect();
  }, [loaded, mail, dark]);
  const shown = Math.min(height * scale, maxHeight);
  return (
    <div
      ref={box}
      class={`mail-frame ${dark ? 'dark' : ''}`}
      style={{ height: `${shown}px`, maxWidth: `${maxScale * width}px` }}
    >
      <iframe
        ref={frame}
        sandbox="allow-same-origin allow-popups allow-popups-to-escape-sandbox"
        title={say('preview')}
        srcdoc={mail.html}
        style={{ width: `${width}px`, height: `${shown / scale}px`, transform: `scale(${scale})` }}
        onLoad={() => setLoaded(frame.current?.contentDocument ?? null)}
      />
    </div>
  );
}
