// Creates a campaign, empty or as a copy. It stays hidden until it is launched.
import { Plus } from 'lucide-preact';
import { useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { change, newChangeID } from '../changes.ts';
import { navigate } from '../router.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Form, TextField } from '../ui/form.tsx';
import { Icon } from '../ui/icon.tsx';
import { UserError } from '../ui/notice.tsx';
import { pageAddress } from './address.ts';
import { type Summary, waitUntilServed } from './summary.ts';
import { say } from './words.ts';

type Created = Schema['CampaignCreated'];

export function CreateButton() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="btn primary" onClick={() => setOpen(true)}>
        <Icon of={Plus} />
        {say('create')}
      </button>
      {open ? <CreateDialog close={() => setOpen(false)} /> : null}
    </>
  );
}

export const maxTitle = 80; // characters

/** The dialog that creates a campaign, or duplicates `copied` if it is set. */
export function CreateDialog({ copied, close }: { copied?: Summary; close: () => void }) {
  const [title, setTitle] = useState('');
  const [slug, setSlug] = useState('');
  const [people, setPeople] = useState('');
  const [changeId] = useState(newChangeID);
  const tooLong = [...title.trim()].length - maxTitle;
  const create = async (): Promise<void> => {
    if (tooLong > 0) throw new UserError(say('title_too_long', { count: tooLong }));
    const users = people
      .split(/[\s,;]+/)
      .filter(Boolean)
      .map((email) => ({ email }));
    const address = slug.trim() ? { slug: slug.trim() } : {};
    const made = copied
      ? await change<Created>('/admin/campaigns/duplicate', {
          campaignSlug: copied.campaignSlug,
          title,
          changeId,
          ...address,
        } satisfies Schema['CampaignCopy'])
      : await change<Created>('/admin/campaigns/create', {
          title,
          changeId,
          ...address,
          ...(users.length ? { users } : {}),
        } satisfies Schema['CampaignRequest']);
    await waitUntilServed((all) => all.some((c) => c.campaignSlug === made.slug));
    close();
    navigate(['campaigns', made.slug]);
    (document.activeElement as HTMLElement | null)?.blur(); // the new campaign's screen takes the focus
  };
  const address = pageAddress(title);
  return (
    <Dialog title={copied ? say('copy_of', { title: copied.campaignTitle }) : say('create')} close={close}>
      <Form
        dialog
        task={create}
        submitLabel={say('create_go')}
        actions={
          <button type="button" class="btn" onClick={close}>
            {say('cancel')}
          </button>
        }
      >
        {(errorOf: (field: string) => string) => (
          <>
            <p class="small muted">{say('create_what')}</p>
            <TextField
              label={say('create_title')}
              hint={address ? say('create_address', { address }) : say('create_title_help')}
              value={title}
              set={setTitle}
              required
              error={errorOf('title') || (tooLong > 0 ? say('title_too_long', { count: tooLong }) : '')}
            />
            <TextField
              label={say('create_slug')}
              hint={say('create_slug_hint')}
              note={say('optional')}
              value={slug}
              set={setSlug}
              max={100}
              error={errorOf('slug')}
            />
            {copied ? null : (
              <TextField
                label={say('create_people')}
                note={say('optional')}
                hint={say('create_people_help')}
                value={people}
                set={setPeople}
                error={errorOf('users')}
              />
            )}
          </>
        )}
      </Form>
    </Dialog>
  );
}
