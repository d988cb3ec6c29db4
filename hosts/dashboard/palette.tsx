// Ctrl+K: to a campaign, a screen or an order by what it's called, without the mouse.
import { useEffect, useId, useState } from 'preact/hooks';
import { say } from './appwords.ts';
import { useSummaries } from './campaigns/summary.ts';
import { go } from './place.ts';
import { may } from './session.ts';
import { tabs } from './tabs.ts';
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
      <button type="button" class="quiet small-button" aria-keyshortcuts="Control+K" onClick={() => setOpen(true)}>{say('jump')}</button>
      {open ? <Jump close={() => setOpen(false)} /> : null}
    </>
  );
}

// Preact's types want a list element beside this role, which is the older pattern.
const combobox: object = { type: 'search', role: 'combobox', autofocus: true };

const orderID = /^[a-z]+-[\w-]{6,}$/i;

function Jump({ close }: { close: () => void }) {
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const list = useId();
  const targets = found(typed, useTargets());
  const open = (target: Target | undefined): void => {
    if (!target) return;
    close();
    go(target.parts);
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
      <input {...combobox} aria-expanded="true" aria-controls={list} aria-activedescendant={targets[at] ? `${list}-${at}` : undefined} aria-label={say('jump_find')} placeholder={say('jump_find')}
        value={typed} onInput={(e) => { setTyped(e.currentTarget.value); setAt(0); }} onKeyDown={key} />
      <ul role="listbox" id={list} class="targets" aria-label={say('jump_title')}>
        {targets.map((t, i) => <li key={t.parts.join('/')} role="option" id={`${list}-${i}`} aria-selected={i === at} onClick={() => open(t)}>{t.name}</li>)}
      </ul>
      {targets.length ? null : <p class="empty">{say('jump_none')}</p>}
    </Dialog>
  );
}

function useTargets(): readonly Target[] {
  const campaigns = useSummaries(0).value?.campaigns ?? [];
  return [
    { name: say('home'), parts: ['home'] }, ...tabs().map((t): Target => ({ name: say(t), parts: [t] })),
    ...campaigns.map((c): Target => ({ name: c.campaignTitle, parts: ['campaigns', c.campaignSlug] })),
    { name: say('account'), parts: ['account'] },
  ];
}

function found(typed: string, all: readonly Target[]): readonly Target[] {
  const wanted = typed.trim().toLowerCase();
  const named = all.filter((t) => t.name.toLowerCase().includes(wanted));
  if (!orderID.test(typed.trim()) || !may('supporters')) return named.slice(0, 12);
  return [...named, { name: say('jump_order', { id: typed.trim() }), parts: ['supporters', 'order', typed.trim()] }].slice(0, 12);
}
