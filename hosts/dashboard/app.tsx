// The dashboard's frame: the sidebar, the bar on narrow screens, and the screen of the current
// route.
import { render } from 'preact';
import { openDrafts } from './editor/draftstore.ts';
import { OfflineStrip } from './frame/offline.tsx';
import { Palette } from './frame/palette.tsx';
import { Sidebar } from './frame/sidebar.tsx';
import { TopBar } from './frame/topbar.tsx';
import { say } from './frame/words.ts';
import { clearCache } from './resources.ts';
import { tab } from './router.ts';
import { type Session, session } from './session.ts';
import { screens, type TabName, visibleTabs } from './tabs.ts';
import { ConfirmAgain } from './ui/confirm.tsx';
import { Lazy } from './ui/lazy.tsx';
import { Toasts } from './ui/toast.tsx';

/** Renders the dashboard into an element. Calls `ended` when the session ends. */
export async function open(who: Session, element: HTMLElement, ended: () => void): Promise<void> {
  await openDrafts(who.email);
  session.value = who;
  render(<App />, element);
  const stop = session.subscribe((s) => {
    if (s) return;
    queueMicrotask(() => {
      stop();
      render(null, element);
      clearCache();
      ended();
    });
  });
}

function App() {
  if (!session.value) return null;
  return (
    <>
      <button type="button" class="skip" onClick={focusContent}>
        {say('skip')}
      </button>
      <div class="app">
        <div class="wide-only">
          <Sidebar />
        </div>
        <div class="main">
          <TopBar />
          <OfflineStrip />
          <main id="main" class="content" tabIndex={-1}>
            <Screen name={knownTab(tab.value)} />
          </main>
        </div>
      </div>
      <Palette />
      <ConfirmAgain />
      <Toasts />
    </>
  );
}

const focusContent = (): void => document.getElementById('main')?.focus();

function knownTab(name: string): TabName {
  const open: readonly TabName[] = ['home', 'account', ...visibleTabs()];
  return open.find((t) => t === name) ?? 'home';
}

const Screen = ({ name }: { name: TabName }) => <Lazy key={name} name={name} load={screens[name]} props={{}} />;
