import { useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { getWithSession } from '../../site/scripts/operator.ts';
import { query } from '../resources.ts';
import { Copy } from '../ui/copy.tsx';
import { Form, TextField } from '../ui/form.tsx';
import { QR } from './qr.tsx';
import { say } from './words.ts';

type Links = Schema['CampaignLinks'];

/** A link's query parameters with the keys of their labels. */
export const parameters = [
  ['ref', 'ref'],
  ['utm_source', 'source'],
  ['utm_medium', 'medium'],
  ['utm_campaign', 'part_of'],
  ['utm_content', 'which'],
] as const;

export function LinkBuilder({ slug }: { slug: string }) {
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [links, setLinks] = useState<Links | null>(null);
  const make = async (): Promise<void> =>
    setLinks(await getWithSession<Links>(query(`/admin/marketing/links/${slug}`, values)));
  return (
    <>
      <p>{say('links_what')}</p>
      <Form task={make} submitLabel={say('make')}>
        {(errorOf: (field: string) => string) =>
          parameters.map(([name, label]) => (
            <TextField
              key={name}
              label={say(label)}
              help={say(`${label}_help`)}
              value={values[name] ?? ''}
              set={(v) => {
                setValues({ ...values, [name]: v });
                setLinks(null);
              }}
              max={64}
              error={errorOf(name)}
            />
          ))
        }
      </Form>
      {links ? <LinkPair links={links} name={slug} /> : null}
    </>
  );
}

/** A link in both languages, with copy buttons and QR codes. */
export function LinkPair({ links, name }: { links: Links; name: string }) {
  return (
    <dl class="links">
      {(
        [
          ['en', links.en],
          ['es', links.es],
        ] as const
      ).map(([lang, link]) => (
        <div key={lang}>
          <dt>{say(lang)}</dt>
          <dd>
            <a href={link} target="_blank" rel="noopener">
              {link}
            </a>{' '}
            <Copy text={link} />
            <QR text={link} name={`${name}-${lang}`} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
