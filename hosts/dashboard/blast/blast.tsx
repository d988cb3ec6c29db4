// The blast screen: a message to a campaign's supporters, and the sent messages.
import { CampaignCrumb } from '../campaigns/crumb.tsx';
import type { Summary } from '../campaigns/summary.ts';
import { Page } from '../ui/page.tsx';
import BroadcastEditor from './broadcast.tsx';
import { say } from './words.ts';

export default function Blast({ campaign }: { campaign: Summary }) {
  return (
    <Page
      title={say('title')}
      crumb={<CampaignCrumb campaign={campaign} />}
      lede={say('lede', { title: campaign.campaignTitle })}
    >
      <BroadcastEditor campaign={campaign} surface="blast" />
    </Page>
  );
}
