// Dashboard users and their permissions.
import { Ellipsis, Plus } from 'lucide-preact';
import { useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { useSummaries } from '../campaigns/summary.ts';
import { change } from '../changes.ts';
import { refreshPrefix, useResource } from '../resources.ts';
import { session } from '../session.ts';
import { Avatar } from '../ui/avatar.tsx';
import { Badge } from '../ui/badge.tsx';
import { Card } from '../ui/card.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Checkbox, FieldError, Form, Select, TextField } from '../ui/form.tsx';
import { Icon } from '../ui/icon.tsx';
import { Menu } from '../ui/menu.tsx';
import { Notice, ResourceView } from '../ui/notice.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { toast } from '../ui/toast.tsx';
import { ago, dateOf, day, list } from '../words.ts';
import { say } from './userswords.ts';

type User = Schema['User'];
type Permission = User['permissions'][number];
type Titles = ReadonlyMap<string, string>;

const permissions: readonly Permission[] = ['content', 'supporters', 'money', 'fulfilment', 'mails', 'refunds'];
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

interface Opened {
  readonly user: User;
  readonly act: 'edit' | 'reset' | 'remove';
}

export function Users() {
  const [open, setOpen] = useState<Opened | null>(null);
  const titles: Titles = new Map(
    (useSummaries(0).value?.campaigns ?? []).map((c) => [c.campaignSlug, c.campaignTitle]),
  );
  const lastSignIns = useLastSignIns();
  const close = (): void => setOpen(null);
  const invite = (role: User['role']): void => setOpen({ user: { ...newUser, role }, act: 'edit' });
  return (
    <ResourceView resource={useResource<Schema['UserList']>('/admin/users', 120)}>
      {({ users }) => (
        <>
          <Card
            title={say('users')}
            hint={say('users_hint')}
            flush
            aside={
              <button type="button" class="btn primary" onClick={() => invite('campaign_user')}>
                <Icon of={Plus} />
                {say('invite')}
              </button>
            }
          >
            <Table
              caption={say('users')}
              columns={columns(titles, lastSignIns, setOpen)}
              rows={inOrder(users)}
              id={(u) => u.email}
              filterText={(u) => `${u.email} ${u.name}`}
              filterName={say('find')}
              look="users"
              counted={(n) => say('count', { count: n })}
            />
          </Card>
          {users.filter((u) => u.role === 'super_admin').length < 2 ? (
            <Notice
              tone="warn"
              action={
                <button type="button" class="btn sm" onClick={() => invite('super_admin')}>
                  {say('invite_super')}
                </button>
              }
            >
              <b>{say('second_super')}</b>
              <p class="small">{say('second_super_why')}</p>
            </Notice>
          ) : null}
          {open?.act === 'edit' ? <UserDialog key={open.user.email} user={open.user} close={close} /> : null}
          {open?.act === 'reset' ? <ResetDialog user={open.user} close={close} /> : null}
          {open?.act === 'remove' ? <RemoveDialog user={open.user} close={close} /> : null}
        </>
      )}
    </ResourceView>
  );
}

/** Sorts users: the signed-in operator first, then super admins, then campaign users. */
const inOrder = (users: readonly User[]): readonly User[] => {
  const rank = (u: User): number => (u.email === session.value?.email ? 0 : u.role === 'super_admin' ? 1 : 2);
  return users.toSorted((a, b) => rank(a) - rank(b));
};

/** Returns when each user last signed in, from the sessions of the last 30 days. */
function useLastSignIns(): ReadonlyMap<string, string> {
  const sessions = useResource<Schema['SessionList']>('/admin/sessions').value?.sessions ?? [];
  const last = new Map<string, string>();
  for (const s of sessions) if (s.createdAt > (last.get(s.email) ?? '')) last.set(s.email, s.createdAt);
  return last;
}

const columns = (
  titles: Titles,
  lastSignIns: ReadonlyMap<string, string>,
  open: (o: Opened) => void,
): readonly Column<User>[] => [
  {
    key: 'name',
    name: say('user'),
    sortKey: (u) => u.name,
    cell: (u) => (
      <div class="row g3">
        <Avatar name={u.name || u.email} />
        <div class="stack g1">
          <span class="row wrap g2">
            <b class="clip">{u.name || u.email}</b>
            {u.email === session.value?.email ? <Badge tone="outline">{say('you')}</Badge> : null}
          </span>
          {u.name ? <span class="small muted clip">{u.email}</span> : null}
        </div>
      </div>
    ),
  },
  {
    key: 'role',
    name: say('role'),
    sortKey: (u) => u.role,
    cell: (u) => <span class="small">{u.role === 'super_admin' ? <b>{say(u.role)}</b> : say(u.role)}</span>,
  },
  { key: 'may', name: say('permissions'), cell: (u) => <span class="small">{permissionsText(u, titles)}</span> },
  {
    key: 'seen',
    name: say('last_sign_in'),
    sortKey: (u) => lastSignIns.get(u.email) ?? '',
    cell: (u) => {
      const at = lastSignIns.get(u.email);
      return <span class="small muted nowrap">{at ? ago(at) : say('added', { day: day(dateOf(u.createdAt)) })}</span>;
    },
  },
  {
    key: 'actions',
    name: '',
    number: true,
    cell: (u) => (
      <Menu
        class="btn plain icon sm"
        label={say('actions_of', { name: u.name || u.email })}
        button={<Icon of={Ellipsis} />}
      >
        <button type="button" onClick={() => open({ user: u, act: 'edit' })}>
          {say('edit')}
        </button>
        {u.email === session.value?.email ? null : (
          <>
            <button type="button" onClick={() => open({ user: u, act: 'reset' })}>
              {say('reset')}
            </button>
            <button type="button" class="bad" onClick={() => open({ user: u, act: 'remove' })}>
              {say('remove')}
            </button>
          </>
        )}
      </Menu>
    ),
  },
];

/** Describes what a user may do: "Night Ferry: content, supporters". */
function permissionsText(u: User, titles: Titles): string {
  if (u.role === 'super_admin') return say('everything');
  const where =
    u.campaigns.length > 3
      ? say('campaigns_count', { count: u.campaigns.length })
      : list(u.campaigns.map((c) => titles.get(c) ?? c));
  const granted = u.permissions.map((p) => say(`${p}_short`));
  return `${where || say('no_campaign')}: ${granted.length ? list(granted) : say('read_only')}`;
}

function UserDialog({ user, close }: { user: User; close: () => void }) {
  const [email, setEmail] = useState(user.email);
  const [name, setName] = useState(user.name);
  const [role, setRole] = useState<User['role']>(user.role);
  const [lang, setLang] = useState(user.preferredLang);
  const [campaigns, setCampaigns] = useState<ReadonlySet<string>>(new Set(user.campaigns));
  const [may, setMay] = useState<ReadonlySet<Permission>>(new Set(user.permissions));
  const all = useSummaries().value?.campaigns ?? [];
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
    refreshPrefix('/admin/health');
    toast(user.email ? say('saved', { email }) : say('sent_invitation', { email }));
    close();
  };
  return (
    <Dialog title={user.email ? say('edit_user', { email: user.email }) : say('invite')} close={close}>
      <Form dialog task={save} submitLabel={say(user.email ? 'save' : 'send_invitation')}>
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
              hint={say(`${role}_hint`)}
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
                <fieldset class="stack g2">
                  <legend class="label">{say('campaigns')}</legend>
                  {all.map((c) => (
                    <Checkbox
                      key={c.campaignSlug}
                      label={c.campaignTitle}
                      on={campaigns.has(c.campaignSlug)}
                      set={(on) => setCampaigns(toggled(campaigns, c.campaignSlug, on))}
                    />
                  ))}
                  {errorOf('campaigns') ? <FieldError text={errorOf('campaigns')} /> : null}
                </fieldset>
                <fieldset class="stack g3">
                  <legend class="label">{say('permissions')}</legend>
                  {permissions.map((p) => (
                    <Checkbox
                      key={p}
                      label={say(p)}
                      hint={say(`${p}_hint`)}
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
    </Dialog>
  );
}

function toggled<T>(set: ReadonlySet<T>, one: T, on: boolean): ReadonlySet<T> {
  const next = new Set(set);
  if (on) next.add(one);
  else next.delete(one);
  return next;
}

interface ActionProps {
  readonly user: User;
  readonly close: () => void;
}

function ResetDialog({ user, close }: ActionProps) {
  const reset = async (): Promise<void> => {
    await change('/admin/users/reset-passkeys', { email: user.email } satisfies Schema['UserDeletion']);
    refreshPrefix('/admin/sessions');
    toast(say('reset_done', { email: user.email }));
    close();
  };
  return (
    <Dialog title={say('reset_title', { name: user.name || user.email })} close={close}>
      <Form dialog kind="danger" task={reset} submitLabel={say('reset')}>
        <p>{say('reset_what')}</p>
      </Form>
    </Dialog>
  );
}

function RemoveDialog({ user, close }: ActionProps) {
  const remove = async (): Promise<void> => {
    await change('/admin/users/delete', { email: user.email } satisfies Schema['UserDeletion']);
    refreshPrefix('/admin/users');
    refreshPrefix('/admin/sessions');
    refreshPrefix('/admin/health');
    toast(say('removed', { email: user.email }));
    close();
  };
  return (
    <Dialog title={say('remove_title', { name: user.name || user.email })} close={close}>
      <Form dialog kind="danger" task={remove} submitLabel={say('remove')}>
        <p>{say('remove_what')}</p>
      </Form>
    </Dialog>
  );
}
