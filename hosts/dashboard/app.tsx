// The dashboard's frame: navigation tabs and the screen of the selected tab.
import { render } from 'preact';
import { useEffect } from 'preact/hooks';
import { say } from './appwords.ts';
import { openDrafts } from './editor/draftstore.ts';
import { Palette } from './palette.tsx';
import { clearCache } from './resources.ts';
import { hrefTo, tab } from './router.ts';
import { type Session, session } from './session.ts';
import { screens, type TabName, visibleTabs } from './tabs.ts';
import { ConfirmAgain } from './ui/confirm.tsx';
import { useCurrentInView } from './ui/inview.ts';
import { Lazy } from './ui/lazy.tsx';

/** Renders the dashboard into an element. Calls `ended` when the session ends. */
export async function open(who: Session, element: HTMLElement, ended: () => void): Promise<void> {
  await openDrafts(who.email);
  session.value = who;
  document.body.classList.add('dashboard');
  element.replaceChildren();
  render(<App />, element);
  const stop = session.subscribe((s) => {
    if (s) return;
    queueMicrotask(() => {
      stop();
      close(element);
      ended();
    });
  });
}

function close(element: HTMLElement): void {
  render(null, element);
  clearCache();
  document.body.classList.remove('dashboard');
}

function App() {
  const who = session.value;
  const list = useCurrentInView(tab.value);
  if (!who) return null;
  return (
    <>
      <nav class="tabs" aria-label={say('tabs')}>
        <ul ref={list}>
          <Tab name="home" />
          {visibleTabs().map((name) => (
            <Tab key={name} name={name} />
          ))}
        </ul>
        <div class="row tools">
          <Palette />
          <a class="who" href={hrefTo(['account'])} aria-current={tab.value === 'account' ? 'page' : undefined}>
            {who.name || who.email}
          </a>
        </div>
      </nav>
      <Screen name={knownTab(tab.value)} />
      <ConfirmAgain />
    </>
  );
}

function Tab({ name }: { name: TabName }) {
  return (
    <li>
      <a href={hrefTo([name])} aria-current={tab.value === name ? 'page' : undefined}>
        {say(name)}
      </a>
    </li>
  );
}

function knownTab(name: string): TabName {
  const open: readonly TabName[] = ['home', 'account', ...visibleTabs()];
  return open.find((t) => t === name) ?? 'home';
}

function Screen({ name }: { name: TabName }) {
  useEffect(() => {
    document.title = `${say(name)} · ${say('dashboard')}`;
    scrollTo(0, 0);
  }, [name]);
  return (
    <div class={`screen screen-${name}`}>
      <Lazy key={name} name={name} load={screens[name]} props={{}} />
    </div>
  );
}
