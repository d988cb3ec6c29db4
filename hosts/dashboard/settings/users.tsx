// Who may sign in, and what they may do.
import { useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { useSummaries } from '../campaigns/summary.ts';
import { change } from '../changing.ts';
import { stale, useReading } from '../reading.ts';
import { session } from '../session.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Check, Choice, Form, Text } from '../ui/form.tsx';
import { Note, Shown } from '../ui/notice.tsx';
import { Table, type Column } from '../ui/table.tsx';
import { moment } from '../words.ts';
import { say } from './words.ts';

type User = Schema['User'];
type Permission = User['permissions'][number];

const permissions: readonly Permission[] = ['content', 'supporters', 'money', 'fulfilment', 'mails'];
const nobody: User = { email: '', name: '', role: 'campaign_user', campaigns: [], permissions: [...permissions], preferredLang: 'en', invited: false, revision: 0, createdAt: '', updatedAt: '' };

export function Users() {
  const [open, setOpen] = useState<User | null>(null);
  const [saved, setSaved] = useState('');
  const columns: readonly Column<User>[] = [
    { key: 'email', name: say('email'), by: (u) => u.email, cell: (u) => <button type="button" class="link" onClick={() => setOpen(u)}>{u.email}</button> },
    { key: 'name', name: say('name'), by: (u) => u.name, cell: (u) => u.name },
    { key: 'role', name: say('role'), by: (u) => u.role, cell: (u) => <Badge>{say(u.role)}</Badge> },
    { key: 'may', name: say('may'), cell: (u) => (u.role === 'super_admin' ? say('everything') : `${u.campaigns.join(', ')}: ${u.permissions.map((p) => say(`may_${p}`)).join(', ') || say('nothing')}`) },
    { key: 'since', name: say('since'), by: (u) => u.createdAt, cell: (u) => moment(u.createdAt) },
  ];
  return (
    <Shown reading={useReading<Schema['UserList']>('/admin/users', 120)}>
      {({ users }) => (
        <>
          <p>{say('users_what')}</p>
          {saved ? <Note tone="good">{say('user_saved', { email: saved })}</Note> : null}
          <p><button type="button" onClick={() => setOpen(nobody)}>{say('user_add')}</button></p>
          <Table caption={say('users')} columns={columns} rows={users} id={(u) => u.email} text={(u) => `${u.email} ${u.name}`} />
          {open ? <One key={open.email} user={open} close={(email) => { setOpen(null); setSaved(email); }} /> : null}
        </>
      )}
    </Shown>
  );
}

function One({ user, close }: { user: User; close: (saved: string) => void }) {
  const [email, setEmail] = useState(user.email);
  const [name, setName] = useState(user.name);
  const [role, setRole] = useState<User['role']>(user.role);
  const [lang, setLang] = useState(user.preferredLang);
  const [campaigns, setCampaigns] = useState<ReadonlySet<string>>(new Set(user.campaigns));
  const [may, setMay] = useState<ReadonlySet<Permission>>(new Set(user.permissions));
  const all = useSummaries().value?.campaigns ?? [];
  const own = user.email === session.value?.email;
  const save = async (): Promise<void> => {
    const limited = role === 'campaign_user' ? { campaigns: [...campaigns], permissions: permissions.filter((p) => may.has(p)) } : {};
    await change<User>('/admin/users', { email, name, role, preferredLang: lang === 'es' ? 'es' : 'en', revision: user.revision, ...limited } satisfies Schema['UserRequest']);
    stale('/admin/users');
    close(email);
  };
  return (
    <Dialog title={user.email || say('user_add')} close={() => close('')}>
      <Form task={save} send={user.email ? say('save') : say('invite')}>
        {(wrong: (field: string) => string) => (
          <>
            {user.email ? null : <Text label={say('email')} type="email" value={email} set={setEmail} required max={254} wrong={wrong('email')} />}
            <Text label={say('name')} value={name} set={setName} required max={100} wrong={wrong('name')} />
            <Choice label={say('role')} value={role} set={(r) => setRole(r === 'super_admin' ? r : 'campaign_user')} choices={[['campaign_user', say('campaign_user')], ['super_admin', say('super_admin')]]} help={say(`${role}_help`)} />
            <Choice label={say('lang')} value={lang} set={setLang} choices={[['en', 'English'], ['es', 'Español']]} />
            {role === 'campaign_user' ? (
              <>
                <fieldset><legend>{say('campaigns')}</legend>{all.map((c) => <Check key={c.campaignSlug} label={c.campaignTitle} on={campaigns.has(c.campaignSlug)} set={(on) => setCampaigns(turned(campaigns, c.campaignSlug, on))} />)}{wrong('campaigns') ? <p class="wrong">{wrong('campaigns')}</p> : null}</fieldset>
                <fieldset><legend>{say('may')}</legend>{permissions.map((p) => <Check key={p} label={say(`may_${p}`)} help={say(`may_${p}_help`)} on={may.has(p)} set={(on) => setMay(turned(may, p, on))} />)}</fieldset>
              </>
            ) : null}
          </>
        )}
      </Form>
      {user.email && !own ? <Remove email={user.email} done={() => close('')} /> : null}
    </Dialog>
  );
}

function turned<T>(of: ReadonlySet<T>, one: T, on: boolean): ReadonlySet<T> {
  const next = new Set(of);
  if (on) next.add(one);
  else next.delete(one);
  return next;
}

function Remove({ email, done }: { email: string; done: () => void }) {
  const remove = async (): Promise<void> => {
    await change('/admin/users/delete', { email } satisfies Schema['UserDeletion']);
    stale('/admin/users');
    stale('/admin/sessions');
    done();
  };
  const reset = async (): Promise<void> => {
    await change('/admin/users/reset-passkeys', { email } satisfies Schema['UserDeletion']);
    stale('/admin/sessions');
    done();
  };
  return (
    <details class="stop">
      <summary>{say('more')}</summary>
      <p>{say('reset_what')}</p>
      <Button quiet task={reset}>{say('reset')}</Button>
      <p>{say('remove_what')}</p>
      <Button danger task={remove}>{say('remove', { email })}</Button>
    </details>
  );
}
