// Recipients of a campaign's report emails: users with the permission, and addresses that a super
// admin confirmed.
import { useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { useSummaries } from '../campaigns/summary.ts';
import { change } from '../changes.ts';
import { query, refresh, useResource } from '../resources.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Form, Select, TextField } from '../ui/form.tsx';
import { ResourceView } from '../ui/notice.tsx';
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
      <ResourceView resource={useSummaries()}>
        {({ campaigns }) => {
          const slug = chosen || (campaigns[0]?.campaignSlug ?? '');
          return (
            <>
              <Select
                label={say('campaign')}
                value={slug}
                set={setChosen}
                choices={campaigns.map((c) => [c.campaignSlug, c.campaignTitle] as const)}
              />
              {slug ? <ReaderList key={slug} slug={slug} /> : null}
            </>
          );
        }}
      </ResourceView>
    </>
  );
}

function ReaderList({ slug }: { slug: string }) {
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
      <ResourceView resource={useResource<Page>(path)}>
        {({ readers }) => (
          <Table
            caption={say('readers')}
            rows={readers}
            id={(r) => r.email}
            filterText={(r) => r.email}
            empty={say('readers_none')}
            columns={[
              { key: 'email', name: say('email'), cell: (r) => r.email, sortKey: (r) => r.email },
              { key: 'gets', name: say('gets'), cell: receivedReports },
              {
                key: 'confirmed',
                name: say('confirmed'),
                cell: (r) =>
                  r.confirmedAt
                    ? say('confirmed_by', { who: r.confirmedBy ?? say('the_secret'), time: moment(r.confirmedAt) })
                    : '',
              },
              {
                key: 'do',
                name: '',
                cell: (r) =>
                  r.confirmedAt ? (
                    <Button quiet task={() => ask('revoke', r.email)}>
                      {say('revoke')}
                    </Button>
                  ) : r.reports.length ? null : (
                    <Button quiet task={() => ask('confirm', r.email)}>
                      {say('confirm')}
                    </Button>
                  ),
              },
            ]}
          />
        )}
      </ResourceView>
      <Form task={add} submitLabel={say('confirm')} quiet>
        {(errorOf: (field: string) => string) => (
          <TextField
            label={say('another_address')}
            type="email"
            value={email}
            set={setEmail}
            required
            max={254}
            error={errorOf('email')}
          />
        )}
      </Form>
    </>
  );
}

/** Returns the reports that a reader receives, or the reason why there are none. */
function receivedReports(r: Reader) {
  if (r.excluded) return say('excluded');
  if (!r.listed) return say('unlisted');
  if (r.reports.length === 0) return <Badge tone="warn">{say('gets_nothing')}</Badge>;
  return r.reports.map((report) => say(`report_${report}`)).join(', ');
}
