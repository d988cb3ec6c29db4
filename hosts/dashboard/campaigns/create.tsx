// To begin a campaign, hidden until it is launched, from nothing or as a copy.
import { useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { change, identity } from '../changing.ts';
import { go } from '../place.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Form, Text } from '../ui/form.tsx';
import { served, type Summary } from './summary.ts';
import { say } from './words.ts';

type Created = Schema['CampaignCreated'];

export function Create() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>{say('create')}</button>
      {open ? <Begin close={() => setOpen(false)} /> : null}
    </>
  );
}

/** A copy of a campaign, where it is given. */
export function Begin({ copied, close }: { copied?: Summary; close: () => void }) {
  const [title, setTitle] = useState('');
  const [people, setPeople] = useState('');
  const [changeId] = useState(identity);
  const begin = async (): Promise<void> => {
    const users = people.split(',').map((p) => p.trim()).filter(Boolean).map((email) => ({ email }));
    const { slug } = copied
      ? await change<Created>('/admin/campaigns/duplicate', { campaignSlug: copied.campaignSlug, title, changeId } satisfies Schema['CampaignCopy'])
      : await change<Created>('/admin/campaigns/create', { title, changeId, ...(users.length ? { users } : {}) } satisfies Schema['CampaignRequest']);
    await served((all) => all.some((c) => c.campaignSlug === slug));
    close();
    go(['campaigns', slug, 'settings']);
  };
  return (
    <Dialog title={copied ? say('copy_of', { title: copied.campaignTitle }) : say('create')} close={close}>
      <p>{say('create_what')}</p>
      <Form task={begin} send={say('begin')}>
        {(wrong: (field: string) => string) => (
          <>
            <Text label={say('create_title')} value={title} set={setTitle} required max={80} wrong={wrong('title')} />
            {copied ? null : <Text label={say('create_people')} help={say('create_people_help')} value={people} set={setPeople} wrong={wrong('users')} />}
          </>
        )}
      </Form>
    </Dialog>
  );
}
