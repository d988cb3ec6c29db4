// A campaign's launch checklist, duplication and archival.
import { useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { change, newChangeID } from '../changes.ts';
import { query, useResource } from '../resources.ts';
import { hrefTo, navigate } from '../router.ts';
import { hasPermission, isSuperAdmin } from '../session.ts';
import { Badge } from '../ui/badge.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Form } from '../ui/form.tsx';
import { ResourceView } from '../ui/notice.tsx';
import { lang } from '../words.ts';
import { CreateDialog } from './create.tsx';
import { type Summary, waitUntilServed } from './summary.ts';
import { say } from './words.ts';

export default function Lifecycle({ campaign }: { campaign: Summary }) {
  const [open, setOpen] = useState<'' | 'copy' | 'archive'>('');
  return (
    <>
      {hasPermission('content') && !campaign.archived && (!campaign.published || campaign.state === 'upcoming') ? (
        <Launch campaign={campaign} />
      ) : null}
      {isSuperAdmin() ? (
        <div class="row">
          <button type="button" class="quiet" onClick={() => setOpen('copy')}>
            {say('copy')}…
          </button>
          {!campaign.archived && (campaign.state === 'ended' || !campaign.published) ? (
            <button type="button" class="quiet" onClick={() => setOpen('archive')}>
              {say('archive')}…
            </button>
          ) : null}
        </div>
      ) : null}
      {open === 'copy' ? <CreateDialog copied={campaign} close={() => setOpen('')} /> : null}
      {open === 'archive' ? <Archive campaign={campaign} close={() => setOpen('')} /> : null}
    </>
  );
}

function Launch({ campaign }: { campaign: Summary }) {
  return (
    <section>
      <h2>{say('launch')}</h2>
      <ResourceView
        resource={useResource<Schema['LaunchList']>(
          query(`/admin/campaigns/launch/${campaign.campaignSlug}`, { lang }),
          30,
        )}
      >
        {(l) => (
          <>
            <p>
              {l.starts && l.ends ? say('runs', { starts: l.starts, ends: l.ends, count: l.days }) : say('no_dates')}
            </p>
            <ul class="todo">
              {l.items.map((i) => (
                <li key={i.key}>
                  <Badge tone={i.done ? 'good' : 'warn'}>{say(i.done ? 'done_item' : 'open_item')}</Badge>
                  <span>{i.words}</span>
                  <span class="act" />
                </li>
              ))}
            </ul>
            {l.freezes.length ? <p class="small">{say('freezes', { what: l.freezes.join(', ') })}</p> : null}
            <p>
              {l.ready ? (
                <>
                  {say('ready_to_launch')}{' '}
                  <a href={hrefTo(['campaigns', campaign.campaignSlug, 'settings'])}>{say('tab_settings')}</a>
                </>
              ) : (
                say('not_ready')
              )}
            </p>
          </>
        )}
      </ResourceView>
    </section>
  );
}

function Archive({ campaign, close }: { campaign: Summary; close: () => void }) {
  const [changeId] = useState(newChangeID);
  const [done, setDone] = useState<Schema['ArchiveManifest'] | null>(null);
  const archive = async (): Promise<void> => {
    const moved = await change<Schema['ArchiveManifest']>('/admin/campaigns/archive', {
      campaignSlug: campaign.campaignSlug,
      changeId,
    } satisfies Schema['CampaignArchival']);
    setDone(moved);
    void waitUntilServed((all) => all.some((c) => c.campaignSlug === campaign.campaignSlug && c.archived));
  };
  const leave = (): void => {
    close();
    if (done) navigate(['campaigns']);
  };
  return (
    <Dialog title={say('archive_title', { title: campaign.campaignTitle })} close={leave}>
      {done ? (
        <>
          <p role="status">{say('archived', { count: done.moved.length })}</p>
          <ul>
            {done.moved.map((m) => (
              <li key={m.from}>
                <code>{m.from}</code> → <code>{m.to}</code>
              </li>
            ))}
          </ul>
          {done.shared.length ? <p class="small">{say('shared', { files: done.shared.join(', ') })}</p> : null}
        </>
      ) : (
        <>
          <p>{say('archive_what')}</p>
          <Form task={archive} submitLabel={say('archive')} />
        </>
      )}
    </Dialog>
  );
}
