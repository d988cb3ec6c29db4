// Who is signed in, until when and by what.
import { useEffect, useRef } from 'preact/hooks';
import { passkeys } from '../../site/scripts/passkeys.ts';
import { change } from '../changing.ts';
import { deleteDrafts, drafts } from '../editor/kept.ts';
import { session, type Session } from '../session.ts';
import { Button } from '../ui/button.tsx';
import { Note } from '../ui/notice.tsx';
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
      <Leaving />
      <Passkeys who={who} />
    </>
  );
}

function role(who: Session): string {
  if (who.role === 'super_admin') return say('platform');
  return who.campaigns.length ? say('campaigns', { campaigns: who.campaigns.join(', ') }) : say('no_campaigns');
}

/** The way out. It deletes the operator's drafts, which the next one at this browser must not see. */
function Leaving() {
  const count = drafts().length;
  return (
    <>
      {count ? <Note tone="warn">{say('drafts', { count })}</Note> : null}
      <div class="row"><Button quiet={!count} danger={count > 0} task={leave}>{say(count ? 'out_drafts' : 'out')}</Button></div>
    </>
  );
}

async function leave(): Promise<void> {
  await change('/admin/auth/sign-out', {});
  deleteDrafts();
  session.value = null;
}

/** The part of the sign-in page that adds and removes passkeys. */
function Passkeys({ who }: { who: Session }) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => element.current?.replaceChildren(passkeys(who)), [who]);
  return <div ref={element} />;
}
