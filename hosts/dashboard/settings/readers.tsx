// The addresses of a campaign's reports: users who may see them, and addresses that a super
// admin confirms here.
import { useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { useSummaries } from '../campaigns/summary.ts';
import { change } from '../changing.ts';
import { query, refresh, useReading } from '../reading.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Choice, Form, Text } from '../ui/form.tsx';
import { Shown } from '../ui/notice.tsx';
import { Table } from '../ui/table.tsx';
import { moment } from '../words.ts';
import { say } from './words.ts';

type Page = Schema['ReportReaders'];
type Reader = Page['readers'][number];
type Request = Schema['ReportReaderRequest'];

export function Readers() {
  const [chosen, setChosen] = useState('');
  return (
    <>
      <p>{say('readers_what')}</p>
      <Shown reading={useSummaries()}>
        {({ campaigns }) => {
          const slug = chosen || (campaigns[0]?.campaignSlug ?? '');
          return (
            <>
              <Choice label={say('campaign')} value={slug} set={setChosen} choices={campaigns.map((c) => [c.campaignSlug, c.campaignTitle] as const)} />
              {slug ? <Of key={slug} slug={slug} /> : null}
            </>
          );
        }}
      </Shown>
    </>
  );
}

function Of({ slug }: { slug: string }) {
  const [email, setEmail] = useState('');
  const path = query('/admin/report-readers', { campaignSlug: slug });
  const ask = async (step: 'confirm' | 'revoke', address: string): Promise<void> => {
    await change<Page>(`/admin/report-readers/${step}`, { campaignSlug: slug, email: address } satisfies Request);
    await refresh(path);
  };
  const add = async (): Promise<void> => {
    await ask('confirm', email);
    setEmail('');
  };
  return (
    <>
      <Shown reading={useReading<Page>(path)}>
        {({ readers }) => (
          <Table caption={say('readers')} rows={readers} id={(r) => r.email} text={(r) => r.email} empty={say('readers_none')} columns={[
            { key: 'email', name: say('email'), cell: (r) => r.email, by: (r) => r.email },
            { key: 'gets', name: say('gets'), cell: gets },
            { key: 'confirmed', name: say('confirmed'), cell: (r) => (r.confirmedAt ? say('confirmed_by', { who: r.confirmedBy ?? say('the_secret'), time: moment(r.confirmedAt) }) : '') },
            { key: 'do', name: '', cell: (r) => (r.confirmedAt ? <Button quiet task={() => ask('revoke', r.email)}>{say('revoke')}</Button> : r.reports.length ? null : <Button quiet task={() => ask('confirm', r.email)}>{say('confirm')}</Button>) },
          ]} />
        )}
      </Shown>
      <Form task={add} send={say('confirm')} quiet>{(wrong: (field: string) => string) => <Text label={say('another_address')} type="email" value={email} set={setEmail} required max={254} wrong={wrong('email')} />}</Form>
    </>
  );
}

/** What is mailed to a reader, or why nothing is. */
function gets(r: Reader) {
  if (r.excluded) return say('excluded');
  if (!r.listed) return say('unlisted');
  if (r.reports.length === 0) return <Badge tone="warn">{say('gets_nothing')}</Badge>;
  return r.reports.map((report) => say(`report_${report}`)).join(', ');
}
