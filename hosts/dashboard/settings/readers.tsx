// Recipients of a campaign's report emails: users with the permission, and addresses that a super
// admin confirmed.
import { useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { useSummaries } from '../campaigns/summary.ts';
import { change } from '../changes.ts';
import { query, refresh, useResource } from '../resources.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Form, Select, TextField } from '../ui/form.tsx';
import { ResourceView } from '../ui/notice.tsx';
import { Table } from '../ui/table.tsx';
import { toast } from '../ui/toast.tsx';
import { dateOf, day, list } from '../words.ts';
import { say } from './words.ts';

type Page = Schema['ReportReaders'];
type Reader = Page['readers'][number];
type Request = Schema['ReportReaderRequest'];

export function Readers() {
  const [chosen, setChosen] = useState('');
  return (
    <ResourceView resource={useSummaries()}>
      {({ campaigns }) => {
        const slug = chosen || (campaigns[0]?.campaignSlug ?? '');
        return (
          <Card title={say('readers')} hint={say('readers_hint')} flush>
            <div class="filters">
              <Select
                label={say('campaign')}
                value={slug}
                set={setChosen}
                choices={campaigns.map((c) => [c.campaignSlug, c.campaignTitle] as const)}
              />
            </div>
            {slug ? <ReaderList key={slug} slug={slug} /> : null}
          </Card>
        );
      }}
    </ResourceView>
  );
}

function ReaderList({ slug }: { slug: string }) {
  const [email, setEmail] = useState('');
  const path = query('/admin/report-readers', { campaignSlug: slug });
  const send = async (step: 'confirm' | 'revoke', address: string): Promise<void> => {
    await change<Page>(`/admin/report-readers/${step}`, { campaignSlug: slug, email: address } satisfies Request);
    await refresh(path);
    toast(say(step === 'confirm' ? 'reader_confirmed' : 'reader_revoked', { email: address }));
  };
  const add = async (): Promise<void> => {
    await send('confirm', email);
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
            look="readers"
            exporter="none"
            counted={() => ''}
            columns={[
              {
                key: 'email',
                name: say('recipient'),
                sortKey: (r) => r.email,
                cell: (r) => (
                  <div class="stack g1">
                    <b class="clip">{r.email}</b>
                    {r.confirmedAt ? (
                      <span class="small muted">
                        {say('confirmed_by', {
                          who: r.confirmedBy ?? say('the_secret'),
                          day: day(dateOf(r.confirmedAt)),
                        })}
                      </span>
                    ) : null}
                  </div>
                ),
              },
              { key: 'gets', name: say('receives'), cell: receivedReports },
              {
                key: 'do',
                name: '',
                number: true,
                cell: (r) =>
                  r.confirmedAt ? (
                    <Button small label={say('revoke_of', { email: r.email })} task={() => send('revoke', r.email)}>
                      {say('revoke')}
                    </Button>
                  ) : r.reports.length ? null : (
                    <Button small label={say('confirm_of', { email: r.email })} task={() => send('confirm', r.email)}>
                      {say('confirm')}
                    </Button>
                  ),
              },
            ]}
          />
        )}
      </ResourceView>
      <div class="in add-reader">
        <Form task={add} submitLabel={say('confirm')} kind="">
          {(errorOf: (field: string) => string) => (
            <TextField
              label={say('add_recipient')}
              type="email"
              value={email}
              set={setEmail}
              required
              max={254}
              error={errorOf('email')}
            />
          )}
        </Form>
      </div>
    </>
  );
}

/** Returns the reports that a reader receives, or the reason why there are none. */
function receivedReports(r: Reader) {
  if (r.excluded) return say('excluded');
  if (!r.listed) return say('unlisted');
  if (r.reports.length === 0) return <Badge tone="warn">{say('not_permitted')}</Badge>;
  return list(r.reports.map((report) => say(`report_${report}`)));
}
