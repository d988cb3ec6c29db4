// The overview of a campaign that is public but not open yet: its dates, goal and rewards, and how
// many people are waiting for it.
import { Eye } from 'lucide-preact';
import type { Schema } from '../../site/scripts/api.ts';
import { query, useResource } from '../resources.ts';
import { hrefTo } from '../router.ts';
import { hasPermission, now } from '../session.ts';
import { KeyFigures } from '../ui/badge.tsx';
import { Card } from '../ui/card.tsx';
import { Copy } from '../ui/copy.tsx';
import { Page } from '../ui/page.tsx';
import { count, lang, price, weekday } from '../words.ts';
import { CampaignMenu, PageLink, pageOf } from './actions.tsx';
import { pricesOf, useClaims, useFields } from './data.ts';
import { Rewards } from './details.tsx';
import { Freezes, Times } from './launch.tsx';
import { Address } from './pageaddress.tsx';
import { Picture } from './progress.tsx';
import { SharePreview } from './share.tsx';
import { StateBadge } from './state.tsx';
import type { Summary } from './summary.ts';
import { clock, lastDay, timeUntil } from './time.ts';
import { say } from './words.ts';

export default function Upcoming({ campaign: c }: { campaign: Summary }) {
  const fields = useFields(c);
  const claims = useClaims(c);
  const { value: list } = useResource<Schema['LaunchList']>(
    hasPermission('content') ? query(`/admin/campaigns/launch/${c.campaignSlug}`, { lang }) : '',
    60,
  );
  return (
    <Page
      title={c.campaignTitle}
      picture={<Picture campaign={c} />}
      badges={<StateBadge campaign={c} />}
      lede={<Address campaign={c} />}
      actions={
        <>
          <SharePreview campaign={c} icon={Eye} />
          <PageLink campaign={c} primary />
          <CampaignMenu campaign={c} button />
        </>
      }
    >
      <KeyFigures figures={figures(c, fields)} />
      <div class="cols c21">
        <div class="stack g6">
          {fields && claims ? <Rewards campaign={c} fields={fields} claims={claims} /> : null}
          {list ? <Freezes list={list} /> : null}
        </div>
        <div class="stack g6">
          {list ? <Times campaign={c} list={list} /> : null}
          <ShareCard campaign={c} />
        </div>
      </div>
    </Page>
  );
}

type Figures = Parameters<typeof KeyFigures>[0]['figures'];

function figures(c: Summary, fields: Readonly<Record<string, unknown>> | undefined): Figures {
  const prices = fields ? [...pricesOf(fields).values()] : [];
  return [
    c.startsAt
      ? [say('opens'), timeUntil(c.startsAt, now()), `${weekday(c.startsAt)}, ${clock(c.startsAt)}`]
      : [say('opens'), '—', say('not_open')],
    [say('goal'), price(c.goalAmount), c.endsAt ? say('until', { day: lastDay(c.endsAt) }) : say('no_deadline')],
    [say('reminders'), count(c.reminderCount), say('reminders_what')],
    ...(prices.length
      ? ([[say('rewards'), count(prices.length), say('from', { sum: price(Math.min(...prices)) })]] as const)
      : []),
  ];
}

function ShareCard({ campaign: c }: { campaign: Summary }) {
  const address = new URL(pageOf(c), location.href).href;
  return (
    <Card title={say('share_title')}>
      <div class="stack g3">
        <p class="soft">{say('share_what')}</p>
        <div class="row wrap">
          <Copy text={address} label={say('copy_link')} />
          {hasPermission('mails') ? (
            <a class="link small" href={hrefTo(['marketing'], { campaign: c.campaignSlug })}>
              {say('tracked_link')}
            </a>
          ) : null}
        </div>
      </div>
    </Card>
  );
}
