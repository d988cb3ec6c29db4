import { useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { read } from '../../site/scripts/operator.ts';
import { query } from '../reading.ts';
import { Copy } from '../ui/copy.tsx';
import { Form, Text } from '../ui/form.tsx';
import { QR } from './qr.tsx';
import { say } from './words.ts';

type Links = Schema['CampaignLinks'];

/** The parameters of a link, as the address has them, and what they are called. */
export const parameters = [['ref', 'ref'], ['utm_source', 'source'], ['utm_medium', 'medium'], ['utm_campaign', 'part_of'], ['utm_content', 'which']] as const;

export function Link({ slug }: { slug: string }) {
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [links, setLinks] = useState<Links | null>(null);
  const make = async (): Promise<void> => setLinks(await read<Links>(query(`/admin/marketing/links/${slug}`, values)));
  return (
    <>
      <p>{say('links_what')}</p>
      <Form task={make} send={say('make')}>
        {(wrong: (field: string) => string) => parameters.map(([name, label]) => (
          <Text key={name} label={say(label)} help={say(`${label}_help`)} value={values[name] ?? ''} set={(v) => { setValues({ ...values, [name]: v }); setLinks(null); }} max={64} wrong={wrong(name)} />
        ))}
      </Form>
      {links ? <Both links={links} name={slug} /> : null}
    </>
  );
}

/** A link in both languages, to copy and to scan. */
export function Both({ links, name }: { links: Links; name: string }) {
  return (
    <dl class="links">
      {([['en', links.en], ['es', links.es]] as const).map(([lang, link]) => (
        <div key={lang}><dt>{say(lang)}</dt><dd><a href={link} target="_blank" rel="noopener">{link}</a> <Copy text={link} /><QR text={link} name={`${name}-${lang}`} /></dd></div>
      ))}
    </dl>
  );
}
