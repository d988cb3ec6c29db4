// Referral codes for people and partners who promote the campaign.
import { useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { change } from '../changes.ts';
import { query, refresh, useResource } from '../resources.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Form, TextField } from '../ui/form.tsx';
import { ResourceView } from '../ui/notice.tsx';
import { Table } from '../ui/table.tsx';
import { LinkPair } from './link.tsx';
import { say } from './words.ts';

type Referral = Schema['Referral'];
type Request = Schema['ReferralRequest'];

const texts = [
  ['code', 'ref'],
  ['name', 'who'],
  ['utmSource', 'source'],
  ['utmMedium', 'medium'],
  ['utmCampaign', 'part_of'],
  ['utmContent', 'which'],
] as const;

export function Referrals({ slug }: { slug: string }) {
  const path = query('/admin/marketing/referrals', { campaignSlug: slug });
  const [edited, setEdited] = useState<Request | null>(null);
  const [shown, setShown] = useState<Referral | null>(null);
  const fresh: Request = { campaignSlug: slug, code: '', name: '', revision: 0 };
  return (
    <>
      <p>{say('referrals_what')}</p>
      <p>
        <button type="button" onClick={() => setEdited(fresh)}>
          {say('new_code')}
        </button>
      </p>
      <ResourceView resource={useResource<Schema['ReferralList']>(path)}>
        {({ referrals }) => (
          <Table
            caption={say('referrals')}
            rows={referrals}
            id={(r) => r.code}
            filterText={(r) => `${r.code} ${r.name}`}
            empty={say('no_referrals')}
            columns={[
              { key: 'code', name: say('ref'), cell: (r) => r.code, sortKey: (r) => r.code },
              { key: 'name', name: say('who'), cell: (r) => r.name, sortKey: (r) => r.name },
              {
                key: 'do',
                name: say('do'),
                cell: (r) => (
                  <span class="row">
                    <button type="button" class="quiet small-button" onClick={() => setShown(r)}>
                      {say('show_link')}
                    </button>
                    <button
                      type="button"
                      class="quiet small-button"
                      onClick={() => setEdited({ ...r, campaignSlug: slug })}
                    >
                      {say('change')}
                    </button>
                  </span>
                ),
              },
            ]}
          />
        )}
      </ResourceView>
      {shown ? (
        <Dialog title={shown.name} close={() => setShown(null)} wide>
          <LinkPair links={shown.links} name={`${slug}-${shown.code}`} />
        </Dialog>
      ) : null}
      {edited ? (
        <ReferralDialog
          referral={edited}
          done={async () => {
            setEdited(null);
            await refresh(path);
          }}
          close={() => setEdited(null)}
        />
      ) : null}
    </>
  );
}

function ReferralDialog({
  referral,
  done,
  close,
}: {
  referral: Request;
  done: () => Promise<void>;
  close: () => void;
}) {
  const [values, setValues] = useState(referral);
  const save = async (): Promise<void> => {
    const {
      campaignSlug,
      code,
      name,
      revision = 0,
      utmSource = '',
      utmMedium = '',
      utmCampaign = '',
      utmContent = '',
    } = values;
    await change<Referral>('/admin/marketing/referrals', {
      campaignSlug,
      code,
      name,
      revision,
      utmSource,
      utmMedium,
      utmCampaign,
      utmContent,
    } satisfies Request);
    await done();
  };
  const remove = async (): Promise<void> => {
    await change('/admin/marketing/referrals/delete', {
      campaignSlug: referral.campaignSlug,
      code: referral.code,
      revision: referral.revision ?? 0,
    } satisfies Schema['ReferralDeletion']);
    await done();
  };
  return (
    <Dialog title={say(referral.revision ? 'change_code' : 'new_code')} close={close}>
      <Form
        task={save}
        submitLabel={say('save')}
        actions={
          referral.revision ? (
            <Button quiet danger task={remove}>
              {say('remove')}
            </Button>
          ) : null
        }
      >
        {(errorOf: (field: string) => string) =>
          texts
            .filter(([field]) => field !== 'code' || !referral.revision)
            .map(([field, label]) => (
              <TextField
                key={field}
                label={say(label)}
                help={say(`${label}_help`)}
                value={values[field] ?? ''}
                set={(v) => setValues({ ...values, [field]: v })}
                max={field === 'name' ? 100 : 64}
                required={field === 'code' || field === 'name'}
                error={errorOf(field)}
              />
            ))
        }
      </Form>
      {referral.revision ? <p class="small">{say('remove_what')}</p> : null}
    </Dialog>
  );
}
