// Addresses that operators keep from mails, and taking back what a provider has reported.
import { useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { read } from '../../site/scripts/operator.ts';
import { change, freshly } from '../changing.ts';
import { query, refresh, useReading } from '../reading.ts';
import { platform } from '../session.ts';
import { Button } from '../ui/button.tsx';
import { Check, Choice, Form, Text } from '../ui/form.tsx';
import { Note, Shown } from '../ui/notice.tsx';
import { Table } from '../ui/table.tsx';
import { moment } from '../words.ts';
import { say } from './stoppedwords.ts';

type Page = Schema['Suppressions'];
type Why = NonNullable<Schema['SuppressionClearance']['why']>;
type Cleared = Schema['SuppressionCleared'];

export function Stopped({ slug }: { slug: string }) {
  const [all, setAll] = useState(false); // of every campaign
  const scope = all ? {} : { campaignSlug: slug };
  const path = query('/admin/marketing/suppressions', { ...scope, limit: 50 });
  return (
    <>
      <p>{say('what')}</p>
      {platform() ? <Check label={say('all')} help={say('all_help')} on={all} set={setAll} /> : null}
      <Adding key={path} scope={scope} done={() => refresh(path)} />
      <Shown reading={useReading<Page>(path)}>{(first) => <List key={path} first={first} scope={scope} path={path} />}</Shown>
      {all ? <Reported /> : null}
    </>
  );
}

interface Scope {
  readonly campaignSlug?: string;
}

function Adding({ scope, done }: { scope: Scope; done: () => Promise<void> }) {
  const [email, setEmail] = useState('');
  const add = async (): Promise<void> => {
    await change('/admin/marketing/suppressions', { ...scope, email } satisfies Schema['SuppressionRequest']);
    setEmail('');
    await done();
  };
  return <Form task={add} send={say('add')} quiet>{(wrong: (field: string) => string) => <Text label={say('email')} type="email" value={email} set={setEmail} required max={254} wrong={wrong('email')} />}</Form>;
}

function List({ first, scope, path }: { first: Page; scope: Scope; path: string }) {
  const [older, setOlder] = useState<readonly Page[]>([]);
  const pages = [first, ...older];
  const next = pages.at(-1)?.next ?? '';
  const more = async (): Promise<void> => setOlder([...older, await freshly(() => read<Page>(query('/admin/marketing/suppressions', { ...scope, limit: 50, cursor: next })))]);
  const clear = async (email: string): Promise<void> => {
    await change<Cleared>('/admin/marketing/suppressions/clear', { ...scope, email } satisfies Schema['SuppressionClearance']);
    setOlder([]);
    await refresh(path);
  };
  return (
    <Table caption={say('title')} rows={pages.flatMap((p) => p.suppressions)} id={(r) => r.email} text={(r) => r.email} empty={say('none')} more={next ? more : undefined} columns={[
      { key: 'email', name: say('email'), cell: (r) => r.email, by: (r) => r.email },
      { key: 'by', name: say('by'), cell: (r) => r.createdBy, by: (r) => r.createdBy },
      { key: 'at', name: say('since'), cell: (r) => moment(r.createdAt), by: (r) => r.createdAt },
      { key: 'do', name: '', cell: (r) => <Button quiet task={() => clear(r.email)}>{say('clear')}</Button> },
    ]} />
  );
}

/** What providers have reported is kept without the address: whoever knows it can take it back. */
function Reported() {
  const [email, setEmail] = useState('');
  const [why, setWhy] = useState<Why>('bounced');
  const [cleared, setCleared] = useState<Cleared | null>(null);
  const clear = async (): Promise<void> => setCleared(await change<Cleared>('/admin/marketing/suppressions/clear', { email, why } satisfies Schema['SuppressionClearance']));
  return (
    <section aria-labelledby="reported">
      <h2 id="reported">{say('reported')}</h2>
      <p>{say('reported_what')}</p>
      <Form task={clear} send={say('take_back')} quiet>
        {(wrong: (field: string) => string) => (
          <>
            <Text label={say('email')} type="email" value={email} set={(v) => { setEmail(v); setCleared(null); }} required max={254} wrong={wrong('email')} />
            <Choice label={say('why')} value={why} set={(v) => setWhy(v as Why)} choices={[['bounced', say('bounced')], ['complained', say('complained')]]} />
          </>
        )}
      </Form>
      {cleared ? <div role="status"><Note tone={cleared.reasons.length ? 'warn' : 'good'}>{cleared.reasons.length ? say('still') : say('open')}</Note></div> : null}
    </section>
  );
}
