// The command palette (Ctrl+K): opens a campaign, a screen or an order by name or ID.
import { useEffect, useId, useState } from 'preact/hooks';
import { say } from './appwords.ts';
import { useSummaries } from './campaigns/summary.ts';
import { navigate } from './router.ts';
import { hasPermission } from './session.ts';
import { visibleTabs } from './tabs.ts';
import { Dialog } from './ui/dialog.tsx';

interface Target {
  readonly name: string;
  readonly parts: readonly string[];
}

export function Palette() {
  const [open, setOpen] = useState(false);
  useEffect(() => {
    const key = (e: KeyboardEvent): void => {
      if (e.key.toLowerCase() !== 'k' || !(e.ctrlKey || e.metaKey)) return;
      e.preventDefault();
      setOpen(true);
    };
    window.addEventListener('keydown', key);
    return () => window.removeEventListener('keydown', key);
  }, []);
  return (
    <>
      <button type="button" class="quiet small-button" aria-keyshortcuts="Control+K" onClick={() => setOpen(true)}>
        {say('jump')}
      </button>
      {open ? <PaletteDialog close={() => setOpen(false)} /> : null}
    </>
  );
}

// Preact's types still require the older combobox pattern for this role, hence `object`.
const combobox: object = { type: 'search', role: 'combobox', autofocus: true };

const orderID = /^[a-z]+-[\w-]{6,}$/i;

function PaletteDialog({ close }: { close: () => void }) {
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const list = useId();
  const targets = matchingTargets(typed, useTargets());
  const open = (target: Target | undefined): void => {
    if (!target) return;
    close();
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
    <Dialog title={say('jump_title')} close={close}>
      <input
        {...combobox}
        aria-expanded="true"
        aria-controls={list}
        aria-activedescendant={targets[at] ? `${list}-${at}` : undefined}
        aria-label={say('jump_find')}
        placeholder={say('jump_find')}
        value={typed}
        onInput={(e) => {
          setTyped(e.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={key}
      />
      <ul role="listbox" id={list} class="targets" aria-label={say('jump_title')}>
        {targets.map((t, i) => (
          <li
            key={t.parts.join('/')}
            role="option"
            id={`${list}-${i}`}
            aria-selected={i === at}
            onClick={() => open(t)}
          >
            {t.name}
          </li>
        ))}
      </ul>
      {targets.length ? null : <p class="empty">{say('jump_none')}</p>}
    </Dialog>
  );
}

function useTargets(): readonly Target[] {
  const campaigns = useSummaries(0).value?.campaigns ?? [];
  return [
    { name: say('home'), parts: ['home'] },
    ...visibleTabs().map((t): Target => ({ name: say(t), parts: [t] })),
    ...campaigns.map((c): Target => ({ name: c.campaignTitle, parts: ['campaigns', c.campaignSlug] })),
    { name: say('account'), parts: ['account'] },
  ];
}

function matchingTargets(typed: string, all: readonly Target[]): readonly Target[] {
  const search = typed.trim().toLowerCase();
  const named = all.filter((t) => t.name.toLowerCase().includes(search));
  if (!orderID.test(typed.trim()) || !hasPermission('supporters')) return named.slice(0, 12);
  return [
    ...named,
    { name: say('jump_order', { id: typed.trim() }), parts: ['supporters', 'order', typed.trim()] },
  ].slice(0, 12);
}
