// The campaign's tracked links with their visits and pledges.
import { Copy, QrCode } from 'lucide-preact';
import { useState } from 'preact/hooks';
import type { Schema } from '../../site/scripts/api.ts';
import { useReport } from '../analytics/usereport.ts';
import { type VisitedRow, type Visits, withVisits } from '../analytics/visits.ts';
import { useResource } from '../resources.ts';
import { Card } from '../ui/card.tsx';
import { Dialog, DialogBody } from '../ui/dialog.tsx';
import { Icon } from '../ui/icon.tsx';
import { ReadError } from '../ui/notice.tsx';
import { toast } from '../ui/toast.tsx';
import { count, lang, money } from '../words.ts';
import { LinkPair } from './link.tsx';
import { linkName } from './linkname.ts';
import { say } from './words.ts';

type Links = Schema['CampaignLinks'];

/** Shows nothing until a link has a visit or a pledge. */
export function LinksInUse({ slug }: { slug: string }) {
  const report = useReport(slug, '', '');
  const visits = useResource<Visits>(`/admin/analytics/${slug}/visits`);
  const page = useResource<Links>(`/admin/marketing/links/${slug}`).value;
  const [shown, setShown] = useState('');
  if (report.error && !report.value) return <ReadError at={report.at} error={report.error} />;
  const rows = withVisits(report.value?.links ?? [], visits.value?.links ?? [])
    .filter((r) => r.name && r.name !== '*')
    .toSorted((a, b) => b.visits - a.visits || b.total - a.total);
  if (!rows.length || !page) return null;
  const linkOf = (query: string): Links => ({ en: `${page.en}?${query}`, es: `${page.es}?${query}` });
  const copy = async (query: string): Promise<void> => {
    await navigator.clipboard.writeText(linkOf(query)[lang === 'es' ? 'es' : 'en']);
    toast(say('link_copied'));
  };
  return (
    <Card title={say('links_in_use')} hint={say('links_in_use_hint')} flush>
      <div class="tablewrap" tabIndex={0} role="region" aria-label={say('links_in_use')}>
        <table class="table cards links-in-use">
          <thead>
            <tr>
              <th scope="col">{say('link')}</th>
              <th scope="col" class="end">
                {say('visits')}
              </th>
              <th scope="col" class="end">
                {say('pledges')}
              </th>
              <th scope="col" class="end">
                {say('pledged')}
              </th>
              <th scope="col" class="end">
                <span class="unseen">{say('action')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((r) => (
              <LinkRow key={r.name} row={r} copy={() => void copy(r.name)} show={() => setShown(r.name)} />
            ))}
          </tbody>
        </table>
      </div>
      {shown ? (
        <Dialog title={linkName(shown).name} close={() => setShown('')}>
          <DialogBody>
            <LinkPair links={linkOf(shown)} name={slug} />
          </DialogBody>
        </Dialog>
      ) : null}
    </Card>
  );
}

interface RowProps {
  readonly row: VisitedRow;
  readonly copy: () => void;
  readonly show: () => void;
}

function LinkRow({ row, copy, show }: RowProps) {
  const { name, details } = linkName(row.name);
  return (
    <tr>
      <th scope="row">
        <b>{name}</b>
        {details ? <span class="small muted">{details}</span> : null}
        <span class="small muted brief">
          {say('visits_count', { count: row.visits })} · {say('pledges_count', { count: row.pledges })}
        </span>
      </th>
      <td class="end hide">{count(row.visits)}</td>
      <td class="end hide">{count(row.pledges)}</td>
      <td class="end">
        <b>{money(row.pledged)}</b>
      </td>
      <td class="end">
        <span class="row end-actions">
          <IconButton icon={Copy} label={say('copy_link_of', { name })} act={copy} />
          <IconButton icon={QrCode} label={say('show_link_of', { name })} act={show} />
        </span>
      </td>
    </tr>
  );
}

const IconButton = ({ icon, label, act }: { icon: typeof Copy; label: string; act: () => void }) => (
  <button type="button" class="btn plain icon sm" aria-label={label} title={label} onClick={act}>
    <Icon of={icon} small />
  </button>
);
