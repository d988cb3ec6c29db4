// The dashboard of who is signed in: the tabs, and the screen of the one that is open.
import { render } from 'preact';
import { useEffect } from 'preact/hooks';
import { openDrafts } from './editor/kept.ts';
import { Palette } from './palette.tsx';
import { tab, to } from './place.ts';
import { forget } from './reading.ts';
import { session, type Session } from './session.ts';
import { screens, tabs, type TabName } from './tabs.ts';
import { say } from './appwords.ts';
import { ConfirmAgain } from './ui/confirm.tsx';
import { useCurrentInView } from './ui/inview.ts';
import { Later } from './ui/later.tsx';

/** Opens the dashboard in a page's element; `ended` is called once the session is over. */
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
  forget();
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
          {tabs().map((name) => <Tab key={name} name={name} />)}
        </ul>
        <div class="row tools"><Palette /><a class="who" href={to(['account'])} aria-current={tab.value === 'account' ? 'page' : undefined}>{who.name || who.email}</a></div>
      </nav>
      <ScreenOf name={known(tab.value)} />
      <ConfirmAgain />
    </>
  );
}

function Tab({ name }: { name: TabName }) {
  return <li><a href={to([name])} aria-current={tab.value === name ? 'page' : undefined}>{say(name)}</a></li>;
}

function known(name: string): TabName {
  const open: readonly TabName[] = ['home', 'account', ...tabs()];
  return open.find((t) => t === name) ?? 'home';
}

function ScreenOf({ name }: { name: TabName }) {
  useEffect(() => {
    document.title = `${say(name)} · ${say('dashboard')}`;
    scrollTo(0, 0);
  }, [name]);
  return <div class={`screen screen-${name}`}><Later key={name} name={name} load={screens[name]} props={{}} /></div>;
}
