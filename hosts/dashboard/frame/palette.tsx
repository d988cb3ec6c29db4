// The command palette (Ctrl+K): opens a campaign, one of its sections, a screen or an order by name
// or ID.
import { signal } from '@preact/signals';
import { Layers, type LucideIcon, Receipt, Search, UserRound, X } from 'lucide-preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { campaignSections, sectionName } from '../campaigns/sections.ts';
import { useSummaries } from '../campaigns/summary.ts';
import { navigate, route } from '../router.ts';
import { hasPermission } from '../session.ts';
import { visibleTabs } from '../tabs.ts';
import { Icon } from '../ui/icon.tsx';
import { say as sayUI } from '../ui/words.ts';
import { icons } from './icons.ts';
import { say } from './words.ts';

interface Target {
  readonly name: string;
  /** Distinguishes targets with the same name, for example by the campaign. */
  readonly place?: string;
  readonly icon: LucideIcon;
  readonly parts: readonly string[];
}

const opened = signal(false);

export const openPalette = (): void => {
  opened.value = true;
};

export function Palette() {
  useEffect(() => {
    const key = (e: KeyboardEvent): void => {
      if (e.key.toLowerCase() !== 'k' || !(e.ctrlKey || e.metaKey)) return;
      e.preventDefault();
      openPalette();
    };
    window.addEventListener('keydown', key);
    return () => window.removeEventListener('keydown', key);
  }, []);
  return opened.value ? <PaletteDialog close={() => (opened.value = false)} /> : null;
}

// Preact's types still require the older combobox pattern for this role, hence `object`.
const combobox: object = { type: 'search', role: 'combobox', autofocus: true };

const orderID = /^[a-z]+-[\w-]{6,}$/i;

function PaletteDialog({ close }: { close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const list = useId();
  const targets = matchingTargets(typed, useTargets());
  useLayoutEffect(() => dialog.current?.showModal(), []);
  const open = (target: Target | undefined): void => {
    if (!target) return;
    dialog.current?.close();
    (document.activeElement as HTMLElement | null)?.blur(); // the opened screen takes the focus
    navigate(target.parts);
  };
  const key = (e: KeyboardEvent): void => {
    if (e.key === 'Enter') open(targets[at]);
    else if (e.key === 'ArrowDown') setAt(Math.min(at + 1, targets.length - 1));
    else if (e.key === 'ArrowUp') setAt(Math.max(at - 1, 0));
    else return;
    e.preventDefault();
  };
  return (
    <dialog ref={dialog} class="dialog find-dialog" aria-label={say('search')} onClose={close}>
      <div class="row g3 find">
        <Icon of={Search} />
        <input
          {...combobox}
          aria-expanded="true"
          aria-controls={list}
          aria-activedescendant={targets[at] ? `${list}-${at}` : undefined}
          aria-label={say('search')}
          placeholder={say('search')}
          value={typed}
          onInput={(e) => {
            setTyped(e.currentTarget.value);
            setAt(0);
          }}
          onKeyDown={key}
        />
        <kbd class="wide-only">Esc</kbd>
        <button
          type="button"
          class="btn plain icon sm phone"
          aria-label={sayUI('close')}
          onClick={() => dialog.current?.close()}
        >
          <Icon of={X} />
        </button>
      </div>
      <ul role="listbox" id={list} class="listbox" aria-label={say('results')}>
        {targets.map((t, i) => (
          <li
            key={t.parts.join('/')}
            role="option"
            id={`${list}-${i}`}
            aria-selected={i === at}
            onClick={() => open(t)}
          >
            <Icon of={t.icon} small />
            <span class="grow clip">
              {t.name} {t.place ? <span class="small muted">{t.place}</span> : null}
            </span>
            {i === at ? <kbd class="wide-only">Enter</kbd> : null}
          </li>
        ))}
      </ul>
      {targets.length ? null : (
        <p class="empty" role="status">
          {say('no_match', { query: typed })}
        </p>
      )}
      <p class="row small muted wide-only palette-help">{say('palette_help')}</p>
    </dialog>
  );
}

/** Returns the open campaign's sections, the screens, the campaigns, and the sections of the other campaigns. */
function useTargets(): readonly Target[] {
  const campaigns = useSummaries(0).value?.campaigns ?? [];
  const [, open] = route.value.parts;
  const own = campaigns.flatMap((c) =>
    campaignSections(c).map((section): Target & { campaign: string } => ({
      name: sectionName(section),
      place: c.campaignTitle,
      icon: Layers,
      parts: ['campaigns', c.campaignSlug, ...(section === 'overview' ? [] : [section])],
      campaign: c.campaignSlug,
    })),
  );
  return [
    ...own.filter((t) => t.campaign === open),
    { name: say('home'), icon: icons.home, parts: ['home'] },
    ...visibleTabs().map((t): Target => ({ name: say(t), icon: icons[t as keyof typeof icons], parts: [t] })),
    ...campaigns.map(
      (c): Target => ({ name: c.campaignTitle, icon: icons.campaigns, parts: ['campaigns', c.campaignSlug] }),
    ),
    { name: say('account'), icon: UserRound, parts: ['account'] },
    ...own.filter((t) => t.campaign !== open && t.parts.length > 2),
  ];
}

const maxResults = 9;

/** Returns the targets that contain every typed word. */
function matchingTargets(typed: string, all: readonly Target[]): readonly Target[] {
  const words = typed.trim().toLowerCase().split(/\s+/);
  const found = all.filter((t) => {
    const text = `${t.name} ${t.place ?? ''}`.toLowerCase();
    return words.every((w) => text.includes(w));
  });
  const id = typed.trim();
  const order: readonly Target[] =
    orderID.test(id) && hasPermission('supporters')
      ? [{ name: say('open_order', { id }), icon: Receipt, parts: ['supporters', 'order', id] }]
      : [];
  return [...order, ...found].slice(0, maxResults);
}
