// What is left to do before a campaign goes public, a copy of it, and its way into the archive.
import { useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { change, identity } from '../changing.ts';
import { go, to } from '../place.ts';
import { query, useReading } from '../reading.ts';
import { may, platform } from '../session.ts';
import { Badge } from '../ui/badge.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Form } from '../ui/form.tsx';
import { Shown } from '../ui/notice.tsx';
import { Begin } from './create.tsx';
import { served, type Summary } from './summary.ts';
import { lang } from '../words.ts';
import { say } from './words.ts';

export default function Lifecycle({ of }: { of: Summary }) {
  const [open, setOpen] = useState<'' | 'copy' | 'archive'>('');
  return (
    <>
      {may('content') && !of.archived && (!of.published || of.state === 'upcoming') ? <Launch of={of} /> : null}
      {platform() ? (
        <div class="row">
          <button type="button" class="quiet" onClick={() => setOpen('copy')}>{say('copy')}…</button>
          {!of.archived && (of.state === 'ended' || !of.published) ? <button type="button" class="quiet" onClick={() => setOpen('archive')}>{say('archive')}…</button> : null}
        </div>
      ) : null}
      {open === 'copy' ? <Begin copied={of} close={() => setOpen('')} /> : null}
      {open === 'archive' ? <Archive of={of} close={() => setOpen('')} /> : null}
    </>
  );
}

function Launch({ of }: { of: Summary }) {
  return (
    <section>
      <h2>{say('launch')}</h2>
      <Shown reading={useReading<Schema['LaunchList']>(query(`/admin/campaigns/launch/${of.campaignSlug}`, { lang }), 30)}>
        {(l) => (
          <>
            <p>{l.starts && l.ends ? say('runs', { starts: l.starts, ends: l.ends, count: l.days }) : say('no_dates')}</p>
            <ul class="todo">{l.items.map((i) => <li key={i.key}><Badge tone={i.done ? 'good' : 'warn'}>{say(i.done ? 'done_item' : 'open_item')}</Badge><span>{i.words}</span><span class="act" /></li>)}</ul>
            {l.freezes.length ? <p class="small">{say('freezes', { what: l.freezes.join(', ') })}</p> : null}
            <p>{l.ready ? <>{say('ready_to_launch')} <a href={to(['campaigns', of.campaignSlug, 'settings'])}>{say('tab_settings')}</a></> : say('not_ready')}</p>
          </>
        )}
      </Shown>
    </section>
  );
}

function Archive({ of, close }: { of: Summary; close: () => void }) {
  const [changeId] = useState(identity);
  const [done, setDone] = useState<Schema['ArchiveManifest'] | null>(null);
  const archive = async (): Promise<void> => {
    const moved = await change<Schema['ArchiveManifest']>('/admin/campaigns/archive', { campaignSlug: of.campaignSlug, changeId } satisfies Schema['CampaignArchival']);
    setDone(moved);
    void served((all) => all.some((c) => c.campaignSlug === of.campaignSlug && c.archived));
  };
  const leave = (): void => {
    close();
    if (done) go(['campaigns']);
  };
  return (
    <Dialog title={say('archive_title', { title: of.campaignTitle })} close={leave}>
      {done ? (
        <>
          <p role="status">{say('archived', { count: done.moved.length })}</p>
          <ul>{done.moved.map((m) => <li key={m.from}><code>{m.from}</code> → <code>{m.to}</code></li>)}</ul>
          {done.shared.length ? <p class="small">{say('shared', { files: done.shared.join(', ') })}</p> : null}
        </>
      ) : <><p>{say('archive_what')}</p><Form task={archive} send={say('archive')} /></>}
    </Dialog>
  );
}
