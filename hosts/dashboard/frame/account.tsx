// The account menu: account and passkeys, language, theme and sign-out.
import { ChevronDown, KeyRound, Languages, LogOut, SunMoon } from 'lucide-preact';
import { hrefTo, route } from '../router.ts';
import { session } from '../session.ts';
import { Avatar } from '../ui/avatar.tsx';
import { Icon } from '../ui/icon.tsx';
import { Menu } from '../ui/menu.tsx';
import { theme, themes } from './theme.ts';
import { say } from './words.ts';

/** The sign-in page's links to itself in other languages. The page is removed while the dashboard is open. */
export const languageLinks: readonly HTMLAnchorElement[] = [
  ...document.querySelectorAll<HTMLAnchorElement>('.sign-in a[hreflang]'),
];

export function AccountMenu({ compact }: { compact?: boolean }) {
  const who = session.value;
  if (!who) return null;
  const name = who.name || who.email;
  return (
    <Menu
      label={compact ? say('account_menu', { name }) : ''}
      class={compact ? 'btn plain icon' : 'who'}
      button={
        <>
          <Avatar name={name} />
          {compact ? null : (
            <>
              <span class="grow stack g1">
                <b class="clip small">{name}</b>
                <span class="tiny muted clip">{who.email}</span>
              </span>
              <Icon of={ChevronDown} small />
            </>
          )}
        </>
      }
    >
      <a href={hrefTo(['account'])}>
        <Icon of={KeyRound} small />
        {say('account_and_passkeys')}
      </a>
      {languageLinks.map((l) => (
        <a
          key={l.lang}
          href={l.pathname + hrefTo(route.value.parts, route.value.filters)}
          lang={l.lang}
          hreflang={l.lang}
        >
          <Icon of={Languages} small />
          {l.textContent}
        </a>
      ))}
      {themes
        .filter((t) => t !== theme.value)
        .map((t) => (
          <button
            key={t}
            type="button"
            onClick={() => {
              theme.value = t;
            }}
          >
            <Icon of={SunMoon} small />
            {say(`theme_${t}`)}
          </button>
        ))}
      <hr />
      <a href={hrefTo(['account'])}>
        <Icon of={LogOut} small />
        {say('sign_out')}
      </a>
    </Menu>
  );
}
