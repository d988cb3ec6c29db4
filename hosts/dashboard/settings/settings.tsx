// The platform's settings: site, users, report readers, sessions, audit log, secrets, plan usage
// and diagnostics.

import { Editor } from '../editor/editor.tsx';
import { hrefTo, route } from '../router.ts';
import { useCurrentInView } from '../ui/inview.ts';
import { Audit } from './audit.tsx';
import { Diagnostics } from './diagnostics.tsx';
import { Plan } from './plan.tsx';
import { Readers } from './readers.tsx';
import { Secrets } from './secrets.tsx';
import { Sessions } from './sessions.tsx';
import { Users } from './users.tsx';
import { say } from './words.ts';

/** The editor for site.yml. */
function Site() {
  return <Editor path="/admin/settings" of="settings" section="" />;
}

const parts = {
  site: Site,
  users: Users,
  readers: Readers,
  sessions: Sessions,
  audit: Audit,
  secrets: Secrets,
  plan: Plan,
  diagnostics: Diagnostics,
} as const;

const names = Object.keys(parts) as (keyof typeof parts)[];

export default function Settings() {
  const open = names.find((n) => n === route.value.parts[1]) ?? 'site';
  const list = useCurrentInView(open);
  const Part = parts[open];
  return (
    <>
      <h1>{say('title')}</h1>
      <nav class="subtabs" aria-label={say('title')}>
        <ul ref={list}>
          {names.map((n) => (
            <li key={n}>
              <a href={hrefTo(['settings', n])} aria-current={n === open ? 'page' : undefined}>
                {say(n)}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <Part key={open} />
    </>
  );
}
