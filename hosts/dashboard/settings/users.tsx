// Dashboard users and their permissions.
import { useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { useSummaries } from '../campaigns/summary.ts';
import { change } from '../changes.ts';
import { refreshPrefix, useResource } from '../resources.ts';
import { session } from '../session.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Checkbox, Form, Select, TextField } from '../ui/form.tsx';
import { Notice, ResourceView } from '../ui/notice.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { moment } from '../words.ts';
import { say } from './words.ts';

type User = Schema['User'];
type Permission = User['permissions'][number];

const permissions: readonly Permission[] = ['content', 'supporters', 'money', 'fulfilment', 'mails'];
const newUser: User = {
  email: '',
  name: '',
  role: 'campaign_user',
  campaigns: [],
  permissions: [...permissions],
  preferredLang: 'en',
  invited: false,
  revision: 0,
  createdAt: '',
  updatedAt: '',
};

export function Users() {
  const [open, setOpen] = useState<User | null>(null);
  const [saved, setSaved] = useState('');
  const columns: readonly Column<User>[] = [
    {
      key: 'email',
      name: say('email'),
      sortKey: (u) => u.email,
      cell: (u) => (
        <button type="button" class="link" onClick={() => setOpen(u)}>
          {u.email}
        </button>
      ),
    },
    { key: 'name', name: say('name'), sortKey: (u) => u.name, cell: (u) => u.name },
    { key: 'role', name: say('role'), sortKey: (u) => u.role, cell: (u) => <Badge>{say(u.role)}</Badge> },
    {
      key: 'may',
      name: say('may'),
      cell: (u) =>
        u.role === 'super_admin'
          ? say('everything')
          : `${u.campaigns.join(', ')}: ${u.permissions.map((p) => say(`may_${p}`)).join(', ') || say('nothing')}`,
    },
    { key: 'since', name: say('since'), sortKey: (u) => u.createdAt, cell: (u) => moment(u.createdAt) },
  ];
  return (
    <ResourceView resource={useResource<Schema['UserList']>('/admin/users', 120)}>
      {({ users }) => (
        <>
          <p>{say('users_what')}</p>
          {saved ? <Notice tone="good">{say('user_saved', { email: saved })}</Notice> : null}
          <p>
            <button type="button" onClick={() => setOpen(newUser)}>
              {say('user_add')}
            </button>
          </p>
          <Table
            caption={say('users')}
            columns={columns}
            rows={users}
            id={(u) => u.email}
            filterText={(u) => `${u.email} ${u.name}`}
          />
          {open ? (
            <UserDialog
              key={open.email}
              user={open}
              close={(email) => {
                setOpen(null);
                setSaved(email);
              }}
            />
          ) : null}
        </>
      )}
    </ResourceView>
  );
}

function UserDialog({ user, close }: { user: User; close: (saved: string) => void }) {
  const [email, setEmail] = useState(user.email);
  const [name, setName] = useState(user.name);
  const [role, setRole] = useState<User['role']>(user.role);
  const [lang, setLang] = useState(user.preferredLang);
  const [campaigns, setCampaigns] = useState<ReadonlySet<string>>(new Set(user.campaigns));
  const [may, setMay] = useState<ReadonlySet<Permission>>(new Set(user.permissions));
  const all = useSummaries().value?.campaigns ?? [];
  const own = user.email === session.value?.email;
  const save = async (): Promise<void> => {
    const limited =
      role === 'campaign_user' ? { campaigns: [...campaigns], permissions: permissions.filter((p) => may.has(p)) } : {};
    await change<User>('/admin/users', {
      email,
      name,
      role,
      preferredLang: lang === 'es' ? 'es' : 'en',
      revision: user.revision,
      ...limited,
    } satisfies Schema['UserRequest']);
    refreshPrefix('/admin/users');
    close(email);
  };
  return (
    <Dialog title={user.email || say('user_add')} close={() => close('')}>
      <Form task={save} submitLabel={user.email ? say('save') : say('invite')}>
        {(errorOf: (field: string) => string) => (
          <>
            {user.email ? null : (
              <TextField
                label={say('email')}
                type="email"
                value={email}
                set={setEmail}
                required
                max={254}
                error={errorOf('email')}
              />
            )}
            <TextField label={say('name')} value={name} set={setName} required max={100} error={errorOf('name')} />
            <Select
              label={say('role')}
              value={role}
              set={(r) => setRole(r === 'super_admin' ? r : 'campaign_user')}
              choices={[
                ['campaign_user', say('campaign_user')],
                ['super_admin', say('super_admin')],
              ]}
              help={say(`${role}_help`)}
            />
            <Select
              label={say('lang')}
              value={lang}
              set={setLang}
              choices={[
                ['en', 'English'],
                ['es', 'Español'],
              ]}
            />
            {role === 'campaign_user' ? (
              <>
                <fieldset>
                  <legend>{say('campaigns')}</legend>
                  {all.map((c) => (
                    <Checkbox
                      key={c.campaignSlug}
                      label={c.campaignTitle}
                      on={campaigns.has(c.campaignSlug)}
                      set={(on) => setCampaigns(toggled(campaigns, c.campaignSlug, on))}
                    />
                  ))}
                  {errorOf('campaigns') ? <p class="wrong">{errorOf('campaigns')}</p> : null}
                </fieldset>
                <fieldset>
                  <legend>{say('may')}</legend>
                  {permissions.map((p) => (
                    <Checkbox
                      key={p}
                      label={say(`may_${p}`)}
                      help={say(`may_${p}_help`)}
                      on={may.has(p)}
                      set={(on) => setMay(toggled(may, p, on))}
                    />
                  ))}
                </fieldset>
              </>
            ) : null}
          </>
        )}
      </Form>
      {user.email && !own ? <Remove email={user.email} done={() => close('')} /> : null}
    </Dialog>
  );
}

function toggled<T>(set: ReadonlySet<T>, one: T, on: boolean): ReadonlySet<T> {
  const next = new Set(set);
  if (on) next.add(one);
  else next.delete(one);
  return next;
}

function Remove({ email, done }: { email: string; done: () => void }) {
  const remove = async (): Promise<void> => {
    await change('/admin/users/delete', { email } satisfies Schema['UserDeletion']);
    refreshPrefix('/admin/users');
    refreshPrefix('/admin/sessions');
    done();
  };
  const reset = async (): Promise<void> => {
    await change('/admin/users/reset-passkeys', { email } satisfies Schema['UserDeletion']);
    refreshPrefix('/admin/sessions');
    done();
  };
  return (
    <details class="stop">
      <summary>{say('more')}</summary>
      <p>{say('reset_what')}</p>
      <Button quiet task={reset}>
        {say('reset')}
      </Button>
      <p>{say('remove_what')}</p>
      <Button danger task={remove}>
        {say('remove', { email })}
      </Button>
    </details>
  );
}
