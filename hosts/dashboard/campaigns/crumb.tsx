import { hrefTo } from '../router.ts';
import type { Summary } from './summary.ts';
import { say } from './words.ts';

/** The links above the title of a campaign's section. */
export const CampaignCrumb = ({ campaign }: { campaign: Summary }) => (
  <>
    <a href={hrefTo(['campaigns'])}>{say('title')}</a>
    <span aria-hidden="true">/</span>
    <a href={hrefTo(['campaigns', campaign.campaignSlug])}>{campaign.campaignTitle}</a>
  </>
);
