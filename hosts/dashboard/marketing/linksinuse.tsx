// The tracked links by which people came to the campaign's page, with their visits and pledges.
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
import { type Column, Table } from '../ui/table.tsx';
import { toast } from '../ui/toast.tsx';
import { count, lang, money } from '../words.ts';
import { LinkPair } from './link.tsx';
import { linkName } from './linkname.ts';
import { say } from './words.ts';

type Links = Schema['CampaignLinks'];

/** Shows nothing until there is a link with a visit or a pledge. */
export function LinksInUse({ slug }: { slug: string }) {
  const report = useReport(slug);
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
      <Table
        caption={say('links_in_use')}
        rows={rows}
        id={(r) => r.name}
        columns={columns((query) => void copy(query), setShown)}
      />
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

function columns(copy: (query: string) => void, show: (query: string) => void): readonly Column<VisitedRow>[] {
  return [
    {
      key: 'name',
      name: say('link'),
      sortKey: (r) => linkName(r.name).name,
      cell: (r) => {
        const { name, details } = linkName(r.name);
        return (
          <div class="stack g1">
            <b>{name}</b>
            {details ? <span class="small muted">{details}</span> : null}
          </div>
        );
      },
    },
    { key: 'visits', name: say('visits'), number: true, sortKey: (r) => r.visits, cell: (r) => count(r.visits) },
    { key: 'pledges', name: say('pledges'), number: true, sortKey: (r) => r.pledges, cell: (r) => count(r.pledges) },
    {
      key: 'pledged',
      name: say('pledged'),
      number: true,
      sortKey: (r) => r.pledged,
      cell: (r) => <b>{money(r.pledged)}</b>,
    },
    {
      key: 'do',
      name: '',
      number: true,
      cell: (r) => {
        const { name } = linkName(r.name);
        return (
          <span class="row end-actions">
            <IconButton icon={Copy} label={say('copy_link_of', { name })} act={() => copy(r.name)} />
            <IconButton icon={QrCode} label={say('show_link_of', { name })} act={() => show(r.name)} />
          </span>
        );
      },
    },
  ];
}

const IconButton = ({ icon, label, act }: { icon: typeof Copy; label: string; act: () => void }) => (
  <button type="button" class="btn plain icon sm" aria-label={label} title={label} onClick={act}>
    <Icon of={icon} small />
  </button>
);
