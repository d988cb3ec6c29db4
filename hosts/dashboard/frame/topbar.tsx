// The bar on narrow screens with the menu button, the title, search and account, and the sections
// of the open campaign.
import { Menu as MenuIcon, Search } from 'lucide-preact';
import { useEffect, useRef } from 'preact/hooks';
import { StateBadge } from '../campaigns/state.tsx';
import { useSummaries } from '../campaigns/summary.ts';
import { route, tab } from '../router.ts';
import { Icon } from '../ui/icon.tsx';
import { AccountMenu } from './account.tsx';
import { openPalette } from './palette.tsx';
import { SectionLinks, Sidebar } from './sidebar.tsx';
import { say } from './words.ts';

export function TopBar() {
  const drawer = useRef<HTMLDialogElement>(null);
  const current = route.value;
  const campaign = useSummaries(0).value?.campaigns.find(
    (c) => tab.value === 'campaigns' && c.campaignSlug === current.parts[1],
  );
  useEffect(() => drawer.current?.close(), [current]);
  return (
    <>
      <header class="bar">
        <button
          type="button"
          class="btn plain icon"
          aria-label={say('menu')}
          aria-haspopup="dialog"
          onClick={() => drawer.current?.showModal()}
        >
          <Icon of={MenuIcon} />
        </button>
        <span class="name">
          <span class="clip">{campaign?.campaignTitle ?? say((tab.value as 'home') || 'home')}</span>
          {campaign ? <StateBadge campaign={campaign} /> : null}
        </span>
        <button type="button" class="btn plain icon" aria-label={say('search')} onClick={openPalette}>
          <Icon of={Search} />
        </button>
        <AccountMenu compact />
      </header>
      <dialog ref={drawer} class="drawer" aria-label={say('main')} {...closeOnBackdrop}>
        <Sidebar />
      </dialog>
      {campaign ? (
        <Strip key={campaign.campaignSlug} title={campaign.campaignTitle} part={current.parts[2] ?? ''}>
          <SectionLinks campaign={campaign} />
        </Strip>
      ) : null}
    </>
  );
}

/** Closes the drawer on a click next to it. Escape closes it, too. */
const closeOnBackdrop: object = {
  onClick: (e: { target: EventTarget; currentTarget: HTMLDialogElement }) =>
    e.target === e.currentTarget && e.currentTarget.close(),
};

/** A horizontal list of links that scrolls the current one into view. */
function Strip({ title, part, children }: { title: string; part: string; children: preact.ComponentChildren }) {
  const list = useRef<HTMLElement>(null);
  useEffect(() => {
    const current = list.current?.querySelector<HTMLElement>('[aria-current]');
    if (!list.current || !current) return;
    list.current.scrollLeft = current.offsetLeft - (list.current.clientWidth - current.offsetWidth) / 2;
  }, [part]);
  return (
    <nav ref={list} class="strip" aria-label={title}>
      {children}
    </nav>
  );
}
