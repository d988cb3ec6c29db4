// Tracked links: a link with its source, as text and as a QR code.
import { Copy } from 'lucide-preact';
import { useEffect, useId, useState } from 'preact/hooks';
import { APIError, type Schema } from '../../site/scripts/api.ts';
import { getWithSession } from '../../site/scripts/operator.ts';
import { query } from '../resources.ts';
import { Card } from '../ui/card.tsx';
import { LabelledField, Select, TextField } from '../ui/form.tsx';
import { Icon } from '../ui/icon.tsx';
import { ErrorMessage } from '../ui/notice.tsx';
import { toast } from '../ui/toast.tsx';
import { lang } from '../words.ts';
import { QR } from './qr.tsx';
import { say } from './words.ts';

type Links = Schema['CampaignLinks'];
type Language = 'en' | 'es';

const pause = 200; // milliseconds after the last key

const sources = ['newsletter', 'instagram', 'youtube', 'bluesky', 'mastodon', 'press', 'poster', 'event'];
const media = ['email', 'social', 'video', 'print', 'partner'];

export function LinkBuilder({ slug }: { slug: string }) {
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [to, setTo] = useState<Language>(lang === 'es' ? 'es' : 'en');
  const [links, setLinks] = useState<Links | null>(null);
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    let outdated = false;
    const read = (): void =>
      void getWithSession<Links>(query(`/admin/marketing/links/${slug}`, values)).then(
        (found) => {
          if (outdated) return;
          setLinks(found);
          setError(null);
        },
        (failed) => outdated || setError(failed),
      );
    const timer = setTimeout(read, links ? pause : 0);
    return () => {
      outdated = true;
      clearTimeout(timer);
    };
  }, [slug, values]);
  const set = (name: string) => (value: string) => setValues({ ...values, [name]: value });
  const errorOf = (field: string): string =>
    error instanceof APIError && error.problem.field === field ? error.problem.error : '';
  const fieldError = Object.keys(values).some((f) => errorOf(f));
  return (
    <div class="cols c21">
      <Card title={say('create_link')} hint={say('create_link_hint')}>
        <div class="stack">
          <div class="grid2 link-fields">
            <Select
              label={say('leads_to')}
              value={to}
              set={(v) => setTo(v === 'es' ? 'es' : 'en')}
              choices={[
                ['en', say('page_en')],
                ['es', say('page_es')],
              ]}
            />
            <Suggested
              label={say('source')}
              hint={say('source_hint')}
              value={values.utm_source ?? ''}
              set={set('utm_source')}
              suggestions={sources}
              error={errorOf('utm_source')}
            />
            <Suggested
              label={say('medium')}
              value={values.utm_medium ?? ''}
              set={set('utm_medium')}
              suggestions={media}
              error={errorOf('utm_medium')}
            />
            <TextField
              label={say('part_of')}
              note={say('optional')}
              value={values.utm_campaign ?? ''}
              set={set('utm_campaign')}
              max={64}
              error={errorOf('utm_campaign')}
            />
          </div>
          <details class="more">
            <summary>{say('content_and_code')}</summary>
            <div class="grid2">
              <TextField
                label={say('which')}
                hint={say('which_hint')}
                value={values.utm_content ?? ''}
                set={set('utm_content')}
                max={64}
                error={errorOf('utm_content')}
              />
              <TextField label={say('ref')} value={values.ref ?? ''} set={set('ref')} max={64} error={errorOf('ref')} />
            </div>
          </details>
          {error && !fieldError ? <ErrorMessage error={error} focus={false} /> : null}
          {links ? <LinkField link={links[to]} {...(isTracked(values) ? {} : { hint: say('untracked') })} /> : null}
        </div>
      </Card>
      {links ? (
        <Card title={say('qr')}>
          <QR text={links[to]} name={`${slug}-${to}`} />
        </Card>
      ) : null}
    </div>
  );
}

interface SuggestedProps {
  readonly label: string;
  readonly hint?: string;
  readonly value: string;
  readonly set: (value: string) => void;
  readonly suggestions: readonly string[];
  readonly error: string;
}

/** A text field with suggestions. */
function Suggested({ label, hint, value, set, suggestions, error }: SuggestedProps) {
  const list = useId();
  return (
    <LabelledField label={label} hint={hint} error={error}>
      {(a) => (
        <>
          <input
            {...a}
            class="input"
            list={list}
            value={value}
            maxLength={64}
            onInput={(e) => set(e.currentTarget.value)}
          />
          <datalist id={list}>
            {suggestions.map((s) => (
              <option key={s} value={s} />
            ))}
          </datalist>
        </>
      )}
    </LabelledField>
  );
}

const isTracked = (values: Readonly<Record<string, string>>): boolean => Object.values(values).some((v) => v.trim());

/** A link with a button that copies it. */
function LinkField({ link, hint }: { link: string; hint?: string }) {
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(link);
    toast(say('link_copied'));
  };
  return (
    <LabelledField label={say('link')} hint={hint}>
      {(a) => (
        <div class="affix readonly">
          <input {...a} class="mono small" readOnly value={link} onFocus={(e) => e.currentTarget.select()} />
          <button type="button" class="btn sm primary" onClick={() => void copy()}>
            <Icon of={Copy} small />
            {say('copy_link')}
          </button>
        </div>
      )}
    </LabelledField>
  );
}

/** A link in both languages, each with a copy button and a QR code. */
export function LinkPair({ links, name }: { links: Links; name: string }) {
  const [shown, setShown] = useState<Language>(lang === 'es' ? 'es' : 'en');
  return (
    <div class="stack">
      <Select
        label={say('leads_to')}
        value={shown}
        set={(v) => setShown(v === 'es' ? 'es' : 'en')}
        choices={[
          ['en', say('page_en')],
          ['es', say('page_es')],
        ]}
      />
      <LinkField link={links[shown]} />
      <QR text={links[shown]} name={`${name}-${shown}`} />
    </div>
  );
}
