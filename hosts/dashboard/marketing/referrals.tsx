// Referral codes for people and partners who promote the campaign.
import { Plus, Ticket } from 'lucide-preact';
import { useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { change } from '../changes.ts';
import { query, refresh, useResource } from '../resources.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Dialog, DialogBody } from '../ui/dialog.tsx';
import { Empty } from '../ui/empty.tsx';
import { Form, TextField } from '../ui/form.tsx';
import { Icon } from '../ui/icon.tsx';
import { ResourceView } from '../ui/notice.tsx';
import { Table } from '../ui/table.tsx';
import { LinkPair } from './link.tsx';
import { say } from './words.ts';

type Referral = Schema['Referral'];
type Request = Schema['ReferralRequest'];

const texts = [
  ['name', 'promoter'],
  ['code', 'ref'],
  ['utmSource', 'source'],
  ['utmMedium', 'medium'],
  ['utmCampaign', 'part_of'],
  ['utmContent', 'which'],
] as const;

const hints: ReadonlySet<string> = new Set(['ref', 'promoter', 'source', 'which']);

export function Referrals({ slug }: { slug: string }) {
  const path = query('/admin/marketing/referrals', { campaignSlug: slug });
  const [edited, setEdited] = useState<Request | null>(null);
  const [shown, setShown] = useState<Referral | null>(null);
  const fresh: Request = { campaignSlug: slug, code: '', name: '', revision: 0 };
  const resource = useResource<Schema['ReferralList']>(path);
  const add = (
    <button type="button" class="btn primary" onClick={() => setEdited(fresh)}>
      <Icon of={Plus} />
      {say('new_code')}
    </button>
  );
  const none = resource.value?.referrals.length === 0;
  return (
    <>
      <Card title={say('referrals')} hint={say('referrals_hint')} flush aside={none ? null : add}>
        <ResourceView resource={resource}>
          {({ referrals }) =>
            none ? (
              <Empty icon={Ticket} title={say('no_referrals')} action={add}>
                {say('no_referrals_what')}
              </Empty>
            ) : (
              <Table
                caption={say('referrals')}
                rows={referrals}
                id={(r) => r.code}
                filterText={(r) => `${r.code} ${r.name}`}
                exporter="none"
                counted={() => ''}
                columns={[
                  {
                    key: 'name',
                    name: say('promoter'),
                    sortKey: (r) => r.name,
                    cell: (r) => (
                      <div class="stack g1">
                        <b>{r.name}</b>
                        <span class="small muted mono">{r.code}</span>
                      </div>
                    ),
                  },
                  {
                    key: 'do',
                    name: '',
                    number: true,
                    cell: (r) => (
                      <span class="row end-actions">
                        <button
                          type="button"
                          class="btn sm"
                          aria-label={say('show_link_of', { name: r.name })}
                          onClick={() => setShown(r)}
                        >
                          {say('show_link')}
                        </button>
                        <button
                          type="button"
                          class="btn sm"
                          aria-label={say('edit_of', { name: r.name })}
                          onClick={() => setEdited({ ...r, campaignSlug: slug })}
                        >
                          {say('edit')}
                        </button>
                      </span>
                    ),
                  },
                ]}
              />
            )
          }
        </ResourceView>
      </Card>
      {shown ? (
        <Dialog title={shown.name} close={() => setShown(null)} wide>
          <DialogBody>
            <LinkPair links={shown.links} name={`${slug}-${shown.code}`} />
          </DialogBody>
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
    <Dialog title={say(referral.revision ? 'edit_code' : 'new_code')} close={close}>
      <Form
        dialog
        task={save}
        submitLabel={say('save')}
        actions={
          referral.revision ? (
            <Button kind="danger-quiet" task={remove}>
              {say('remove')}
            </Button>
          ) : null
        }
      >
        {(errorOf: (field: string) => string) => (
          <>
            {texts
              .filter(([field]) => field !== 'code' || !referral.revision)
              .map(([field, label]) => (
                <TextField
                  key={field}
                  label={say(label)}
                  hint={hints.has(label) ? say(`${label}_hint` as 'which_hint') : ''}
                  value={values[field] ?? ''}
                  set={(v) => setValues({ ...values, [field]: v })}
                  max={field === 'name' ? 100 : 64}
                  required={field === 'code' || field === 'name'}
                  error={errorOf(field)}
                />
              ))}
            {referral.revision ? <p class="small muted">{say('remove_hint')}</p> : null}
          </>
        )}
      </Form>
    </Dialog>
  );
}
