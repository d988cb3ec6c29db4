// Creates a campaign, empty or as a copy. It stays hidden until it is launched.
import { useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { change, newChangeID } from '../changes.ts';
import { navigate } from '../router.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Form, TextField } from '../ui/form.tsx';
import { type Summary, waitUntilServed } from './summary.ts';
import { say } from './words.ts';

type Created = Schema['CampaignCreated'];

export function CreateButton() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        {say('create')}
      </button>
      {open ? <CreateDialog close={() => setOpen(false)} /> : null}
    </>
  );
}

/** The dialog that creates a campaign, or duplicates `copied` if it is set. */
export function CreateDialog({ copied, close }: { copied?: Summary; close: () => void }) {
  const [title, setTitle] = useState('');
  const [slug, setSlug] = useState('');
  const [people, setPeople] = useState('');
  const [changeId] = useState(newChangeID);
  const create = async (): Promise<void> => {
    const users = people
      .split(',')
      .map((p) => p.trim())
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
    navigate(['campaigns', made.slug, 'settings']);
  };
  return (
    <Dialog title={copied ? say('copy_of', { title: copied.campaignTitle }) : say('create')} close={close}>
      <p>{say('create_what')}</p>
      <Form task={create} submitLabel={say('begin')}>
        {(errorOf: (field: string) => string) => (
          <>
            <TextField
              label={say('create_title')}
              value={title}
              set={setTitle}
              required
              max={80}
              error={errorOf('title')}
            />
            <TextField
              label={say('create_slug')}
              help={say('create_slug_help')}
              value={slug}
              set={setSlug}
              max={100}
              error={errorOf('slug')}
            />
            {copied ? null : (
              <TextField
                label={say('create_people')}
                help={say('create_people_help')}
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
