// The campaign in a frame of another site.
import { useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { query, useReading } from '../reading.ts';
import { Copy } from '../ui/copy.tsx';
import { Check, Choice } from '../ui/form.tsx';
import { Shown } from '../ui/notice.tsx';
import { lang } from '../words.ts';
import { say } from './words.ts';

const themes = ['', 'light', 'dark', 'plain'] as const;

export function Frame({ slug }: { slug: string }) {
  const [options, setOptions] = useState<Readonly<Record<string, string>>>({ lang });
  const choose = (name: string, value: string): void => setOptions({ ...options, [name]: value });
  const reading = useReading<Schema['EmbedFrame']>(query(`/admin/marketing/embed/${slug}`, options));
  return (
    <>
      <p>{say('frame_what')}</p>
      <Choice label={say('language')} value={options['lang'] ?? ''} set={(v) => choose('lang', v)} choices={[['en', say('en')], ['es', say('es')]]} />
      <Choice label={say('theme')} value={options['theme'] ?? ''} set={(v) => choose('theme', v)} choices={themes.map((t) => [t, say(`theme_${t || 'own'}`)])} />
      <Check label={say('compact')} on={options['size'] === 'compact'} set={(on) => choose('size', on ? 'compact' : '')} />
      <Check label={say('no_media')} on={options['media'] === 'hide'} set={(on) => choose('media', on ? 'hide' : '')} />
      <Check label={say('no_button')} on={options['cta'] === 'hide'} set={(on) => choose('cta', on ? 'hide' : '')} />
      <Shown reading={reading}>
        {(f) => <><pre class="code" tabIndex={0}><code>{f.html}</code></pre><p class="row"><Copy text={f.html} /><a href={f.url} target="_blank" rel="noopener">{say('see_frame')}</a></p></>}
      </Shown>
    </>
  );
}
