// The account screen: role, session expiry, sign-out and passkeys.
import { useEffect, useRef } from 'preact/hooks';
import { passkeyManager } from '../../site/scripts/passkeys.ts';
import { change } from '../changes.ts';
import { deleteDrafts, drafts } from '../editor/draftstore.ts';
import { type Session, session } from '../session.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { moment } from '../words.ts';
import { say } from './words.ts';

export default function Account() {
  const who = session.value;
  if (!who) return null;
  return (
    <>
      <h1>{say('title')}</h1>
      <p class="lead">{say('who', { email: who.email })}</p>
      <p>{role(who)}</p>
      <p class="small">{say('until', { time: moment(who.endsAt) })}</p>
      <SignOut />
      <Passkeys who={who} />
    </>
  );
}

function role(who: Session): string {
  if (who.role === 'super_admin') return say('platform');
  return who.campaigns.length ? say('campaigns', { campaigns: who.campaigns.join(', ') }) : say('no_campaigns');
}

/** The sign-out button. Signing out deletes the operator's drafts, so that the next user of this browser cannot see them. */
function SignOut() {
  const count = drafts().length;
  return (
    <>
      {count ? <Notice tone="warn">{say('drafts', { count })}</Notice> : null}
      <div class="row">
        <Button quiet={!count} danger={count > 0} task={signOut}>
          {say(count ? 'out_drafts' : 'out')}
        </Button>
      </div>
    </>
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
