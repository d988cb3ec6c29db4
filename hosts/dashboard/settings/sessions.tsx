// Active and recently ended sessions.
import { useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { change } from '../changes.ts';
import { refresh, useResource } from '../resources.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Form } from '../ui/form.tsx';
import { ResourceView } from '../ui/notice.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { toast } from '../ui/toast.tsx';
import { ago, moment } from '../words.ts';
import { say } from './words.ts';

type Row = Schema['SessionList']['sessions'][number];

const path = '/admin/sessions';

async function revoke(session: Row): Promise<void> {
  await change<Schema['Revoked']>('/admin/sessions/revoke', {
    sessionId: session.id,
  } satisfies Schema['RevokeRequest']);
  await refresh(path);
  toast(say('session_ended', { email: session.email }));
}

const columns: readonly Column<Row>[] = [
  {
    key: 'email',
    name: say('session'),
    sortKey: (s) => s.email,
    cell: (s) => (
      <div class="stack g1">
        <span class="row wrap g2">
          <b>{say('browser_on', { browser: s.client.browser, system: s.client.system })}</b>
          {s.current ? <Badge tone="good">{say('this_session')}</Badge> : null}
        </span>
        <span class="small muted clip">{s.email}</span>
      </div>
    ),
  },
  {
    key: 'since',
    name: say('signed_in'),
    sortKey: (s) => s.createdAt,
    cell: (s) => (
      <span class="small muted" title={moment(s.createdAt)}>
        {ago(s.createdAt)}
      </span>
    ),
  },
  {
    key: 'state',
    name: say('ends'),
    number: true,
    sortKey: (s) => Number(s.active),
    cell: (s) =>
      s.current ? null : s.active ? (
        <Button small label={say('end_session_of', { email: s.email })} task={() => revoke(s)}>
          {say('end_session')}
        </Button>
      ) : (
        <span class="small muted">{say('ended', { time: moment(s.endedAt ?? s.endsAt) })}</span>
      ),
  },
];

export function Sessions() {
  return (
    <ResourceView resource={useResource<Schema['SessionList']>(path, 60)}>
      {({ sessions }) => (
        <Card title={say('sessions')} hint={say('sessions_hint')} flush aside={<EndOthers sessions={sessions} />}>
          <Table
            caption={say('sessions')}
            columns={columns}
            rows={sessions.toSorted((a, b) => Number(b.current) - Number(a.current))}
            look="sessions"
            exporter="none"
            counted={(n) => say('sessions_count', { count: n })}
            id={(s) => s.id}
            filterText={(s) => s.email}
          />
        </Card>
      )}
    </ResourceView>
  );
}

/** Ends the operator's own other sessions, such as those on a lost device, after a confirmation. */
function EndOthers({ sessions }: { sessions: readonly Row[] }) {
  const [asking, setAsking] = useState(false);
  const mine = sessions.find((s) => s.current)?.email;
  const others = sessions.filter((s) => s.email === mine && s.active && !s.current);
  const end = async (): Promise<void> => {
    for (const s of others) await revoke(s);
    setAsking(false);
  };
  if (!others.length) return null;
  return (
    <>
      <button type="button" class="btn" onClick={() => setAsking(true)}>
        {say('end_others', { count: others.length })}…
      </button>
      {asking ? (
        <Dialog title={say('end_others_title', { count: others.length })} close={() => setAsking(false)}>
          <Form dialog kind="danger" task={end} submitLabel={say('end_others', { count: others.length })}>
            <p>{say('end_others_what')}</p>
          </Form>
        </Dialog>
      ) : null}
    </>
  );
}
