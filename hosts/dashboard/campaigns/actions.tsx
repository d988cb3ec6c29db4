// The menu of a campaign's less common actions, and their dialogs.
import { Archive, ArrowUpRight, Copy as CopyIcon, Ellipsis, EyeOff, SquareArrowOutUpRight } from 'lucide-preact';
import { useState } from 'preact/hooks';
import { root, type Schema } from '../../site/scripts/api.ts';
import { change, newChangeID } from '../changes.ts';
import { navigate, route } from '../router.ts';
import { hasPermission, isSuperAdmin } from '../session.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Form, TextField } from '../ui/form.tsx';
import { Icon } from '../ui/icon.tsx';
import { Menu } from '../ui/menu.tsx';
import { toast } from '../ui/toast.tsx';
import { Cancel } from './cancel.tsx';
import { CreateDialog } from './createbutton.tsx';
import { takeOffSite } from './publish.ts';
import { type Summary, waitUntilServed } from './summary.ts';
import { say } from './words.ts';

export const pageOf = (c: Summary): string => `${root}/campaigns/${c.campaignSlug}/`;

/** A button that opens the campaign's public page. */
export const PageLink = ({ campaign: c, primary }: { campaign: Summary; primary?: boolean }) =>
  c.published ? (
    <a class={`btn ${primary ? 'primary' : ''}`} href={pageOf(c)} target="_blank" rel="noopener">
      <Icon of={SquareArrowOutUpRight} />
      {say('page')}
    </a>
  ) : null;

/** The menu of a campaign's less common actions. Actions that are currently not possible show the reason. */
export function CampaignMenu({ campaign: c, button }: { campaign: Summary; button?: boolean }) {
  const [open, setOpen] = useState<'' | 'copy' | 'archive' | 'hide'>('');
  const close = (): void => setOpen('');
  const hidable = hasPermission('content') && c.published && !c.archived;
  if (!isSuperAdmin() && !hidable && !c.published) return null;
  return (
    <>
      <Menu
        label={say('more_actions', { title: c.campaignTitle })}
        class={button ? 'btn icon' : 'btn plain icon sm'}
        button={<Icon of={Ellipsis} />}
      >
        {c.published ? (
          <a href={pageOf(c)} target="_blank" rel="noopener">
            <Icon of={ArrowUpRight} small />
            {say('page')}
          </a>
        ) : null}
        {isSuperAdmin() ? (
          <>
            <button type="button" onClick={() => setOpen('copy')}>
              <Icon of={CopyIcon} small />
              {say('copy')}
            </button>
            <ArchiveItem campaign={c} open={() => setOpen('archive')} />
          </>
        ) : null}
        {hidable ? (
          <>
            <hr />
            <button type="button" class="danger" onClick={() => setOpen('hide')}>
              <Icon of={EyeOff} small />
              {say('take_off')}
            </button>
          </>
        ) : null}
      </Menu>
      {open === 'copy' ? <CreateDialog copied={c} close={close} /> : null}
      {open === 'archive' ? <ArchiveDialog campaign={c} close={close} /> : null}
      {open === 'hide' ? <TakeOffDialog campaign={c} close={close} /> : null}
    </>
  );
}

function ArchiveItem({ campaign: { archiving, archived }, open }: { campaign: Summary; open: () => void }) {
  if (!archiving || archived) return null;
  if (archiving.possible)
    return (
      <button type="button" onClick={open}>
        <Icon of={Archive} small />
        {say('archive')}
      </button>
    );
  return (
    <button type="button" aria-disabled="true" class="explained">
      <Icon of={Archive} small />
      <span>
        {say('archive')}
        <span class="tiny muted block">
          {archiving.reason === 'unsettled'
            ? say('archive_unsettled', { count: archiving.unsettledPledges })
            : say('archive_live')}
        </span>
      </span>
    </button>
  );
}

function ArchiveDialog({ campaign, close }: { campaign: Summary; close: () => void }) {
  const [changeId] = useState(newChangeID);
  const archive = async (): Promise<void> => {
    const { moved, shared } = await change<Schema['ArchiveManifest']>('/admin/campaigns/archive', {
      campaignSlug: campaign.campaignSlug,
      changeId,
    } satisfies Schema['CampaignArchival']);
    await waitUntilServed((all) => all.some((c) => c.campaignSlug === campaign.campaignSlug && c.archived));
    close();
    toast(
      [
        say('archived', { title: campaign.campaignTitle, count: moved.length }),
        ...(shared.length ? [say('shared', { count: shared.length })] : []),
      ].join(' '),
    );
    if (route.value.parts[1]) navigate(['campaigns'], { view: 'archived' });
  };
  return (
    <Dialog title={say('archive_title', { title: campaign.campaignTitle })} close={close}>
      <Form dialog task={archive} submitLabel={say('archive_go')} actions={<Cancel close={close} />}>
        <p>{say('archive_what')}</p>
      </Form>
    </Dialog>
  );
}

/**
 * Asks for confirmation before a public campaign is hidden. If there are pledges, it requires a
 * reason, which supporters can read.
 */
function TakeOffDialog({ campaign, close }: { campaign: Summary; close: () => void }) {
  const [reason, setReason] = useState('');
  const [changeId] = useState(newChangeID);
  const pledges = campaign.pledgeCount;
  const hide = async (): Promise<void> => {
    await takeOffSite(campaign.campaignSlug, reason, changeId);
    close();
    toast(say('taken_off', { title: campaign.campaignTitle }));
  };
  return (
    <Dialog title={say('take_off_title', { title: campaign.campaignTitle })} close={close}>
      <Form dialog kind="danger" task={hide} submitLabel={say('take_off_go')} actions={<Cancel close={close} />}>
        {(errorOf: (field: string) => string) => (
          <>
            <p>{say('take_off_what')}</p>
            {pledges ? (
              <>
                <p>{say('take_off_pledges', { count: pledges })}</p>
                <TextField
                  label={say('reason')}
                  hint={say('reason_help')}
                  value={reason}
                  set={setReason}
                  required
                  long
                  max={500}
                  error={errorOf('reason')}
                />
              </>
            ) : null}
          </>
        )}
      </Form>
    </Dialog>
  );
}
