// Creates a campaign, empty or as a copy. It stays hidden until it is launched.
import { useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { change, newChangeID } from '../changes.ts';
import { EmailsField } from '../fields/widgetfields.tsx';
import { navigate } from '../router.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Form, Select, TextField } from '../ui/form.tsx';
import { UserError } from '../ui/notice.tsx';
import { pageAddress } from './address.ts';
import { Cancel } from './cancel.tsx';
import { type Summary, useSummaries, waitUntilServed } from './summary.ts';
import { say } from './words.ts';

type Created = Schema['CampaignCreated'];

const maxTitle = 80; // characters

interface Props {
  /** The campaign to copy; without it, the dialog asks what to start with. */
  readonly copied?: Summary;
  readonly close: () => void;
}

/** The dialog that creates a campaign: empty, or as a copy of another one. */
export default function CreateDialog({ copied, close }: Props) {
  const all = useSummaries(0).value?.campaigns ?? [];
  const [title, setTitle] = useState('');
  const [slug, setSlug] = useState('');
  const [people, setPeople] = useState<readonly string[]>([]);
  const [original, setOriginal] = useState(copied?.campaignSlug ?? '');
  const [changeId] = useState(newChangeID);
  const tooLong = [...title.trim()].length - maxTitle;
  const create = async (): Promise<void> => {
    if (tooLong > 0) throw new UserError(say('title_too_long', { count: tooLong }));
    const address = slug.trim() ? { slug: slug.trim() } : {};
    const made = original
      ? await change<Created>('/admin/campaigns/duplicate', {
          campaignSlug: original,
          title,
          changeId,
          ...address,
        } satisfies Schema['CampaignCopy'])
      : await change<Created>('/admin/campaigns/create', {
          title,
          changeId,
          ...address,
          ...(people.length ? { users: people.map((email) => ({ email })) } : {}),
        } satisfies Schema['CampaignRequest']);
    await waitUntilServed((served) => served.some((c) => c.campaignSlug === made.slug));
    close();
    navigate(['campaigns', made.slug]);
    (document.activeElement as HTMLElement | null)?.blur(); // the new campaign's screen takes the focus
  };
  const address = pageAddress(title);
  return (
    <Dialog title={copied ? say('copy_of', { title: copied.campaignTitle }) : say('create')} close={close}>
      <Form dialog task={create} submitLabel={say('create_go')} actions={<Cancel close={close} />}>
        {(errorOf: (field: string) => string) => (
          <>
            <p class="small muted">{say('create_what')}</p>
            <TextField
              label={say('create_title')}
              hint={address && !slug ? say('create_address', { address }) : say('create_title_help')}
              value={title}
              set={setTitle}
              required
              error={errorOf('title') || (tooLong > 0 ? say('title_too_long', { count: tooLong }) : '')}
            />
            {copied || !all.length ? null : <StartWith campaigns={all} original={original} set={setOriginal} />}
            {copied ? <p class="small muted">{say('copy_what')}</p> : null}
            <TextField
              label={say('create_slug')}
              hint={say('create_slug_hint')}
              note={say('optional')}
              value={slug}
              set={setSlug}
              max={100}
              error={errorOf('slug')}
            />
            {original ? null : (
              <EmailsField
                label={say('create_people')}
                note={say('optional')}
                hint={say('create_people_help')}
                value={people}
                set={(emails) => setPeople(emails ?? [])}
                error={errorOf('users')}
              />
            )}
          </>
        )}
      </Form>
    </Dialog>
  );
}

interface StartProps {
  readonly campaigns: readonly Summary[];
  /** The slug of the campaign to copy; "" for an empty page. */
  readonly original: string;
  readonly set: (original: string) => void;
}

/** Asks whether to start empty or with a copy, and of which campaign. */
function StartWith({ campaigns, original, set }: StartProps) {
  const first = campaigns[0]?.campaignSlug ?? '';
  return (
    <>
      <fieldset class="field">
        <legend class="label">{say('start_with')}</legend>
        <div class="grid2">
          {(['empty', 'copy'] as const).map((kind) => (
            <label key={kind} class="choice">
              <input
                class="check radio"
                type="radio"
                name="start"
                checked={(kind === 'copy') === (original !== '')}
                onChange={() => set(kind === 'copy' ? first : '')}
              />
              <span>
                <b>{say(`start_${kind}`)}</b>
                <span class="small muted block">{say(`start_${kind}_what`)}</span>
              </span>
            </label>
          ))}
        </div>
      </fieldset>
      {original ? (
        <Select
          label={say('original')}
          hint={say('copy_what')}
          value={original}
          set={set}
          choices={campaigns.map((c) => [c.campaignSlug, c.campaignTitle])}
        />
      ) : null}
    </>
  );
}
