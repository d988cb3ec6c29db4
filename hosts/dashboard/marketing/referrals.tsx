// Who tells of the campaign, each with a code of their own.
import { useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { change } from '../changing.ts';
import { query, refresh, useReading } from '../reading.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Form, Text } from '../ui/form.tsx';
import { Shown } from '../ui/notice.tsx';
import { Table } from '../ui/table.tsx';
import { Both } from './link.tsx';
import { say } from './words.ts';

type Referral = Schema['Referral'];
type Request = Schema['ReferralRequest'];

const texts = [['code', 'ref'], ['name', 'who'], ['utmSource', 'source'], ['utmMedium', 'medium'], ['utmCampaign', 'part_of'], ['utmContent', 'which']] as const;

export function Referrals({ slug }: { slug: string }) {
  const path = query('/admin/marketing/referrals', { campaignSlug: slug });
  const [edited, setEdited] = useState<Request | null>(null);
  const [shown, setShown] = useState<Referral | null>(null);
  const fresh: Request = { campaignSlug: slug, code: '', name: '', revision: 0 };
  return (
    <>
      <p>{say('referrals_what')}</p>
      <p><button type="button" onClick={() => setEdited(fresh)}>{say('new_code')}</button></p>
      <Shown reading={useReading<Schema['ReferralList']>(path)}>
        {({ referrals }) => (
          <Table caption={say('referrals')} rows={referrals} id={(r) => r.code} text={(r) => `${r.code} ${r.name}`} empty={say('no_referrals')} columns={[
            { key: 'code', name: say('ref'), cell: (r) => r.code, by: (r) => r.code },
            { key: 'name', name: say('who'), cell: (r) => r.name, by: (r) => r.name },
            { key: 'do', name: say('do'), cell: (r) => (
              <span class="row">
                <button type="button" class="quiet small-button" onClick={() => setShown(r)}>{say('show_link')}</button>
                <button type="button" class="quiet small-button" onClick={() => setEdited({ ...r, campaignSlug: slug })}>{say('change')}</button>
              </span>
            ) },
          ]} />
        )}
      </Shown>
      {shown ? <Dialog title={shown.name} close={() => setShown(null)} wide><Both links={shown.links} name={`${slug}-${shown.code}`} /></Dialog> : null}
      {edited ? <Editing of={edited} done={async () => { setEdited(null); await refresh(path); }} close={() => setEdited(null)} /> : null}
    </>
  );
}

function Editing({ of, done, close }: { of: Request; done: () => Promise<void>; close: () => void }) {
  const [values, setValues] = useState(of);
  const save = async (): Promise<void> => {
    const { campaignSlug, code, name, revision = 0, utmSource = '', utmMedium = '', utmCampaign = '', utmContent = '' } = values;
    await change<Referral>('/admin/marketing/referrals', { campaignSlug, code, name, revision, utmSource, utmMedium, utmCampaign, utmContent } satisfies Request);
    await done();
  };
  const remove = async (): Promise<void> => {
    await change('/admin/marketing/referrals/delete', { campaignSlug: of.campaignSlug, code: of.code, revision: of.revision ?? 0 } satisfies Schema['ReferralDeletion']);
    await done();
  };
  return (
    <Dialog title={say(of.revision ? 'change_code' : 'new_code')} close={close}>
      <Form task={save} send={say('save')} beside={of.revision ? <Button quiet danger task={remove}>{say('remove')}</Button> : null}>
        {(wrong: (field: string) => string) => texts.filter(([field]) => field !== 'code' || !of.revision).map(([field, label]) => (
          <Text key={field} label={say(label)} help={say(`${label}_help`)} value={values[field] ?? ''} set={(v) => setValues({ ...values, [field]: v })} max={field === 'name' ? 100 : 64} required={field === 'code' || field === 'name'} wrong={wrong(field)} />
        ))}
      </Form>
      {of.revision ? <p class="small">{say('remove_what')}</p> : null}
    </Dialog>
  );
}
