// Email addresses suppressed by operators, and clearing of bounces and complaints that the mail
// provider reported.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { getWithSession } from '../../site/scripts/operator.ts';
import { change, withRecentSignIn } from '../changes.ts';
import { query, refresh, useResource } from '../resources.ts';
import { isSuperAdmin } from '../session.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Checkbox, Form, Select, TextField } from '../ui/form.tsx';
import { Notice, ResourceView } from '../ui/notice.tsx';
import { Table } from '../ui/table.tsx';
import { toast } from '../ui/toast.tsx';
import { moment } from '../words.ts';
import { say } from './stoppedwords.ts';

type Page = Schema['Suppressions'];
type Why = NonNullable<Schema['SuppressionClearance']['why']>;
type Cleared = Schema['SuppressionCleared'];

export function Suppressions({ slug }: { slug: string }) {
  const [all, setAll] = useState(false); // addresses suppressed for all campaigns
  const scope = all ? {} : { campaignSlug: slug };
  const path = query('/admin/marketing/suppressions', { ...scope, limit: 50 });
  return (
    <>
      <Card title={say('add_title')} hint={say('hint')}>
        <AddForm
          scope={scope}
          done={() => refresh(path)}
          below={isSuperAdmin() ? <Checkbox label={say('all')} hint={say('all_hint')} on={all} set={setAll} /> : null}
        />
      </Card>
      <Card title={say(all ? 'list_all' : 'list')} hint={say('list_hint')} flush>
        <ResourceView resource={useResource<Page>(path)}>
          {(first) => <SuppressionList key={path} first={first} scope={scope} path={path} />}
        </ResourceView>
      </Card>
      {all ? <ClearReport /> : null}
    </>
  );
}

interface Scope {
  readonly campaignSlug?: string;
}

interface AddProps {
  readonly scope: Scope;
  readonly done: () => Promise<void>;
  /** The choice of the scope. */
  readonly below: ComponentChildren;
}

function AddForm({ scope, done, below }: AddProps) {
  const [email, setEmail] = useState('');
  const add = async (): Promise<void> => {
    await change('/admin/marketing/suppressions', { ...scope, email } satisfies Schema['SuppressionRequest']);
    setEmail('');
    await done();
    toast(say('added', { email }));
  };
  return (
    <Form task={add} submitLabel={say('add')}>
      {(errorOf: (field: string) => string) => (
        <div class="stack short-fields">
          <TextField
            label={say('email')}
            type="email"
            value={email}
            set={setEmail}
            required
            max={254}
            error={errorOf('email')}
          />
          {below}
        </div>
      )}
    </Form>
  );
}

function SuppressionList({ first, scope, path }: { first: Page; scope: Scope; path: string }) {
  const [older, setOlder] = useState<readonly Page[]>([]);
  const pages = [first, ...older];
  const next = pages.at(-1)?.next ?? '';
  const more = async (): Promise<void> =>
    setOlder([
      ...older,
      await withRecentSignIn(() =>
        getWithSession<Page>(query('/admin/marketing/suppressions', { ...scope, limit: 50, cursor: next })),
      ),
    ]);
  const clear = async (email: string): Promise<void> => {
    await change<Cleared>('/admin/marketing/suppressions/clear', {
      ...scope,
      email,
    } satisfies Schema['SuppressionClearance']);
    setOlder([]);
    await refresh(path);
    toast(say('cleared', { email }));
  };
  return (
    <Table
      caption={say('title')}
      exporter="none"
      counted={(n) => say('count', { count: n })}
      rows={pages.flatMap((p) => p.suppressions)}
      id={(r) => r.email}
      filterText={(r) => r.email}
      empty={say('none')}
      loadMore={next ? more : undefined}
      columns={[
        { key: 'email', name: say('email'), cell: (r) => r.email, sortKey: (r) => r.email },
        { key: 'by', name: say('by'), cell: (r) => r.createdBy, sortKey: (r) => r.createdBy },
        { key: 'at', name: say('since'), cell: (r) => moment(r.createdAt), sortKey: (r) => r.createdAt },
        {
          key: 'do',
          name: '',
          number: true,
          cell: (r) => (
            <Button small label={say('clear_of', { email: r.email })} task={() => clear(r.email)}>
              {say('clear')}
            </Button>
          ),
        },
      ]}
    />
  );
}

/** Clears a bounce or complaint. These are stored without the address, so the operator has to enter it. */
function ClearReport() {
  const [email, setEmail] = useState('');
  const [why, setWhy] = useState<Why>('bounced');
  const [cleared, setCleared] = useState<Cleared | null>(null);
  const clear = async (): Promise<void> =>
    setCleared(
      await change<Cleared>('/admin/marketing/suppressions/clear', {
        email,
        why,
      } satisfies Schema['SuppressionClearance']),
    );
  return (
    <Card title={say('reported')} hint={say('reported_hint')}>
      <Form task={clear} submitLabel={say('clear')} kind="">
        {(errorOf: (field: string) => string) => (
          <div class="stack short-fields">
            <TextField
              label={say('email')}
              type="email"
              value={email}
              set={(v) => {
                setEmail(v);
                setCleared(null);
              }}
              required
              max={254}
              error={errorOf('email')}
            />
            <Select
              label={say('why')}
              value={why}
              set={(v) => setWhy(v as Why)}
              choices={[
                ['bounced', say('bounced')],
                ['complained', say('complained')],
              ]}
            />
          </div>
        )}
      </Form>
      {cleared ? (
        <div role="status">
          <Notice tone={cleared.reasons.length ? 'warn' : 'good'}>
            <p>{say(cleared.reasons.length ? 'still' : 'open')}</p>
          </Notice>
        </div>
      ) : null}
    </Card>
  );
}
