// The account screen: role and session, passkeys, language, theme and sign-out.
import { Languages, SunMoon } from 'lucide-preact';
import { useEffect, useRef } from 'preact/hooks';
import { passkeyManager } from '../../site/scripts/passkeys.ts';
import { useSummaries } from '../campaigns/summary.ts';
import { change } from '../changes.ts';
import { deleteDrafts, drafts } from '../editor/draftstore.ts';
import { languageLinks } from '../frame/account.tsx';
import { type Theme, theme, themes } from '../frame/theme.ts';
import { hrefTo, route } from '../router.ts';
import { type Session, session } from '../session.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Icon } from '../ui/icon.tsx';
import { Notice } from '../ui/notice.tsx';
import { Page } from '../ui/page.tsx';
import { Segments } from '../ui/segments.tsx';
import { moment } from '../words.ts';
import { say } from './words.ts';

export default function Account() {
  const who = session.value;
  if (!who) return null;
  return (
    <Page title={say('title')} lede={say('who', { email: who.email })} width="narrow">
      <Card title={say('profile')}>
        <dl class="stack g2 account-facts">
          {who.name ? <Fact name={say('name')}>{who.name}</Fact> : null}
          <Fact name={say('email')}>{who.email}</Fact>
          <Fact name={say('role')}>
            <Role who={who} />
          </Fact>
          <Fact name={say('session')}>{say('session_until', { time: moment(who.endsAt) })}</Fact>
        </dl>
      </Card>
      <Card title={say('passkeys')}>
        <Passkeys who={who} />
      </Card>
      <Appearance />
      <SignOut />
    </Page>
  );
}

const Fact = ({ name, children }: { name: string; children: preact.ComponentChildren }) => (
  <div>
    <dt class="muted">{name}</dt>
    <dd>{children}</dd>
  </div>
);

function Role({ who }: { who: Session }) {
  const titles = new Map(useSummaries(0).value?.campaigns.map((c) => [c.campaignSlug, c.campaignTitle]));
  if (who.role === 'super_admin') return <>{say('super_admin')}</>;
  if (!who.campaigns.length) return <>{say('no_campaigns')}</>;
  return <>{say('campaign_user', { campaigns: who.campaigns.map((slug) => titles.get(slug) ?? slug).join(', ') })}</>;
}

/** The language of the dashboard, and its theme. */
const Appearance = () => (
  <Card title={say('appearance')}>
    <div class="stack">
      <div class="row between wrap">
        <span class="row">
          <Icon of={SunMoon} small />
          <span>{say('theme')}</span>
        </span>
        <Segments
          name={say('theme')}
          value={theme.value}
          set={(t) => {
            theme.value = t;
          }}
          choices={themes.map((t: Theme) => [t, say(`theme_${t}`)])}
        />
      </div>
      <div class="row between wrap">
        <span class="row">
          <Icon of={Languages} small />
          <span>{say('language')}</span>
        </span>
        <div class="seg">
          <a href={hrefTo(route.value.parts)} aria-current="true">
            {say('this_language')}
          </a>
          {languageLinks.map((l) => (
            <a key={l.lang} href={l.pathname + hrefTo(route.value.parts)} lang={l.lang} hreflang={l.lang}>
              {l.textContent}
            </a>
          ))}
        </div>
      </div>
    </div>
  </Card>
);

/** The sign-out button. Signing out deletes the operator's drafts, so that the next user of this browser cannot see them. */
function SignOut() {
  const count = drafts().length;
  return (
    <Card title={say('sign_out')}>
      <div class="stack">
        {count ? (
          <Notice tone="warn">
            <p>{say('drafts', { count })}</p>
          </Notice>
        ) : (
          <p class="soft">{say('sign_out_what')}</p>
        )}
        <div class="row">
          <Button kind={count ? 'danger' : ''} task={signOut}>
            {count ? say('sign_out_drafts', { count }) : say('sign_out')}
          </Button>
        </div>
      </div>
    </Card>
  );
}

async function signOut(): Promise<void> {
  await change('/admin/auth/sign-out', {});
  deleteDrafts();
  session.value = null;
}

/** Embeds the passkey manager of the sign-in page. */
function Passkeys({ who }: { who: Session }) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => element.current?.replaceChildren(passkeyManager(who)), [who]);
  return <div ref={element} />;
}
