// The embed code that shows the campaign on another site.
import { useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { query, useResource } from '../resources.ts';
import { Card } from '../ui/card.tsx';
import { Copy } from '../ui/copy.tsx';
import { Select, Toggle } from '../ui/form.tsx';
import { ResourceView } from '../ui/notice.tsx';
import { lang } from '../words.ts';
import { say } from './words.ts';

const themes = ['', 'light', 'dark', 'plain'] as const;

export function EmbedCode({ slug }: { slug: string }) {
  const [options, setOptions] = useState<Readonly<Record<string, string>>>({ lang });
  const choose = (name: string, value: string): void => setOptions({ ...options, [name]: value });
  const resource = useResource<Schema['EmbedFrame']>(query(`/admin/marketing/embed/${slug}`, options));
  return (
    <Card title={say('frame')} hint={say('frame_hint')}>
      <div class="stack embed-form">
        <div class="grid2">
          <Select
            label={say('language')}
            value={options.lang ?? ''}
            set={(v) => choose('lang', v)}
            choices={[
              ['en', say('en')],
              ['es', say('es')],
            ]}
          />
          <Select
            label={say('theme')}
            value={options.theme ?? ''}
            set={(v) => choose('theme', v)}
            choices={themes.map((t) => [t, say(`theme_${t || 'own'}`)])}
          />
        </div>
        <Toggle
          label={say('compact')}
          on={options.size === 'compact'}
          set={(on) => choose('size', on ? 'compact' : '')}
        />
        <Toggle label={say('picture')} on={options.media !== 'hide'} set={(on) => choose('media', on ? '' : 'hide')} />
        <Toggle label={say('button')} on={options.cta !== 'hide'} set={(on) => choose('cta', on ? '' : 'hide')} />
        <ResourceView resource={resource}>
          {(f) => (
            <>
              <pre class="code wrapped" tabIndex={0}>
                <code>{f.html}</code>
              </pre>
              <div class="row wrap">
                <Copy text={f.html} label={say('copy_code')} kind="primary" />
                <a class="btn plain" href={f.url} target="_blank" rel="noopener">
                  {say('see_frame')}
                </a>
              </div>
            </>
          )}
        </ResourceView>
      </div>
    </Card>
  );
}
